/* epoch_shape.c - which nodes are folded, which slim, which in full. */
#include "epoch.h"

#define CONTEXT_PERCENT 10	/* of B: context kept when it is folded */
#define B_UNLIMITED 122880	/* for a demand when there is no limit */

long
epoch_part(long whole, long percent)
{
	return whole / 100 * percent + whole % 100 * percent / 100;
}

long
epoch_window(const struct compact *c)
{
	return c->budget.effective > 0 ? c->budget.effective : B_UNLIMITED;
}

size_t
epoch_system(const struct compact *c)
{
	return view_nodes(c->view) > 0 &&
	    view_node(c->view, 0)->kind == VIEW_SYSTEM;
}

/* What was shown slim once is never in the tail again. */
static size_t
tail_limit(const struct compact *c)
{
	return c->epoch.thin > epoch_system(c) ? c->epoch.thin :
	    epoch_system(c);
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

static bool
begins_turn(const struct compact *c, size_t i)
{
	const struct view_node *node = view_node(c->view, i);

	return node->kind == VIEW_USER && node->person;
}

/* Where the verbatim tail begins: as many whole turns from the end as fit, but
 * not less than the newest keep_recent_tool_turns steps within 40 % of B.  The
 * last node and (but at stage 3) one step always. */
size_t
epoch_tail(const struct compact *c, const struct row *row)
{
	size_t n = view_nodes(c->view), i, steps = 0, first = n;
	size_t want = (size_t)c->set.keep_steps, stop = tail_limit(c);
	size_t step = newest_step(c, stop);
	long b = epoch_window(c), most = epoch_part(b, TAIL_PERCENT);
	long size = 0;

	if (c->set.keep_tokens < most)
		most = c->set.keep_tokens;
	most = epoch_part(most, row->tail);
	b = epoch_part(epoch_part(b, STEPS_PERCENT), row->tail);
	for (i = n; i > stop; i--) {
		const struct view_node *node = view_node(c->view, i - 1);
		bool must = i == n || (i > step && !row->slim_tail);

		size += compact_tokens(c, node->full);
		if (!must && size > most &&
		    (step == n || steps >= want || size > b ||
		    row->slim_tail))
			break;
		steps += node->ncalls > 0;
		if (node->ncalls > 0 && (steps <= want || steps == 1))
			first = i - 1;
	}
	while (!row->slim_tail && i < first && !begins_turn(c, i))
		i++;
	return i < n ? i : n - 1;
}

/* Where the newest so many steps begin. */
size_t
epoch_steps(const struct compact *c, size_t steps)
{
	size_t i = view_nodes(c->view), stop = tail_limit(c);

	while (i > stop && steps > 0)
		steps -= view_node(c->view, --i)->ncalls > 0;
	return i;
}

/* How far the oldest nodes are folded: not at all while the slim region is
 * small, else until half of what it may be is left. */
size_t
epoch_fold(const struct compact *c, size_t tail)
{
	size_t from = c->epoch.fold > 0 ? c->epoch.fold : epoch_system(c);
	long most = epoch_part(epoch_window(c), SLIM_PERCENT);
	uint64_t sum = 0;

	view_age(c->view, tail);
	for (size_t i = from; i < tail; i++)
		sum += view_node(c->view, i)->thin;
	if (compact_tokens(c, sum) <= most)
		return c->epoch.fold;
	while (from < tail && compact_tokens(c, sum) > most / 2)
		sum -= view_node(c->view, from++)->thin;
	return from;
}

size_t
epoch_last_step(const struct compact *c, size_t tail)
{
	size_t i = view_nodes(c->view);

	while (i > tail)
		if (view_node(c->view, --i)->ncalls > 0)
			return i;
	return tail;
}

/* ---- showing ---- */

static void
changed_from(struct compact *c, size_t node)
{
	if (node < c->changed)
		c->changed = node;
}

void
epoch_show(struct compact *c, size_t fold, size_t thin, size_t cap)
{
	struct summary_room room = { .cap = cap, .window = epoch_window(c),
		.last = cap <= SUMMARY_LEAST, .context = epoch_part(
		epoch_window(c), CONTEXT_PERCENT), .family = c->family };

	buf_reset(&c->folded);
	if (fold > 0) {
		summary_fold(c->summary, c->view, fold);
		summary_print(c->summary, c->view, &room, &c->folded);
	}
	epoch_show_as(c, fold, thin, cap);
}

void
epoch_show_as(struct compact *c, size_t fold, size_t thin, size_t cap)
{
	struct epoch *e = &c->epoch;

	if (fold != e->fold || (fold > 0 && cap != e->summary_cap))
		changed_from(c, epoch_system(c));
	changed_from(c, thin < e->thin ? thin : e->thin);
	view_show(c->view, fold, buf_view(&c->folded), thin);
	e->fold = fold;
	e->thin = thin;
	e->summary_cap = cap;
	c->anchor.set = c->anchor.open = false;
}
