/* ledger_view.c - the working context: what of it stands in the request.
 *
 * The view has one result per call, in order, and leaves out the oldest; so
 * the results of a request are those of the last calls, counted from its end.
 */
#include <stdlib.h>
#include <string.h>

#include "msg.h"

#include "ledger.h"

/* A repeated id is shown with a number behind it, a missing one made up. */
static bool
is_call(const struct ledger_call *c, struct slice id)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool is;

	scan_str(id, &b);
	is = slice_starts(buf_view(&b), c->id);
	buf_release(&b);
	return is;
}

static bool
holds(const struct buf *shown, size_t n, uint64_t hash)
{
	return shown->len >= n && ledger_hash(shown->p, n) == hash;
}

static void
look_result(struct ledger_call *c, struct slice m)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	msg_text(scan_get(m, "content"), &text);
	if (slice_starts(buf_view(&text), "[elided "))
		c->shown = SHOWN_STUB;
	else if (holds(&text, c->text, c->text_hash))
		c->shown = SHOWN_WHOLE;
	else
		c->shown = SHOWN_CUT;
	buf_release(&text);
}

static void
look_given(struct ledger_call *c, const struct call *shown)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	scan_str(shown->args, &text);
	c->given_shown = text.len == c->given &&
	    holds(&text, c->given, c->given_hash);
	buf_release(&text);
}

/* Through the messages; `first` is the call whose result comes first. */
static void
look_messages(struct ledger *l, struct slice messages, size_t first)
{
	size_t result = first, given = first;
	struct walk w, in;
	struct slice m;
	struct call c;

	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		if (scan_str_is(scan_get(m, "role"), "tool")) {
			if (result < l->ncalls && is_call(&l->calls[result],
			    scan_get(m, "tool_call_id")))
				look_result(&l->calls[result], m);
			result++;
			continue;
		}
		walk_in(&in, scan_get(m, "tool_calls"));
		while (msg_next_call(&in, &c)) {
			if (given < l->ncalls)
				look_given(&l->calls[given], &c);
			given++;
		}
	}
}

static void
count(const struct ledger *l, size_t first, struct ledger_view *v)
{
	size_t turn = 0, step = 0;	/* the last ones that lost something */

	for (size_t i = 0; i < l->ncalls; i++) {
		const struct ledger_call *c = &l->calls[i];
		bool lost = i < first || c->shown == SHOWN_STUB;

		if (lost && c->turn > turn)
			turn = c->turn;
		if (lost && c->step > step)
			step = c->step;
		if (c->done && lost)
			v->compacted++;
		if (c->done && !lost)
			v->whole++;
	}
	v->turns_kept = l->turns - turn;
	v->steps_kept = l->steps - step;
}

void
ledger_look(struct ledger *l, struct slice messages, struct ledger_view *v)
{
	size_t results = 0, first;
	struct slice m;
	struct walk w;

	*v = (struct ledger_view){ 0 };
	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		v->messages++;
		results += scan_str_is(scan_get(m, "role"), "tool");
	}
	first = results < l->ncalls ? l->ncalls - results : 0;
	for (size_t i = 0; i < l->ncalls; i++) {
		l->calls[i].shown = SHOWN_NOT;
		l->calls[i].given_shown = false;
	}
	look_messages(l, messages, first);
	count(l, first, v);
}
