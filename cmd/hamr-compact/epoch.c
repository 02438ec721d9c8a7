/* epoch.c - when to compact, and how far. */
#include <stdlib.h>
#include <string.h>

#include "epoch.h"

/* Chapter 8.2 of the specification. */
static const struct strategy strategies[] = {
	{ "aggressive", 45, 20, false },
	{ "moderate", 60, 30, false },
	{ "balanced", 75, 30, false },
	{ "light", 90, 35, true },
	{ "none", 0, 0, false },
	{ "off", 0, 0, false },
};

static const struct row rows[] = {
	{ "1", 100, 8000, false },
	{ "2", 60, 8000, false },
	{ "2b", 40, 8000, false },
	{ "3", 25, 1200, true },
};

#define ROWS (sizeof rows / sizeof *rows)
#define TAIL_PERCENT 15		/* of B, and keep_recent_tokens */
#define STEPS_PERCENT 40	/* of B, for keep_recent_tool_turns */
#define SLIM_PERCENT 8		/* of B: more is folded, to the half of it */
#define CONTEXT_PERCENT 10	/* of B: context kept when it is folded */
#define B_UNLIMITED 122880	/* for a demand when there is no limit */

const struct strategy *
strategy_named(const char *name)
{
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
		if (strcmp(name, strategies[i].name) == 0)
			return &strategies[i];
	return NULL;
}

const struct row *
epoch_row(size_t k)
{
	return k < ROWS ? &rows[k] : NULL;
}

const char *
epoch_stage(const struct compact *c)
{
	return c->epoch.number > 0 ? rows[c->epoch.row].stage : "0";
}

static long
part(long whole, long percent)
{
	return whole / 100 * percent + whole % 100 * percent / 100;
}

static long
effective(const struct compact *c)
{
	return c->budget.effective > 0 ? c->budget.effective : B_UNLIMITED;
}

long
epoch_trigger(const struct compact *c)
{
	long b = c->budget.effective, high = part(b, c->strategy->high);
	long next = c->epoch.base + part(b, 10), most = part(b, 97);

	if (c->epoch.base == 0 || next < high)
		return high;
	if (next <= most)
		return next;
	return c->epoch.base < most ? most : c->epoch.base + part(b, 3);
}

/* ---- choosing ---- */

size_t
epoch_system(const struct compact *c)
{
	return view_nodes(c->view) > 0 &&
	    view_node(c->view, 0)->kind == VIEW_SYSTEM;
}

/* The last node from `stop` on that has calls, or n. */
static size_t
newest_step(const struct compact *c, size_t stop)
{
	size_t n = view_nodes(c->view);

	for (size_t i = n; i > stop; i--)
		if (view_node(c->view, i - 1)->ncalls > 0)
			return i - 1;
	return n;
}

/* Where the verbatim tail begins: as many nodes from the end as fit, or hold
 * the newest keep_recent_tool_turns steps within 40 % of B.  The last node
 * and (but at stage 3) one step always; never what was shown slim before. */
static size_t
tail_from(const struct compact *c, const struct row *row)
{
	size_t n = view_nodes(c->view), i, steps = 0;
	size_t want = (size_t)conf_int(c->conf,
	    "context.keep_recent_tool_turns");
	size_t stop = c->epoch.thin > epoch_system(c) ? c->epoch.thin :
	    epoch_system(c), step = newest_step(c, stop);
	long b = effective(c), most = part(b, TAIL_PERCENT), size = 0;
	long keep = (long)conf_int(c->conf, "context.keep_recent_tokens");

	if (keep < most)
		most = keep;
	most = part(most, row->tail);
	b = part(part(b, STEPS_PERCENT), row->tail);
	for (i = n; i > stop; i--) {
		const struct view_node *node = view_node(c->view, i - 1);
		bool must = i == n || (i > step && !row->slim_tail);

		size += compact_tokens(c, node->full);
		if (!must && size > most &&
		    (step == n || steps >= want || size > b ||
		    row->slim_tail))
			break;
		steps += node->ncalls > 0;
	}
	return i < n ? i : n - 1;
}

/* How far the oldest nodes are folded: not at all while the slim region is
 * small, else until half of what it may be is left. */
static size_t
fold_to(const struct compact *c, size_t tail)
{
	size_t from = c->epoch.fold > 0 ? c->epoch.fold : epoch_system(c);
	long most = part(effective(c), SLIM_PERCENT);
	uint64_t sum = 0;

	for (size_t i = from; i < tail; i++)
		sum += view_node(c->view, i)->thin;
	if (compact_tokens(c, sum) <= most)
		return c->epoch.fold;
	while (from < tail && compact_tokens(c, sum) > most / 2)
		sum -= view_node(c->view, from++)->thin;
	return from;
}

/* The first node of the last tool step: stage 3 shows what is before it
 * slim. */
size_t
epoch_last_step(const struct compact *c, size_t tail)
{
	size_t i = view_nodes(c->view);

	while (i > tail)
		if (view_node(c->view, --i)->ncalls > 0)
			return i;
	return tail;
}

void
epoch_show(struct compact *c, size_t fold, size_t thin, size_t cap)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct summary_room room = { cap, part(effective(c),
		CONTEXT_PERCENT), c->family };

	if (fold > 0) {
		summary_fold(c->summary, c->view, fold);
		summary_print(c->summary, &room, &text);
	}
	view_show(c->view, fold, buf_view(&text), thin);
	c->anchor.set = c->anchor.open = false;
	buf_release(&text);
}

/* Show the view as the row says; false when that changes nothing. */
static bool
try_row(struct compact *c, size_t k, size_t fold, size_t tail)
{
	const struct row *row = &rows[k];
	size_t thin = row->slim_tail ? epoch_last_step(c, tail) : tail;
	struct epoch *e = &c->epoch;

	if (fold == e->fold && thin == e->thin && (fold == 0 ||
	    (row->summary_cap == e->summary_cap)))
		return false;
	epoch_show(c, fold, thin, row->summary_cap);
	e->row = k;
	e->fold = fold;
	e->tail = tail;
	e->thin = thin;
	e->summary_cap = row->summary_cap;
	return true;
}

/* The size at which a stage is taken to be enough. */
static long
enough(const struct compact *c)
{
	long high = part(effective(c), c->strategy->high) / 10 * 9;
	long most = part(effective(c), 80);

	return high > most ? high : most;
}

/* Try the rows from k on until one is enough; true when any changed the
 * view. */
static bool
try_rows(struct compact *c, size_t k)
{
	bool changed = false;

	for (; k < ROWS; k++) {
		size_t tail = tail_from(c, &rows[k]);

		if (c->strategy->stubs_first && k == 0 &&
		    try_row(c, k, c->epoch.fold, tail)) {
			changed = true;
			if (compact_size(c) <= part(effective(c), 50))
				break;
		}
		if (try_row(c, k, fold_to(c, tail), tail))
			changed = true;
		if (changed && compact_size(c) <= enough(c))
			break;
	}
	return changed;
}

/* A new epoch, from row k on.  One that would gain next to nothing is not
 * begun, and not tried again soon. */
static void
run_rows(struct compact *c, size_t k)
{
	struct epoch was = c->epoch;
	struct anchor anchor = c->anchor;
	long size = compact_size(c), before, after, least;

	c->anchor.set = false;		/* compare estimate with estimate */
	before = compact_size(c);
	if (!try_rows(c, k)) {
		c->anchor = anchor;
		c->epoch.base = size;
		return;
	}
	after = compact_size(c);
	least = c->demand ? 0 : part(effective(c), 2);
	if (after >= before - least) {
		epoch_show(c, was.fold, was.thin, was.summary_cap);
		c->epoch = was;
		c->epoch.base = size;
		c->anchor = anchor;
		return;
	}
	c->epoch.number++;
	c->epoch.before = size;
	c->epoch.after = c->epoch.base = after;
	c->epoch.messages_in = view_records(c->view);
	c->epoch.recorded = c->epoch.written = false;
	c->demand = false;
}

/* A demand goes one stage further than what is shown. */
static size_t
first_row(const struct compact *c)
{
	size_t k = c->epoch.number > 0 ? c->epoch.row + 1 : 0;

	if (!c->demand)
		return 0;
	return k < ROWS ? k : ROWS - 1;
}

bool
epoch_decide(struct compact *c)
{
	long b = c->budget.effective, size = compact_size(c);

	if (c->strategy->high > 0 && view_nodes(c->view) > 0 &&
	    (c->demand || (b > 0 && (size > b || size > epoch_trigger(c)))))
		run_rows(c, first_row(c));
	return b == 0 || compact_size(c) <= b;
}
