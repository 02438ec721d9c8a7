/* epoch.c - when to compact, and how far: which nodes are folded, which slim,
 * which in full.
 */
#include <limits.h>

#include "base/num.h"

#include "internal.h"

#define BYTES_PER_TOKEN 4	/* of a summary */
#define SUMMARY_SMALL 1400	/* bytes it may have in a small window, unless
				 * summary_print finds too many tokens */
#define FILLED_PERCENT 95	/* of B: room for the next step */
#define B_UNLIMITED 122880	/* B of a demanded epoch without a limit */

const struct stage_rule stage_rules[STAGES] = {
	{ "1", 100, 8000, false },
	{ "2", 60, 8000, false },
	{ "2b", 40, 8000, false },
	{ "3", 25, 1200, true },
};

/* The aims of a strategy without a low mark, by the room that there is,
 * measured by bench/judge-compact.  In little room three steps take most of it,
 * and older edits are needed more often than their output; stubs are folded at
 * once.  At each epoch servers read kept items again, and in little room the
 * next epoch comes soon: only young items are worth that. */
static const struct {
	long below;		/* the room is smaller than this */
	long low, oldest, steps, slim;
} aims[] = {
	{ 10000, 57, 43, 16, 2 },
	{ 20000, 55, 90, 16, 2 },
	{ 40000, 57, 175, STEPS_PERCENT, SLIM_PERCENT },
	{ 100000, 45, 1000, STEPS_PERCENT, SLIM_PERCENT },
	{ LONG_MAX, 45, 4000, STEPS_PERCENT, SLIM_PERCENT },
};

const char *
epoch_stage(const struct compact *c)
{
	return c->epoch.number > 0 ? stage_rules[c->epoch.rule].stage : "0";
}

long
epoch_window(const struct compact *c)
{
	return c->budget.effective > 0 ? c->budget.effective : B_UNLIMITED;
}

long
epoch_ceiling(const struct compact *c)
{
	long high = c->set.strategy->high;

	return percent_of(epoch_window(c), high < FILLED_PERCENT ? high :
	    FILLED_PERCENT);
}

size_t
epoch_system(const struct compact *c)
{
	return c->view->n > 0 &&
	    c->view->nodes[0].kind == VIEW_SYSTEM;
}

/* The high mark, or STEP_PERCENT of B above what the last epoch left, whichever
 * is larger, but never above B. */
long
epoch_trigger(const struct compact *c)
{
	long b = c->budget.effective;
	long high = percent_of(b, c->set.strategy->high);
	long next = c->epoch.base + percent_of(b, STEP_PERCENT);

	if (c->epoch.base == 0 || next < high)
		return high;
	return next < b ? next : b;
}

long
epoch_room(const struct compact *c)
{
	long b = epoch_window(c);

	if (c->set.strategy->low > 0)
		return b;
	b -= compact_tokens(c, c->tools_sum + (epoch_system(c) > 0 ?
	    c->view->nodes[0].full : 0));
	return b > 0 ? b : 0;
}

struct aim
epoch_aim(const struct compact *c)
{
	long room = epoch_room(c);
	size_t i = 0;

	if (c->set.strategy->low > 0)
		return (struct aim){ 0, c->set.strategy->low, LONG_MAX,
			STEPS_PERCENT, SLIM_PERCENT, SUMMARY_PERCENT };
	while (room >= aims[i].below)
		i++;
	return (struct aim){ 2, aims[i].low, aims[i].oldest, aims[i].steps,
		aims[i].slim, 6 };
}

long
epoch_low(const struct compact *c)
{
	long room = epoch_room(c);

	return epoch_window(c) - room + percent_of(room, epoch_aim(c).low);
}

size_t
summary_cap(const struct compact *c, const struct stage_rule *rule)
{
	long most = percent_of(epoch_window(c), epoch_aim(c).summary) *
	    BYTES_PER_TOKEN;

	if (most < SUMMARY_SMALL)
		most = SUMMARY_SMALL;
	return num_min((size_t)most, rule->summary_cap);
}

/* ---- how a stage shows each part ---- */

/* A node that was shown slim never returns to the tail. */
static size_t
tail_limit(const struct compact *c)
{
	return c->epoch.slim > epoch_system(c) ? c->epoch.slim :
	    epoch_system(c);
}

size_t
epoch_steps_from(const struct compact *c, size_t steps, size_t stop)
{
	size_t i = c->view->n;

	while (i > stop && steps > 0)
		steps -= c->view->nodes[--i].ncalls > 0;
	return i;
}

/* The start of the verbatim tail: as many whole turns from the end as fit, but
 * at least the newest keep_recent_tool_turns steps within 40 % of the room.  It
 * always includes the last node and, except at stage 3, one step. */
static size_t
tail_of(const struct compact *c, const struct stage_rule *rule)
{
	size_t n = c->view->n, i, steps = 0, first = n;
	size_t want = (size_t)c->set.budget.keep_steps, stop = tail_limit(c);
	long b = epoch_room(c), most = percent_of(b, TAIL_PERCENT);
	long size = 0;
	size_t step = epoch_steps_from(c, 1, stop);

	if (step < n && c->view->nodes[step].ncalls == 0)
		step = n;	/* there is none */
	if (c->set.budget.keep_tokens < most)
		most = c->set.budget.keep_tokens;
	most = percent_of(most, rule->tail);
	b = percent_of(percent_of(b, epoch_aim(c).steps), rule->tail);
	for (i = n; i > stop; i--) {
		const struct view_node *node = &c->view->nodes[i - 1];
		bool must = i == n || (i > step && !rule->slim_tail);

		size += compact_tokens(c, node->full);
		if (!must && size > most &&
		    (step == n || steps >= want || size > b ||
		    rule->slim_tail))
			break;
		steps += node->ncalls > 0;
		if (node->ncalls > 0 && (steps <= want || steps == 1))
			first = i - 1;
	}
	for (; !rule->slim_tail && i < first; i++) {
		const struct view_node *node = &c->view->nodes[i];

		if (node->kind == VIEW_USER && node->person)
			break;		/* a turn begins */
	}
	return i < n ? i : n - 1;
}

void
epoch_show(struct compact *c, size_t fold, size_t slim, size_t cap)
{
	struct epoch *e = &c->epoch;

	buf_reset(&c->folded);
	if (fold > 0) {
		summary_fold(c->summary, c->view, fold);
		summary_print(c, cap, &c->folded);
	}
	if (fold != e->fold || (fold > 0 && cap != e->summary_cap))
		c->changed = num_min(c->changed, epoch_system(c));
	c->changed = num_min(c->changed, num_min(slim, e->slim));
	view_show(c->view, fold, buf_view(&c->folded), slim);
	e->fold = fold;
	e->slim = slim;
	e->summary_cap = cap;
	c->anchor.set = c->anchor.open = false;
}

/* ---- one stage after the other ---- */

/* Apply stage k to the view.  False if that changes nothing. */
static bool
try_stage(struct compact *c, size_t k, size_t fold, size_t tail)
{
	const struct stage_rule *rule = &stage_rules[k];
	size_t slim = rule->slim_tail ? epoch_steps_from(c, 1, tail) : tail;
	struct epoch *e = &c->epoch;
	size_t was = e->summary_cap;
	uint64_t sum = view_sum(c->view);
	size_t cap = summary_cap(c, rule);
	bool same = fold == e->fold && slim == e->slim &&
	    (fold == 0 || cap == e->summary_cap);

	if (!same)
		epoch_show(c, fold, slim, cap);
	if (rule->slim_tail && compact_size(c) > epoch_ceiling(c))
		epoch_cut(c, slim, CUT_PERCENT);
	for (cap = SUMMARY_IMAGES; rule->slim_tail && fold > 0 && cap >=
	    SUMMARY_LEAST && compact_size(c) > percent_of(epoch_window(c),
	    FILLED_PERCENT); cap--)
		epoch_show(c, fold, slim, cap);
	/* tools and a task may leave less than that for results */
	for (long share = CUT_PERCENT / 2; rule->slim_tail && share > 0 &&
	    compact_size(c) > epoch_window(c); share /= 2)
		epoch_cut(c, slim, share);
	if (same && sum == view_sum(c->view) && was == e->summary_cap)
		return false;
	e->rule = k;
	e->tail = tail;
	return true;
}

/* Apply stages from k on until one suffices.  True if any changed the view. */
static bool
try_stages(struct compact *c, size_t k)
{
	long b = epoch_window(c), enough = percent_of(b, 80);
	long high = percent_of(b, c->set.strategy->high) / 10 * 9;
	long most = percent_of(epoch_room(c), epoch_aim(c).slim);
	bool changed = false;

	if (high > enough)
		enough = high;
	for (; k < STAGES; k++) {
		size_t tail = tail_of(c, &stage_rules[k]);
		uint64_t sum = 0;

		if (c->set.strategy->stubs_first && k == 0 &&
		    try_stage(c, k, c->epoch.fold, tail)) {
			changed = true;
			if (compact_size(c) <= percent_of(b, 50))
				break;
		}
		/* fold nothing more while the slim region is small, otherwise
		 * the oldest nodes until it is half of what it may be */
		size_t from = c->epoch.fold > 0 ? c->epoch.fold :
		    epoch_system(c);
		for (size_t i = from; i < tail; i++)
			sum += c->view->nodes[i].thin;
		if (compact_tokens(c, sum) <= most)
			from = c->epoch.fold;
		else
			while (from < tail &&
			    compact_tokens(c, sum) > most / 2)
				sum -= c->view->nodes[from++].thin;
		if (try_stage(c, k, from, tail))
			changed = true;
		if (changed && compact_size(c) <= enough)
			break;
	}
	return changed;
}

static void
begin_epoch(struct compact *c, long before)
{
	c->epoch.number++;
	c->epoch.before = before;
	c->epoch.after = c->epoch.base = compact_size(c);
	c->epoch.messages_in = c->view->records;
	c->epoch.recorded = c->epoch.written = false;
}

bool
compact_decide(struct compact *c)
{
	long b = c->budget.effective, size = compact_size(c);
	size_t k = epoch_aim(c).stage, slim = 0;
	struct anchor anchor = c->anchor;
	uint64_t sum = view_sum(c->view);

	if (c->decided)
		return c->fits;
	if (c->set.strategy->high > 0 && c->view->n > 0) {
		/* at each model call, only the newest steps stay in full */
		if (c->set.every_call)
			slim = epoch_steps_from(c,
			    (size_t)c->set.budget.keep_steps, tail_limit(c));
		if (slim > c->epoch.slim) {
			epoch_show(c, c->epoch.fold, slim,
			    c->epoch.summary_cap > 0 ? c->epoch.summary_cap :
			    summary_cap(c, &stage_rules[0]));
			c->epoch.tail = slim;
			if (view_sum(c->view) == sum)
				c->anchor = anchor;	/* nothing to elide */
			else
				begin_epoch(c, size);
			size = compact_size(c);
		}
		if (c->demand && c->epoch.number > 0)	/* one stage further */
			k = c->epoch.rule + 1 < STAGES ? c->epoch.rule + 1 :
			    STAGES - 1;
		if (c->demand || (b > 0 && (size > b ||
		    size > epoch_trigger(c)))) {
			/* compare estimate with estimate */
			anchor = c->anchor;
			c->anchor.set = false;
			bool had = epoch_drop_kept(c);
			if (try_stages(c, k) || had) {
				if (!c->demand && !c->set.every_call)
					epoch_refill(c);
				begin_epoch(c, size);
			} else {	/* do not try again soon */
				c->anchor = anchor;
				c->epoch.base = size;
			}
		}
	}
	c->decided = true;
	c->demand = false;
	c->fits = b == 0 || compact_size(c) <= b;
	return c->fits;
}
