/* live.c - the rows at the bottom of a terminal: what is going on, the input,
 * where the session stands; and the keys that are typed there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "job_control.h"
#include "record/msg.h"
#include "term/cluster.h"
#include "term/term.h"
#include "internal.h"

#define FRAME_MS 33		/* rows are made as often as they are drawn */
#define SPIN_MS 125
#define HINT_MS 10000		/* what lasts so long can be interrupted */
#define RING_MS 20000		/* of a turn that a person does not watch */
#define GAUGE 4			/* cells */
#define OUTPUT_ROWS 5		/* of a running command; a quarter of all */
#define LAST_BYTES ((size_t)16 << 10)	/* of one that failed */
#define QUEUED_ROWS 3
#define SAID_LINES 12		/* of a message that was sent, */
#define SAID_BYTES 4096		/* and of a line of it */
#define TAIL_LEAST 4
#define THOUGHT_MS 1000		/* what took less is not told */
#define DIM(u) ((u)->color ? "\033[2m" : "")
#define PLAIN(u) ((u)->color ? "\033[0m" : "")

/* ---- rows ---- */

/* One row of text that is not ours: cut to what is left of it. */
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

static struct slice
last_lines(struct slice text, size_t most)
{
	size_t at = text.n - (text.n > 0 && text.p[text.n - 1] == '\n');
	const char *lf;

	for (; at > 0; at = (size_t)(lf - text.p)) {
		lf = memrchr(text.p, '\n', at);
		if (lf == NULL || --most == 0) {
			at = lf != NULL ? (size_t)(lf + 1 - text.p) : 0;
			break;
		}
	}
	return slice_from(text, at);
}

/* A turn runs, or what a person began. */
static bool
is_busy(const struct ui *u)
{
	return u->status.on || u->status.doing != NULL;
}

static bool
has_no_draft(const struct ui *u)
{
	return u->editor != NULL && editor_is_empty(u->editor);
}

/* What is going on, or is asked; what a command prints below it. */
static void
add_activity(struct buf *rows, const struct ui *u, long long now)
{
	static const char *const spinner[] = { "\u280b", "\u2819", "\u2839",
		"\u2838", "\u283c", "\u2834", "\u2826", "\u2827", "\u2807",
		"\u280f" };
	struct buf lead = BUF_INIT(256), what = BUF_INIT(BUF_RECORD_MAX);

	if (u->question.len > 0) {
		buf_slice(rows, buf_view(&u->question));
	} else if (is_busy(u)) {
		buf_fmt(&lead, "%s ", spinner[now / SPIN_MS % 10]);
		add_clock(&lead, now - u->status.since);
		buf_adds(&lead, "  ");
		if (u->status.until > now) {
			add_clock(&lead, u->status.until - now + 999);
			buf_adds(&lead, " left: ");
		}
		buf_adds(&what, u->status.doing != NULL ? u->status.doing :
		    "waiting for the model");
		if (now - u->status.since >= HINT_MS && has_no_draft(u))
			buf_adds(&what, "  (Esc interrupts)");
		add_row(rows, u, lead.p, buf_view(&what));
		rows->len -= rows->p[rows->len - 1] == '\n';
	}
	buf_addc(rows, '\n');
	if (u->printing && u->question.len == 0) {
		size_t most = ui_height(u) / 4;
		struct slice line, rest = last_lines(buf_view(&u->output),
		    most < 1 ? 1 : num_min(most, OUTPUT_ROWS));

		while (slice_line(&rest, &line))
			add_row(rows, u, "    ", line);
	}
	bufs_release(BUFS(&lead, &what));
}

static size_t
count_sent(const struct ui *u)
{
	size_t n = 0;

	/* else it is about to be taken */
	if (is_busy(u) || u->question.len > 0)
		for (size_t i = 0; i < u->sent.len; i++)
			n += u->sent.p[i] == '\0';
	return n;
}

static void
add_queued(struct buf *rows, const struct ui *u)
{
	size_t n = count_sent(u), at = 0, shown = n > QUEUED_ROWS ?
	    QUEUED_ROWS - 1 : n;

	for (size_t i = 0; i < shown; i++) {
		struct slice text = slice_of(u->sent.p + at);

		add_row(rows, u, "  queued: ", text);
		at += text.n + 1;
	}
	if (n > shown) {
		struct buf more = BUF_INIT(64);

		buf_fmt(&more, "%zu more", n - shown);
		add_row(rows, u, "  queued: ", buf_view(&more));
		buf_release(&more);
	}
}

size_t
ui_queued_rows(const struct ui *u)
{
	size_t n = count_sent(u);

	return n < QUEUED_ROWS ? n : QUEUED_ROWS;
}

static void
add_status(struct buf *rows, const struct ui *u)
{
	const struct ui_status *s = &u->status;
	struct buf b = BUF_INIT(1 << 16);
	size_t queued = count_sent(u);

	buf_adds(&b, s->model != NULL ? s->model : "");
	if (s->mode != NULL)
		buf_fmt(&b, "%s%s", b.len > 0 ? "  " : "", s->mode);
	if (s->on)
		buf_fmt(&b, "  step %ld", s->steps + (s->open == 0));
	if (s->tokens > 0) {
		buf_adds(&b, "  ");
		add_thousands(&b, s->tokens);
	}
	if (s->tokens > 0 && s->window > 0) {
		buf_adds(&b, " of ");
		add_thousands(&b, s->window);
		buf_adds(&b, " [");
		for (int i = 0; i < GAUGE; i++)
			buf_addc(&b, s->tokens * GAUGE > s->window * i ? '#' :
			    '-');
		buf_addc(&b, ']');
	}
	if (s->cost > 0)
		buf_fmt(&b, s->cost < 0.1 ? "  $%.3f" : "  $%.2f", s->cost);
	if (queued > 0)
		buf_fmt(&b, "  %zu queued%s", queued, has_no_draft(u) ?
		    ", Up edits" : "");
	add_row(rows, u, "  ", buf_view(&b));
	rows->len--;
	buf_release(&b);
}

/* Everything at the bottom, from what is known now. */
static void
compose(struct ui *u, long long now)
{
	struct buf rows = BUF_INIT((size_t)1 << 30);
	struct buf themed = BUF_INIT((size_t)1 << 31);
	size_t row = 0, column = 0, above, height = ui_height(u);

	if (u->live) {
		/* what will stand above, but may still change */
		if (u->answer != NULL)
			markdown_tail(u->answer, &rows);
		if (rows.len > 0)
			buf_addc(&rows, '\n');
		if (u->partial.len > 0)
			add_row(&rows, u, "", buf_view(&u->partial));
		add_activity(&rows, u, now);
		add_queued(&rows, u);
	} else if (u->question.len > 0) {
		buf_slice(&rows, buf_view(&u->question));
		if (!u->dumb)
			buf_addc(&rows, '\n');
	}
	above = slice_newlines(buf_view(&rows));
	if (u->editor != NULL && (u->dumb ? !editor_is_empty(u->editor) :
	    u->live || u->question.len > 0)) {
		editor_draw(u->editor, ui_columns(u), height / 3 > 0 ?
		    height / 3 : 1, &rows, &row, &column);
		buf_addc(&rows, '\n');
	}
	if (u->live)
		add_status(&rows, u);
	else if (rows.len > 0 && rows.p[rows.len - 1] == '\n')
		rows.len--;
	screen_live(u->screen, ui_themed(u, buf_view(&rows), &themed),
	    above + row, column);
	buf_release(&themed);
	u->drawn = now;
	u->stale = false;
	buf_release(&rows);
}

void
ui_changed(struct ui *u)
{
	u->stale = true;
}

void
ui_hurry(struct ui *u)
{
	u->drawn = 0;
	u->stale = true;
	if (u->screen != NULL)
		screen_hurry(u->screen);
}

void
ui_ring(struct ui *u, const char *why)
{
	char *text;

	if (u->screen == NULL || !u->away || u->bell == BELL_OFF)
		return;
	if (u->bell == BELL_RING || getenv("TMUX") != NULL)
		screen_control(u->screen, "\a");
	if (u->bell != BELL_NOTIFY)
		return;
	text = getenv("TMUX") != NULL ? xasprintf("\033Ptmux;\033\033]9;"
	    "hamr: %s\a\033\\", why) : xasprintf("\033]9;hamr: %s\a", why);
	screen_control(u->screen, text);
	free(text);
}

bool
ui_answered(struct ui *u, const struct key *key)
{
	if (key->name == KEY_REPLY)
		screen_reply(u->screen, key->text);
	else if (key->name == KEY_FOCUS_IN || key->name == KEY_FOCUS_OUT)
		u->away = key->name == KEY_FOCUS_OUT;
	else
		return false;
	return true;
}

/* Esc is one when nothing follows it: keys may come of the time alone. */
static void
take_keys(struct ui *u, long long now)
{
	struct key key;

	while (u->editor != NULL && keys_next(&u->keys, now, &key))
		if (!ui_answered(u, &key))
			ui_event(u, editor_key(u->editor, &key));
}

static int
sooner(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

int
ui_tick(struct ui *u)
{
	long long now = file_now_ms(), next;
	int left = -1;

	if (u->screen == NULL)
		return -1;
	if (u->listening && u->question.len == 0)
		take_keys(u, now);
	if (u->editor != NULL && editor_waits(u->editor) &&
	    editor_look(u->editor))
		ui_changed(u);
	if (u->question.len > 0 ||
	    (u->live && (u->status.on || u->editor != NULL))) {
		next = u->stale ? u->drawn + FRAME_MS : is_busy(u) &&
		    u->live && u->question.len == 0 ?
		    (u->drawn / SPIN_MS + 1) * SPIN_MS : -1;
		if (next >= 0 && next <= now) {
			compose(u, now);
			next = is_busy(u) && u->live ?
			    (now / SPIN_MS + 1) * SPIN_MS : -1;
		}
		left = next < 0 ? -1 : (int)(next - now);
	}
	left = sooner(left, screen_tick(u->screen, now));
	if (u->editor != NULL && editor_waits(u->editor))
		left = sooner(left, FRAME_MS);
	return u->listening ? sooner(left, keys_wait(&u->keys, now)) : left;
}

/* ---- what is going on ---- */

void
ui_status_doing(struct ui *u, const char *what)
{
	struct ui_status *s = &u->status;
	const char *had = s->doing != NULL ? s->doing : "";

	if (strcmp(had, what) == 0)
		return;
	free(s->doing);
	s->doing = what[0] != '\0' ? xstrdup(what) : NULL;
	s->since = file_now_ms();
	s->until = 0;
	ui_changed(u);
}

/* For as long as rows of ours stand there, or keys come to us. */
static void
watch_job(struct ui *u)
{
	if (u->job < 0 && (u->live || u->listening))
		u->job = job_watch();
}

static void
leave_job(struct ui *u)
{
	if (u->listening || u->status.on)
		return;
	job_leave(u->job);
	u->job = -1;
}

void
ui_begin_turn(struct ui *u, long long window)
{
	struct ui_status *s = &u->status;

	s->on = true;
	s->open = 0;
	s->steps = 0;
	s->since = file_now_ms();
	s->window = window;
	u->blocks = 0;
	u->streamed = u->answered = u->printing = false;
	watch_job(u);
	ui_status_doing(u, "");
	ui_changed(u);
}

void
ui_end_turn(struct ui *u)
{
	ui_thought(u);
	ui_break(u);
	ui_status_doing(u, "");
	u->printing = false;
	u->status.on = false;
	leave_job(u);
	buf_reset(&u->partial);
	if (u->screen == NULL)
		return;
	if (u->editor == NULL) {	/* nothing of ours is left */
		screen_live(u->screen, SLICE(""), 0, 0);
		screen_flush(u->screen);
	}
	ui_changed(u);
}

static void
take_name(char **at, struct slice value)
{
	char *name = scan_kind(value) == SCAN_STRING ? scan_strdup(value) :
	    NULL;

	if (name == NULL)
		return;
	free(*at);
	*at = name;
}

void
ui_where(struct ui *u, const char *model, const char *mode)
{
	struct ui_status *s = &u->status;

	if (model[0] != '\0') {
		free(s->model);
		s->model = xstrdup(model);
	}
	if (mode != NULL) {
		free(s->mode);
		s->mode = xstrdup(mode);
	}
	ui_changed(u);
}

void
ui_status_take(struct ui *u, const struct rec *r)
{
	struct ui_status *s = &u->status;
	struct slice cost = rec_get(r, "cost");
	int64_t in = 0, out = 0;

	if (r->kind == R_ASSISTANT) {
		s->steps++;
		s->open = msg_count_calls(rec_get(r, "tool_calls"));
	}
	if (r->kind == R_ASSISTANT && s->model == NULL)
		take_name(&s->model, msg_meta(r, "model"));
	s->open -= r->kind == R_TOOL && s->open > 0;
	if (r->kind == R_LIMIT && rec_int(r, "context_tokens", &in) && in > 0 &&
	    (s->window == 0 || in < s->window))
		s->window = in;
	if (r->kind == R_HAMR)
		take_name(&s->mode, rec_get(r, "mode"));
	if (r->kind == R_CONFIG) {
		take_name(&s->mode, scan_get(rec_get(r, "set"), "agent.mode"));
		take_name(&s->model, scan_get(rec_get(r, "set"),
		    "provider.model"));
	}
	if (r->kind == R_USER || r->kind == R_TOOL || r->kind == R_ERROR)
		u->streamed = false;
	ui_changed(u);
	if (r->kind != R_USAGE)
		return;
	rec_int(r, "prompt_tokens", &in);
	rec_int(r, "completion_tokens", &out);
	s->tokens = in + out;
	if (scan_kind(cost) == SCAN_NUMBER)
		s->cost += strtod(cost.p, NULL);
}

/* ---- what the model thinks, what a command prints ---- */

void
ui_think(struct ui *u, struct slice text)
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
ui_thought(struct ui *u)
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
	struct slice rest, line;

	term_escape(&safe, text);
	rest = buf_view(&safe);
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
		ui_note(u, "no command has printed anything yet");
		return;
	}
	ui_note(u, "  the last command printed:");
	print_dim(u, buf_view(&u->output));
}

void
ui_last_output(struct ui *u, size_t most)
{
	struct slice all = buf_view(&u->output), last = last_lines(all, most);
	size_t before = slice_newlines(slice_part(all, 0, all.n - last.n));
	const char *all_by = u->editor != NULL ? "; Ctrl-O shows all" :
	    u->at_once != NULL ? "; /output shows all" : "";

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
ui_sum(struct ui *u, const char *how, const struct track *t, long long ms)
{
	const struct usage *use = &t->usage;
	struct buf b = BUF_INIT(1 << 12);

	buf_adds(&b, how);
	add_count(&b, t->steps, "step", "");
	add_count(&b, t->started, "call", "");
	add_count(&b, (long long)t->nfiles, "file", " changed");
	if (use->prompt > 0) {
		buf_adds(&b, "  ");
		add_thousands(&b, use->prompt);
		buf_adds(&b, " in");
	}
	if (use->prompt > 0 && use->cached > 0)
		buf_fmt(&b, " (%lld %% cached)", (long long)(use->cached *
		    100 / use->prompt));
	if (use->completion > 0) {
		buf_adds(&b, "  ");
		add_thousands(&b, use->completion);
		buf_adds(&b, " out");
	}
	if (use->has_cost && use->cost > 0)
		buf_fmt(&b, use->cost < 0.1 ? "  $%.3f" : "  $%.2f",
		    use->cost);
	buf_adds(&b, "  ");
	add_clock(&b, ms);
	ui_note(u, "%s", b.p);
	if (ms > RING_MS)
		ui_ring(u, "the turn is over");
	buf_release(&b);
}

/* ---- the answer, as it comes ---- */

void
ui_stream(struct ui *u, struct slice text)
{
	struct buf final = BUF_INIT((size_t)1 << 40);
	size_t height = ui_height(u);

	u->streamed = u->answered = true;
	if (!u->markdown) {
		ui_output(u, text.p, text.n);
		return;
	}
	if (u->answer == NULL) {
		markdown_open();
		u->answer = markdown_new(ui_columns(u) - 1, height > 12 ?
		    height - 8 : TAIL_LEAST, u->color);
		*markdown_blocks(u->answer) = u->blocks;
	}
	markdown_add(u->answer, text, &final);
	if (final.len > 0)
		ui_emit(u, buf_view(&final));
	buf_release(&final);
	ui_changed(u);
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
	u->blocks = *markdown_blocks(u->answer);
	markdown_free(u->answer);
	u->answer = NULL;
	if (final.len > 0)
		ui_emit(u, buf_view(&final));
	buf_release(&final);
	ui_changed(u);
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
	struct slice all, line;
	const char *lf;

	buf_add(&u->partial, p, n);
	all = buf_view(&u->partial);
	lf = memrchr(all.p, '\n', all.n);
	line = (struct slice){ all.p, n == 0 || u->partial.over ? all.n :
	    lf != NULL ? (size_t)(lf + 1 - all.p) : 0 };
	ui_emit_text(u, line);
	buf_drop(&u->partial, line.n);
	if (u->partial.over) {
		u->partial.over = false;
		buf_reset(&u->partial);
		ui_emit_text(u, (struct slice){ p, n });
	}
	ui_changed(u);
}

void
ui_said(struct ui *u, const char *text)
{
	struct slice rest = slice_of(text), line;
	struct buf b = BUF_INIT((size_t)1 << 30);
	const char *lead = "> ";
	size_t cut;

	buf_addc(&b, '\n');
	for (size_t i = 0; i < SAID_LINES && b.len < SAID_BYTES &&
	    slice_line(&rest, &line); i++) {
		cut = utf8_cut(line.p, line.n, SAID_BYTES);
		buf_fmt(&b, "%s%s", u->color ? "\033[1m" : "", lead);
		term_escape(&b, (struct slice){ line.p, cut });
		buf_fmt(&b, "%s%s\n", cut < line.n ? "..." : "", PLAIN(u));
		lead = "  ";
	}
	if (rest.n > 0)
		buf_fmt(&b, "%s  [%zu more lines]%s\n", DIM(u),
		    slice_lines(rest), PLAIN(u));
	ui_print(u, &b);
}

void
ui_said_in(struct ui *u, const struct rec *message)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(rec_get(message, "content"), &text))
		ui_said(u, buf_view(&text).p);
	buf_release(&text);
}

/* ---- keys ---- */

void
ui_keys_on(struct ui *u)
{
	if (u->listening || u->screen == NULL)
		return;
	u->listening = screen_keys_on(u->screen, STDIN_FILENO);
	watch_job(u);
}

void
ui_keys_off(struct ui *u)
{
	if (!u->listening)
		return;
	screen_keys_off(u->screen);
	u->listening = false;
	leave_job(u);
}

void
ui_open_input(struct ui *u, const struct editor_options *o)
{
	if (!u->live)
		return;
	ui_keys_on(u);
	if (!u->listening)
		return;
	term_open_clusters();
	u->editor = editor_new(o);
	screen_query(u->screen);
	ui_changed(u);
}

void
ui_close_input(struct ui *u)
{
	if (u->editor == NULL)
		return;
	/* what was not sent is found in the history */
	ui_unsend(u);
	if (!editor_is_empty(u->editor))
		free(editor_take(u->editor));
	editor_free(u->editor);
	u->editor = NULL;
	ui_keys_off(u);
}

int
ui_keys_fd(const struct ui *u)
{
	return u->listening && !screen_in_front(u->screen) ? -1 :
	    STDIN_FILENO;
}

bool
ui_read_keys(struct ui *u)
{
	char part[65536];
	ssize_t n = read(STDIN_FILENO, part, sizeof part);

	if (n <= 0)
		return false;
	keys_add(&u->keys, (struct slice){ part, (size_t)n }, file_now_ms());
	if (u->question.len == 0)
		take_keys(u, file_now_ms());
	ui_hurry(u);
	ui_tick(u);
	return true;
}

char *
ui_take_sent(struct ui *u)
{
	char *text;

	if (u->sent.len == 0 || memchr(u->sent.p, '\0', u->sent.len) == NULL)
		return NULL;
	text = xstrdup(u->sent.p);
	buf_drop(&u->sent, strlen(text) + 1);
	ui_changed(u);
	return text;
}

char *
ui_take_queued(void *arg)
{
	struct ui *u = arg;
	size_t at = u->sent.len;
	char *text;

	if (at == 0)
		return NULL;
	for (at--; at > 0 && u->sent.p[at - 1] != '\0'; at--)
		;
	text = xstrdup(u->sent.p + at);
	u->sent.len = at;
	return text;
}

void
ui_unsend(struct ui *u)
{
	char **v = NULL;
	size_t n = 0, cap = 0;

	if (u->editor == NULL)
		return;
	for (char *text; (text = ui_take_sent(u)) != NULL; ) {
		GROW(v, n, cap);
		v[n++] = text;
	}
	editor_recall(u->editor, v, n);
	if (n > 1)
		ui_note(u, "%zu queued messages were not sent; Down shows the "
		    "next one", n);
	while (n > 0)
		free(v[--n]);
	free(v);
}

void
ui_clear_input(struct ui *u)
{
	static const struct key esc = { .name = KEY_ESC };

	editor_key(u->editor, &esc);
	ui_changed(u);
}

void
ui_lend(struct ui *u)
{
	if (u->screen != NULL)
		screen_suspend(u->screen);
}

void
ui_take_back(struct ui *u)
{
	if (u->screen != NULL)
		screen_resume(u->screen);
	ui_changed(u);
}

/* As Ctrl-Z does. */
static void
stop(struct ui *u)
{
	ui_lend(u);
	job_stop(u->job);
	ui_take_back(u);
}

void
ui_job(struct ui *u)
{
	int what = job_next(u->job);

	if ((what & JOB_RESIZED) != 0) {
		screen_resized(u->screen);
		if (u->answer != NULL)
			markdown_resize(u->answer, ui_columns(u) - 1,
			    ui_height(u) > 12 ? ui_height(u) - 8 : TAIL_LEAST);
	}
	if ((what & JOB_STOP) != 0)
		stop(u);
	else if ((what & JOB_GO) != 0) {
		ui_lend(u);
		ui_take_back(u);
	}
	ui_hurry(u);
}

void
ui_offer(struct ui *u, const char *text)
{
	static const struct key tab = { .name = KEY_TAB };

	editor_set(u->editor, slice_of(text));
	editor_key(u->editor, &tab);
	ui_hurry(u);
}

void
ui_edit_input(struct ui *u)
{
	char *text, *got;
	const char *why = NULL;

	if (u->editor == NULL)
		return;
	text = editor_text(u->editor);
	got = ui_edit(u, slice_of(text), ".md", &why);
	if (got == NULL) {
		ui_note(u, "%s", why);
	} else {
		size_t n = strlen(got);

		n -= n > 0 && got[n - 1] == '\n';
		editor_set(u->editor, (struct slice){ got, n });
	}
	free(got);
	free(text);
}

void
ui_event(struct ui *u, enum editor_event event)
{
	char *text;

	switch (event) {
	case EDITOR_SEND:
		text = editor_take(u->editor);
		u->aside = is_busy(u);
		if (!u->aside || u->at_once == NULL ||
		    !u->at_once(u->at_once_arg, text))
			buf_add(&u->sent, text, strlen(text) + 1);
		u->aside = false;
		free(text);
		break;
	case EDITOR_ESC:
		u->interrupted |= is_busy(u);
		break;
	case EDITOR_INTERRUPT:
		u->interrupted = true;
		break;
	case EDITOR_QUIT:
		u->leaving = true;
		break;
	case EDITOR_SUSPEND:
		stop(u);
		break;
	case EDITOR_EXTERNAL:
		ui_edit_input(u);
		break;
	case EDITOR_OUTPUT:
	case EDITOR_THINKING:
		u->aside = u->status.on;
		if (event == EDITOR_OUTPUT)
			ui_show_output(u);
		else
			ui_show_thinking(u);
		u->aside = false;
		break;
	case EDITOR_REDRAW:
		screen_redraw(u->screen);
		break;
	case EDITOR_TOO_LONG:
		ui_note(u, "a paste of more than 16 MiB was not taken");
		break;
	default:
		break;
	}
	ui_changed(u);
}
