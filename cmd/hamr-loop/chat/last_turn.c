/* last_turn.c - the last turn of a session that is resumed, shown again. */
#include "internal.h"
#include "pages.h"
#include "record/msg.h"
#include "tokens/budget.h"

#define CALLS_SHOWN 20		/* the last ones */

struct last_turn {
	struct chat *c;
	long turns, calls;
	long line, from;	/* it begins at that line, from 1 */
	size_t blocks;		/* of code, shown */
};

/* Where it begins; meanwhile the row at the bottom learns of all there was. */
static void
find(void *arg, const struct rec *r)
{
	struct last_turn *l = arg;

	l->line++;
	ui_status_take(&l->c->run->ui, r);
	if (msg_is_person(r) && !msg_by(r, "shell") &&
	    !scan_true(msg_meta(r, "steering"))) {
		l->turns++;
		l->calls = 0;
		l->from = l->line;
	}
	l->calls += r->kind == R_TOOL;
}

/* What the model said, which was streamed then. */
static void
show_answer(struct last_turn *l, struct slice content)
{
	struct ui *u = &l->c->run->ui;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice words;

	msg_text(content, &text);
	words = slice_trim(buf_view(&text));
	if (words.n > 0 && u->live && u->markdown)
		ui_rows(u, words, &l->blocks);
	else if (words.n > 0)
		ui_lines(u, words);
	u->streamed = true;
	buf_release(&text);
}

static void
show(void *arg, const struct rec *r)
{
	struct last_turn *l = arg;
	struct ui *u = &l->c->run->ui;

	if (++l->line < l->from)
		return;
	if (r->kind == R_USER) {
		if (msg_is_person(r))
			ui_said_in(u, r);
		if (l->calls > CALLS_SHOWN)
			ui_note(u, "  ... %ld earlier calls",
			    l->calls - CALLS_SHOWN);
	} else if (r->kind == R_ASSISTANT) {
		show_answer(l, l->calls > CALLS_SHOWN ? SLICE("") :
		    rec_get(r, "content"));
		ui_committed(u, r);
	} else if (l->calls > CALLS_SHOWN) {
		l->calls -= r->kind == R_TOOL;
	} else if (r->kind == R_ERROR) {
		show_answer(l, scan_get(rec_get(r, "partial"), "content"));
	} else if (r->kind == R_TOOL || r->kind == R_VERDICT ||
	    r->kind == R_RECOVERY || r->kind == R_VERIFICATION) {
		ui_committed(u, r);
	} else if (r->kind == R_END) {
		run_tell_last(l->c->run, r);
	}
}

void
chat_show_last_turn(struct chat *c)
{
	struct ui *u = &c->run->ui;
	struct last_turn l = { .c = c };

	u->status.tokens = 0;
	u->status.cost = 0;
	u->status.window = budget_from(c->run->conf, -1).effective;
	see_records(c, find, &l);
	if (l.turns > 1)
		ui_note(u, "  ... %ld earlier turn%s; /export writes all of "
		    "them to a file", l.turns - 1, plural(l.turns - 1));
	l.line = 0;
	if (l.from > 0)
		see_records(c, show, &l);
	ui_status_doing(u, "");
}
