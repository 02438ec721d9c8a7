/* live.c - the rows at the bottom of a terminal: the current activity, the
 * input, the session's state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "record/msg.h"
#include "term/term.h"
#include "tokens/budget.h"
#include "internal.h"

#define FRAME_MS 33		/* between two rebuilds of the live rows: as
				 * often as the screen draws */
#define SPIN_MS 125		/* between two states of the spinner */
#define HINT_MS 10000		/* after this say that Esc interrupts */
#define RING_MS 20000		/* a turn that took longer rings the bell */
#define GAUGE 4			/* marks in the [##--] of the window used */
#define OUTPUT_ROWS 5		/* of a running command's output, at most: on a
				 * small screen a quarter of its rows */
#define STREAMED_MAX (1 << 20)	/* output shown while a command runs */
#define LAST_BYTES ((size_t)16 << 10)	/* of a failed command's last lines,
				 * at most */
#define QUEUED_ROWS 3		/* of queued messages, at most */
#define MODEL_LEAST 12		/* columns of its name, beside all else */
#define SAID_ROWS 12		/* of a message that was sent, at most */
#define TAIL_LEAST 4		/* rows of the streamed answer that may still
				 * change, even on a small screen */
#define THOUGHT_MS 1000		/* reasoning that took less is not reported */

/* ---- rows ---- */

/* Append foreign text to a row, cut to the room left in it. */
static void
add_row(struct buf *rows, const struct ui *u, const char *lead,
    struct slice text)
{
	size_t used = term_width(slice_of(lead)), columns = ui_columns(u) - 1;

	buf_fmt(rows, "%s%s", DIM(u), lead);
	term_put(rows, text, columns > used ? columns - used : 0);
	buf_fmt(rows, "%s\n", PLAIN(u));
}

/* 0:12 */
static void
add_clock(struct buf *b, long long ms)
{
	buf_fmt(b, "%lld:%02lld", ms / 60000, ms / 1000 % 60);
}

/* 12.4k */
static void
add_thousands(struct buf *b, long long n)
{
	if (n < 1000)
		buf_fmt(b, "%lld", n);
	else
		buf_fmt(b, "%.*fk", n < 100000, (double)n / 1000);
}

/* "  12.4k in" */
static void
add_tokens(struct buf *b, long long n, const char *after)
{
	if (n <= 0)
		return;
	buf_adds(b, "  ");
	add_thousands(b, n);
	buf_adds(b, after);
}

bool
ui_is_busy(const struct ui *u)
{
	return u->status.on || u->status.doing != NULL;
}

/* The current activity or question, and below it a command's output. */
static void
add_activity(struct buf *rows, const struct ui *u, long long now)
{
	static const char *const spinner[] = { "\u280b", "\u2819", "\u2839",
		"\u2838", "\u283c", "\u2834", "\u2826", "\u2827", "\u2807",
		"\u280f" };
	struct buf lead = BUF_INIT(256), what = BUF_INIT(BUF_RECORD_MAX);

	if (u->question.len > 0) {
		buf_slice(rows, buf_view(&u->question));
	} else if (u->stalled) {
		add_row(rows, u, "", SLICE("a paste has not ended; Ctrl-C "
		    "ends it"));
		rows->len--;
	} else if (ui_is_busy(u)) {
		buf_fmt(&lead, "%s ", spinner[now / SPIN_MS % 10]);
		add_clock(&lead, now - u->status.since);
		buf_adds(&lead, "  ");
		if (u->status.until > now) {
			add_clock(&lead, u->status.until - now + 999);
			buf_adds(&lead, " left: ");
		}
		buf_adds(&what, u->status.doing != NULL ? u->status.doing :
		    "waiting for the model");
		if (now - u->status.since >= HINT_MS && u->editor != NULL &&
		    editor_is_empty(u->editor))
			buf_adds(&what, "  (Esc interrupts)");
		add_row(rows, u, lead.p, buf_view(&what));
		rows->len -= rows->p[rows->len - 1] == '\n';
	}
	buf_addc(rows, '\n');
	if (u->printing && u->question.len == 0) {
		size_t most = ui_height(u) / 4;
		struct slice line, rest = slice_last_lines(buf_view(&u->output),
		    most < 1 ? 1 : num_min(most, OUTPUT_ROWS));

		while (slice_line(&rest, &line))
			add_row(rows, u, "    ", line);
	}
	bufs_release(BUFS(&lead, &what));
}

static size_t
count_sent(const struct ui *u)
{
	/* otherwise it is about to be taken */
	return ui_is_busy(u) || u->question.len > 0 ? u->sent.n : 0;
}

size_t
ui_queued_rows(const struct ui *u)
{
	return num_min(count_sent(u), QUEUED_ROWS);
}

const char *
ui_model(const struct ui *u)
{
	const char *set = u->track->model != NULL ? u->track->model :
	    conf_str(u->conf, "provider.model");

	return set[0] != '\0' || u->status.model == NULL ? set :
	    u->status.model;
}

/* The model's name in the columns that the rest of its row leaves; one that is
 * too long without its folders. */
static void
add_model(struct buf *row, const struct ui *u, size_t rest)
{
	const char *name = ui_model(u), *slash = strrchr(name, '/');
	size_t columns = ui_columns(u), room = columns > rest + MODEL_LEAST ?
	    columns - rest : MODEL_LEAST;

	if (slash != NULL && term_width(slice_of(name)) > room)
		name = slash + 1;
	term_put(row, slice_of(name), room);
	buf_adds(row, row->len > 0 ? "  " : "");
}

static void
add_status(struct buf *rows, const struct ui *u)
{
	const struct track *t = u->track;
	long long window = budget_from(u->conf, (long)t->limit).effective;
	struct buf b = BUF_INIT(1 << 16), row = b;
	size_t queued = count_sent(u);

	buf_adds(&b, t->mode != NULL ? t->mode : conf_str(u->conf,
	    "agent.mode"));
	if (u->status.on)
		buf_fmt(&b, "  step %ld", t->steps + !track_has_open(t));
	add_tokens(&b, t->context, "");
	if (t->context > 0 && window > 0) {
		buf_adds(&b, " of ");
		add_thousands(&b, window);
		buf_adds(&b, " [");
		for (int i = 0; i < GAUGE; i++)
			buf_addc(&b, t->context * GAUGE > window * i ? '#' :
			    '-');
		buf_addc(&b, ']');
	}
	if (t->total.cost > 0)
		buf_fmt(&b, "  %s", num_dollars(t->total.cost).s);
	if (queued > 0)
		buf_fmt(&b, "  %zu queued%s", queued, u->editor != NULL &&
		    editor_is_empty(u->editor) ? ", Up edits" : "");
	/* after two blanks, before two and a free column */
	add_model(&row, u, 5 + term_width(buf_view(&b)));
	buf_slice(&row, buf_view(&b));
	add_row(rows, u, "  ", buf_view(&row));
	rows->len--;
	bufs_release(BUFS(&b, &row));
}

/* Everything at the bottom, from what is known now. */
static void
compose(struct ui *u, long long now)
{
	struct buf rows = BUF_INIT((size_t)1 << 30);
	struct buf themed = BUF_INIT((size_t)1 << 31);
	size_t row = 0, column = 0, height = ui_height(u);
	size_t queued = count_sent(u);
	char more[40];

	if (u->live) {
		/* will move above the live rows, but may still change */
		if (u->answer != NULL)
			markdown_tail(u->answer, &rows);
		if (rows.len > 0)
			buf_addc(&rows, '\n');
		if (u->partial.len > 0)
			add_row(&rows, u, "", buf_view(&u->partial));
		add_activity(&rows, u, now);
		for (size_t i = 0; i < queued && i < QUEUED_ROWS; i++) {
			snprintf(more, sizeof more, "%zu more", queued - i);
			add_row(&rows, u, "  queued: ", slice_of(queued >
			    QUEUED_ROWS && i == QUEUED_ROWS - 1 ? more :
			    u->sent.v[i]));
		}
	} else if (u->question.len > 0) {
		buf_slice(&rows, buf_view(&u->question));
		/* what is typed follows it there */
		buf_adds(&rows, !u->dumb ? "\n" : slice_ends(buf_view(
		    &u->question), " ") ? "" : " ");
	}
	size_t above = slice_newlines(buf_view(&rows));
	if (u->editor != NULL && (u->dumb ? !editor_is_empty(u->editor) :
	    u->live || u->question.len > 0)) {
		/* two rows: what is searched is in the second */
		size_t most = height / 3, least = u->question.len > 0 ? 1 : 2;

		editor_draw(u->editor, ui_columns(u), most > least ? most :
		    least, &rows, &row, &column);
		buf_addc(&rows, '\n');
	}
	/* a question goes before it where there are two rows */
	if (u->live && (u->question.len == 0 || height > 3))
		add_status(&rows, u);
	else if (rows.len > 0 && rows.p[rows.len - 1] == '\n')
		rows.len--;
	screen_live(u->screen, ui_themed(u, buf_view(&rows), &themed),
	    above + row, column);
	u->drawn = now;
	u->stale = false;
	bufs_release(BUFS(&rows, &themed));
}

void
ui_redraw(struct ui *u)
{
	u->stale = true;
}

void
ui_redraw_now(struct ui *u)
{
	u->drawn = 0;
	u->stale = true;
	if (u->screen != NULL)
		screen_redraw_now(u->screen, false);
}

void
ui_alert(struct ui *u, const char *why)
{
	const char *type = getenv("TERM");
	/* the terminals that have only OSC 777 */
	bool other = getenv("VTE_VERSION") != NULL ||
	    (type != NULL && strncmp(type, "rxvt", 4) == 0);
	bool tmux = getenv("TMUX") != NULL;
	const char *bell = conf_str(u->conf, "ui.bell");
	bool notify = strcmp(bell, "notify") == 0;

	if (u->screen == NULL || !u->away || strcmp(bell, "off") == 0)
		return;
	if (!notify || tmux)
		screen_control(u->screen, "\a");
	if (!notify)
		return;
	char *text = xasprintf("%s\033]%s%s\a%s", tmux ? "\033Ptmux;\033" :
	    "", other ? "777;notify;hamr;" : "9;hamr: ", why, tmux ? "\033\\" :
	    "");
	screen_control(u->screen, text);
	free(text);
}

static int
sooner(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* When the rows must be rebuilt, in ms; -1: not before something changes. */
static long long
next_rebuild(const struct ui *u)
{
	if (u->stale)
		return u->drawn + FRAME_MS;
	return ui_is_busy(u) && u->live && u->question.len == 0 ?
	    (u->drawn / SPIN_MS + 1) * SPIN_MS : -1;
}

int
ui_tick(struct ui *u)
{
	long long now = file_now_ms();
	int left = -1;

	if (u->screen == NULL)
		return -1;
	if (u->listening && u->question.len == 0)
		ui_take_keys(u, now);
	u->stale |= u->stalled != keys_stalled(&u->keys, now);
	u->stalled = keys_stalled(&u->keys, now);
	if (u->question.len > 0 ||
	    (u->live && (u->status.on || u->editor != NULL))) {
		long long next = next_rebuild(u);

		if (next >= 0 && next <= now) {
			compose(u, now);
			next = next_rebuild(u);
		}
		left = next < 0 ? -1 : (int)(next - now);
	}
	left = sooner(left, screen_tick(u->screen, now));
	return u->listening ? sooner(left, keys_wait(&u->keys, now)) : left;
}

/* ---- the current activity ---- */

void
ui_status_doing(struct ui *u, const char *what)
{
	struct ui_status *s = &u->status;
	const char *had = s->doing != NULL ? s->doing : "";

	if (strcmp(had, what) == 0)
		return;
	xset(&s->doing, what[0] != '\0' ? xstrdup(what) : NULL);
	s->since = file_now_ms();
	s->until = 0;
	ui_redraw(u);
}

void
ui_begin_turn(struct ui *u)
{
	u->status.on = true;
	u->status.since = file_now_ms();
	u->blocks = 0;
	u->streamed = u->answered = u->printing = false;
	ui_watch_job(u);
	ui_status_doing(u, "");
	ui_redraw(u);
}

void
ui_end_turn(struct ui *u)
{
	ui_end_reasoning(u);
	ui_break(u);
	ui_status_doing(u, "");
	u->printing = false;
	u->status.on = false;
	ui_watch_job(u);
	buf_reset(&u->partial);
	if (u->screen == NULL)
		return;
	if (u->editor == NULL) {	/* no live rows are left */
		screen_live(u->screen, SLICE(""), 0, 0);
		screen_flush(u->screen, -1, 0);
	}
	ui_redraw(u);
}

/* Keep what a command printed where it did not come as it ran: all of it in a
 * session that is resumed; the end, after more than is shown live. */
static void
take_printed(struct ui *u, const struct rec *r)
{
	char *file = scan_strdup(msg_meta(r, "output_file"));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	int64_t out = 0, err = 0;
	bool ran = scan_int(msg_meta(r, "stdout_bytes"), &out) &&
	    scan_int(msg_meta(r, "stderr_bytes"), &err);
	struct slice rest, status;

	if (ran && !u->printing) {
		msg_text(rec_get(r, "content"), &text);
		rest = buf_view(&text);
		buf_reset(&u->output);
		slice_line(&rest, &status);
		buf_slice(&u->output, rest);
	} else if (file != NULL && u->printing && out + err > STREAMED_MAX) {
		msg_text(rec_get(r, "content"), &text);
		buf_fmt(&u->output,
		    "\n[what follows is left out; all of it is in %s]\n", file);
		buf_slice(&u->output, slice_last_lines(buf_view(&text),
		    (size_t)conf_int(u->conf, "ui.output_lines")));
	}
	buf_release(&text);
	free(file);
}

void
ui_status_take(struct ui *u, const struct rec *r)
{
	if (r->kind == R_USER || r->kind == R_TOOL || r->kind == R_ERROR)
		u->streamed = false;
	if (r->kind == R_ASSISTANT) {
		if (u->status.model == NULL)
			u->status.model = scan_strdup(msg_meta(r, "model"));
		if (rec_get(r, "reasoning").p != NULL) {
			buf_reset(&u->thinking);
			scan_str(rec_get(r, "reasoning"), &u->thinking);
		}
	}
	if (r->kind == R_TOOL && u->screen != NULL)
		take_printed(u, r);
	ui_redraw(u);
}

/* ---- what the model thinks, what a command prints ---- */

void
ui_stream_reasoning(struct ui *u, struct slice text)
{
	if (u->thinking_since == 0) {
		ui_break(u);
		buf_reset(&u->thinking);
		u->thinking_since = file_now_ms();
		ui_status_doing(u, "thinking \u2026");
	}
	buf_slice(&u->thinking, text);
}

void
ui_end_reasoning(struct ui *u)
{
	struct buf b = BUF_INIT(256);

	if (u->thinking_since == 0)
		return;
	add_clock(&b, file_now_ms() - u->thinking_since);
	if (file_now_ms() - u->thinking_since >= THOUGHT_MS)
		ui_note(u, "  thinking \u2026 %s", b.p);
	u->thinking_since = 0;
	buf_release(&b);
}

static void
print_dim(struct ui *u, struct slice text)
{
	struct buf b = BUF_INIT((size_t)1 << 40), safe =
	    BUF_INIT((size_t)1 << 40);
	struct slice line;

	term_escape(&safe, text);
	struct slice rest = buf_view(&safe);
	while (slice_line(&rest, &line)) {
		buf_fmt(&b, "%s    ", DIM(u));
		buf_slice(&b, line);
		buf_fmt(&b, "%s\n", PLAIN(u));
	}
	ui_print(u, &b);
	buf_release(&safe);
}

void
ui_show_thinking(struct ui *u)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	struct slice rest = buf_view(&u->thinking), line;

	while (slice_line(&rest, &line))
		buf_fmt(&b, "\n    %.*s", (int)line.n, line.p);
	if (b.len == 0)
		ui_note(u, "no reasoning yet");
	else
		ui_note(u, "  the model's last reasoning:%s", b.p);
	buf_release(&b);
}

void
ui_show_output(struct ui *u)
{
	if (u->output.len == 0) {
		ui_note(u, "the model has run no command, or its last one "
		    "printed nothing");
	} else {
		ui_note(u, "  the last command printed:");
		print_dim(u, buf_view(&u->output));
	}
}

void
ui_end_output(struct ui *u, bool failed)
{
	struct slice all = buf_view(&u->output);
	struct slice last = slice_last_lines(all,
	    (size_t)conf_int(u->conf, "ui.output_lines"));
	size_t before = slice_lines(slice_part(all, 0, all.n - last.n));
	const char *all_by = u->editor != NULL ? "; Ctrl-O shows all" :
	    u->at_once != NULL ? "; /output shows all" : "";
	bool show = failed && u->printing;

	u->printing = false;
	if (!show)
		return;
	if (last.n > LAST_BYTES) {
		last = utf8_last(last, LAST_BYTES);
		ui_note(u, "    ... (a long line%s)", all_by);
	} else if (before > 0) {
		ui_note(u, "    ... (%zu line%s before%s)", before,
		    before == 1 ? "" : "s", all_by);
	}
	print_dim(u, last);
}

/* 3 files changed */
static void
add_count(struct buf *b, long long n, const char *what, const char *after)
{
	if (n > 0)
		buf_fmt(b, "  %lld %s%s%s", n, what, n == 1 ? "" : "s", after);
}

void
ui_turn_summary(struct ui *u, const char *how, const struct track *t,
    long long ms)
{
	const struct usage *use = &t->usage;
	struct buf b = BUF_INIT(1 << 12);

	buf_adds(&b, how);
	add_count(&b, t->steps, "step", "");
	add_count(&b, t->started, "call", "");
	add_count(&b, (long long)t->files.n, "file", " changed");
	add_tokens(&b, use->prompt, " in");
	if (use->prompt > 0 && use->cached > 0)
		buf_fmt(&b, " (%lld %% cached)", (long long)(use->cached *
		    100 / use->prompt));
	add_tokens(&b, use->completion, " out");
	if (use->has_cost && use->cost > 0)
		buf_fmt(&b, "  %s", num_dollars(use->cost).s);
	buf_adds(&b, "  ");
	add_clock(&b, ms);
	ui_note(u, "%s", b.p);
	if (ms > RING_MS)
		ui_alert(u, "the turn is over");
	buf_release(&b);
}

/* ---- the answer, as it comes ---- */

size_t
ui_tail_rows(const struct ui *u)
{
	size_t height = ui_height(u);

	return height > 12 ? height - 8 : TAIL_LEAST;
}

static void
emit_rows(struct ui *u, struct buf *rows)
{
	if (rows->len > 0)
		ui_emit(u, buf_view(rows));
	buf_release(rows);
	ui_redraw(u);
}

void
ui_stream_answer(struct ui *u, struct slice text)
{
	struct buf final = BUF_INIT((size_t)1 << 40);

	u->streamed = u->answered = true;
	if (!conf_bool(u->conf, "ui.markdown")) {
		ui_output(u, text.p, text.n);
		return;
	}
	if (u->answer == NULL) {
		markdown_open();
		u->answer = markdown_new(ui_columns(u) - 1, ui_tail_rows(u),
		    u->color, &u->blocks);
	}
	markdown_add(u->answer, text, &final);
	emit_rows(u, &final);
}

void
ui_break(struct ui *u)
{
	struct buf final = BUF_INIT((size_t)1 << 40);

	if (u->aside)
		return;
	if (u->answer == NULL) {
		ui_output(u, "", 0);
		return;
	}
	markdown_end(u->answer, &final);
	u->answer = NULL;
	emit_rows(u, &final);
}

void
ui_rows(struct ui *u, struct slice answer, size_t *blocks)
{
	struct buf b = BUF_INIT((size_t)1 << 40);

	markdown_open();
	markdown_rows(answer, ui_columns(u) - 1, u->color, blocks, &b);
	ui_print(u, &b);
}

void
ui_output(struct ui *u, const char *p, size_t n)
{
	buf_add(&u->partial, p, n);
	struct slice all = buf_view(&u->partial);
	const char *lf = memrchr(all.p, '\n', all.n);
	struct slice line = { all.p, n == 0 || u->partial.over ? all.n :
	    lf != NULL ? (size_t)(lf + 1 - all.p) : 0 };
	ui_emit_text(u, line);
	buf_drop(&u->partial, line.n);
	if (u->partial.over) {
		u->partial.over = false;
		buf_reset(&u->partial);
		ui_emit_text(u, (struct slice){ p, n });
	}
	ui_redraw(u);
}

void
ui_show_message(struct ui *u, const char *text)
{
	struct slice rest = slice_of(text), line;
	struct buf b = BUF_INIT((size_t)1 << 30), safe = b;
	size_t columns = ui_columns(u), room = SAID_ROWS * columns;
	const char *lead = "> ";

	buf_addc(&b, '\n');
	while (room >= columns && slice_line(&rest, &line)) {
		term_escape(&safe, line);
		struct slice shown = buf_view(&safe);
		shown.n = term_fits(shown, room > 5 ? room - 5 : 0);
		buf_fmt(&b, "%s%s%.*s%s%s\n", u->color ? "\033[1m" : "", lead,
		    (int)shown.n, shown.p, shown.n < safe.len ? "..." : "",
		    PLAIN(u));
		size_t w = 2 + term_width(shown);
		room -= (w + columns - 1) / columns * columns;
		buf_reset(&safe);
		lead = "  ";
	}
	if (rest.n > 0)
		buf_fmt(&b, "%s  [%zu more line%s]%s\n", DIM(u),
		    slice_lines(rest), slice_lines(rest) > 1 ? "s" : "",
		    PLAIN(u));
	buf_release(&safe);
	ui_print(u, &b);
}

void
ui_show_record(struct ui *u, const struct rec *message)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(rec_get(message, "content"), &text))
		ui_show_message(u, buf_view(&text).p);
	buf_release(&text);
}
