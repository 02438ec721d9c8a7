/* ui_show.c - what a person sees of a run: calm progress on stderr. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "msg.h"
#include "ui_in.h"
#include "utf8.h"

void
ui_emit(struct ui *u, const char *p, size_t n)
{
	ui_status_hide(u);
	if (file_write_all(STDERR_FILENO, p, n) < 0)
		return;		/* nobody left to tell */
	if (!u->midline)
		ui_status_draw(u);
}

void
ui_break(struct ui *u)
{
	if (!u->midline)
		return;
	u->midline = false;
	ui_emit(u, "\n", 1);
}

static bool
silent(const struct ui *u)
{
	return u->quiet || u->json;
}

/* Harmless, and on a terminal in lines that end between words. */
static void
add_text(const struct ui *u, struct buf *b, const char *p, size_t n)
{
	struct ui_fold f = { .at = 0 };
	struct buf safe = BUF_INIT(4 * BUF_RECORD_MAX);

	if (!u->live) {
		ui_safe(b, p, n);
		return;
	}
	ui_safe(&safe, p, n);
	ui_fold(&f, buf_view(&safe).p, safe.len, b);
	buf_release(&f.word);
	buf_release(&safe);
}

void
ui_note(struct ui *u, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(4 * BUF_RECORD_MAX);
	va_list ap;

	if (silent(u))
		return;
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	if (u->color)
		buf_adds(&b, "\033[2m");
	add_text(u, &b, buf_view(&raw).p, raw.len);
	buf_adds(&b, u->color ? "\033[0m\n" : "\n");
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&raw);
	buf_release(&b);
}

/* A terminal is given only what cannot steer it; a file all of it. */
void
ui_overheard(struct ui *u, const char *p, size_t n)
{
	struct buf b = BUF_INIT((size_t)1 << 20);

	if (u->tty_err)
		ui_safe(&b, p, n);
	else
		buf_add(&b, p, n);
	buf_addc(&b, '\n');
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&b);
}

static void
remember_calls(struct ui *u, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct walk w;
	struct call c;

	if (scan_kind(calls) != SCAN_ARRAY)
		return;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c)) {
		u->seen = xgrow(u->seen, u->nseen, &u->capseen,
		    sizeof *u->seen);
		u->seen[u->nseen++] = (struct ui_call){
		    ui_call_what(c.name, c.args), scan_strdup(c.args) };
		*map_put(&u->calls, c.id.p != NULL ? c.id : SLICE(""), NULL) =
		    u->nseen;
	}
}

static void
show_result(struct ui *u, const struct rec *r)
{
	uint64_t *at = map_get(&u->calls, rec_get(r, "tool_call_id"));

	ui_call_result(u, at != NULL && *at != 0 ? u->seen[*at - 1].what :
	    "?", r);
	ui_call_diff(u, r);
}

/* What comes with calls; the last answer goes to stdout.  Text that was shown
 * while it came is not shown again. */
static void
show_text(struct ui *u, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (!u->streamed && msg_count_calls(rec_get(r, "tool_calls")) > 0 &&
	    msg_text(rec_get(r, "content"), &b) && b.len > 0)
		ui_note(u, "%s", b.p);
	buf_release(&b);
}

static void
show_event(struct ui *u, const struct rec *r, const char *what,
    const char *first, const char *second)
{
	char *a = rec_strdup(r, first), *b = rec_strdup(r, second);

	ui_note(u, "  %s %s: %s", what, a != NULL ? a : "?", b != NULL ? b :
	    "");
	free(a);
	free(b);
}

static void
show_start(struct ui *u, const struct rec *r)
{
	uint64_t *at = map_get(&u->calls, rec_get(r, "tool_call_id"));

	if (at != NULL && *at != 0)
		ui_status_doing(u, u->seen[*at - 1].what);
}

void
ui_committed(struct ui *u, const struct rec *r)
{
	if (u->json) {
		ui_json_line(u, r);
		return;
	}
	ui_status_take(u, r);
	if (u->quiet)
		return;
	switch (r->kind) {
	case R_ASSISTANT:
		ui_trouble_over(u);
		ui_break(u);
		show_text(u, r);
		remember_calls(u, r);
		ui_status_doing(u, "");
		break;
	case R_START:
		show_start(u, r);
		break;
	case R_TOOL:
		show_result(u, r);
		ui_status_doing(u, "");
		break;
	case R_VERDICT:
		show_event(u, r, "guard", "action", "rule");
		break;
	case R_ERROR:
		if (!ui_trouble(u, r))
			show_event(u, r, "error", "code", "message");
		break;
	case R_RECOVERY:
		if (rec_str_is(r, "scenario", "provider_down"))
			break;		/* the wait was told */
		show_event(u, r, "recovery", "scenario", "stage");
		break;
	case R_VERIFICATION:
		show_event(u, r, "verification", "status", "command");
		break;
	default:
		break;
	}
}

/* The answer as it is written, on a terminal. */
static void
stream(struct ui *u, const struct rec *r)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), safe =
	    BUF_INIT(BUF_RECORD_MAX), b = BUF_INIT(BUF_RECORD_MAX);

	if (!rec_str_is(r, "kind", "content")) {
		ui_status_doing(u, rec_str_is(r, "kind", "reasoning") ?
		    "thinking" : "writing a call");
		return;
	}
	if (scan_str(rec_get(r, "text"), &text) && text.len > 0) {
		if (!u->midline)
			ui_fold_reset(&u->fold);
		ui_safe(&safe, text.p, text.len);
		ui_fold(&u->fold, safe.p, safe.len, &b);
		u->midline = b.p[b.len - 1] != '\n';
		u->streamed = true;
		ui_emit(u, b.p, b.len);
	}
	buf_release(&text);
	buf_release(&safe);
	buf_release(&b);
}

void
ui_passing(struct ui *u, const struct rec *r)
{
	char *text;

	if (u->json) {
		ui_json_line(u, r);
		return;
	}
	if (r->kind == R_DELTA && u->live)
		stream(u, r);
	if (r->kind != R_PROGRESS || ui_waiting(u, r) || ui_trouble(u, r))
		return;
	text = rec_strdup(r, "message");
	if (text == NULL)
		text = rec_strdup(r, "text");
	if (text != NULL)
		ui_note(u, "  %s", text);
	free(text);
}
