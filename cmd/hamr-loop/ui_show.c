/* ui_show.c - what a person sees of a run: calm progress on stderr. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "term.h"
#include "ui_in.h"

static void
remember_calls(struct ui *u, const struct rec *r)
{
	struct walk w;
	struct call c;

	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		u->seen = xgrow(u->seen, u->nseen, &u->capseen,
		    sizeof *u->seen);
		u->seen[u->nseen++] = (struct ui_call){
		    ui_call_what(c.name, c.args), scan_strdup(c.args) };
		*map_put(&u->calls, c.id.p != NULL ? c.id : SLICE(""), NULL) =
		    u->nseen;
	}
}

void
ui_recall(struct ui *u, const struct rec *r)
{
	ui_forget(u);
	if (u->tty_err || (!u->json && !u->quiet))
		remember_calls(u, r);
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

	ui_note(u, "  %s %s%s%s", what, a != NULL ? a : "?", b != NULL ? ": " :
	    "", b != NULL ? b : "");
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
	/* where nothing else is shown they may be asked about */
	if ((u->json || u->quiet) && u->tty_err && r->kind == R_ASSISTANT)
		remember_calls(u, r);
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
		term_escape(&safe, buf_view(&text));
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
