/* epoch.c - when to compact, and how far. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "epoch.h"

static const struct row rows[] = {
	{ "1", 100, 8000, false },
	{ "2", 60, 8000, false },
	{ "2b", 40, 8000, false },
	{ "3", 25, SUMMARY_LEAST, true },
};

#define ROWS (sizeof rows / sizeof *rows)

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

/* The high mark, or STEP_PERCENT of B above what the last epoch left, whichever
 * is more; but not so near to the end of the window that nothing can come. */
long
epoch_trigger(const struct compact *c)
{
	long b = c->budget.effective;
	long high = epoch_part(b, c->set.strategy->high);
	long next = c->epoch.base + epoch_part(b, STEP_PERCENT);
	long most = epoch_part(b, 97);

	if (c->epoch.base == 0 || next < high)
		return high;
	if (next <= most)
		return next;
	return c->epoch.base < most ? most : c->epoch.base +
	    epoch_part(b, 3);
}

/* ---- one stage after the other ---- */

/* Show the view as the row says; false when that changes nothing. */
static bool
try_row(struct compact *c, size_t k, size_t fold, size_t tail)
{
	const struct row *row = &rows[k];
	size_t thin = row->slim_tail ? epoch_last_step(c, tail) : tail;
	size_t cuts = c->ncuts;
	struct epoch *e = &c->epoch;
	bool same = fold == e->fold && thin == e->thin &&
	    (fold == 0 || row->summary_cap == e->summary_cap);

	if (!same)
		epoch_show(c, fold, thin, row->summary_cap);
	if (row->slim_tail && compact_size(c) > epoch_part(epoch_window(c),
	    c->set.strategy->high))
		epoch_cut(c, thin);
	if (same && cuts == c->ncuts)
		return false;
	e->row = k;
	e->tail = tail;
	return true;
}

/* The size at which a stage is taken to be enough. */
static long
enough(const struct compact *c)
{
	long high = epoch_part(epoch_window(c), c->set.strategy->high) / 10 * 9;
	long most = epoch_part(epoch_window(c), 80);

	return high > most ? high : most;
}

/* Try the rows from k on until one is enough; true when any changed the
 * view. */
static bool
try_rows(struct compact *c, size_t k)
{
	bool changed = false;

	for (; k < ROWS; k++) {
		size_t tail = epoch_tail(c, &rows[k]);

		if (c->set.strategy->stubs_first && k == 0 &&
		    try_row(c, k, c->epoch.fold, tail)) {
			changed = true;
			if (compact_size(c) <= epoch_part(epoch_window(c), 50))
				break;
		}
		if (try_row(c, k, epoch_fold(c, tail), tail))
			changed = true;
		if (changed && compact_size(c) <= enough(c))
			break;
	}
	return changed;
}

/* What an attempt may have to be undone to. */
struct before {
	struct epoch epoch;
	struct anchor anchor;
	size_t *kept, nkept, ncuts, changed;
	struct buf folded;
};

static void
remember(struct compact *c, struct before *b)
{
	*b = (struct before){ c->epoch, c->anchor, NULL, c->nkept, c->ncuts,
		c->changed, BUF_INIT(BUF_RECORD_MAX) };
	buf_slice(&b->folded, buf_view(&c->folded));
	b->kept = xmalloc((c->nkept + 1) * sizeof *b->kept);
	if (c->nkept > 0)
		memcpy(b->kept, c->kept, c->nkept * sizeof *b->kept);
}

static void
undo(struct compact *c, const struct before *b)
{
	epoch_uncut(c, b->ncuts);
	buf_reset(&c->folded);
	buf_slice(&c->folded, buf_view(&b->folded));
	epoch_show_as(c, b->epoch.fold, b->epoch.thin, b->epoch.summary_cap);
	epoch_drop_kept(c);
	for (size_t i = 0; i < b->nkept; i++)
		epoch_keep(c, b->kept[i]);
	c->epoch = b->epoch;
	c->anchor = b->anchor;
	c->changed = b->changed;
}

/* The first node that is in full now and was not, or the other way round. */
static void
note_changes(struct compact *c, const struct before *b)
{
	size_t i = 0, call;

	while (i < b->nkept && i < c->nkept && b->kept[i] == c->kept[i])
		i++;
	if (i == b->nkept && i == c->nkept)
		return;
	call = i == b->nkept ? c->kept[i] : i == c->nkept ? b->kept[i] :
	    b->kept[i] < c->kept[i] ? b->kept[i] : c->kept[i];
	if (view_call_at(c->view, call)->node < c->changed)
		c->changed = view_call_at(c->view, call)->node;
}

static void
begin_epoch(struct compact *c, long before)
{
	c->epoch.number++;
	c->epoch.before = before;
	c->epoch.after = c->epoch.base = compact_size(c);
	c->epoch.messages_in = view_records(c->view);
	c->epoch.recorded = c->epoch.written = false;
}

/* A new epoch, from row k on.  One that would gain next to nothing is not
 * begun, and not tried again soon. */
static void
run_rows(struct compact *c, size_t k)
{
	long size = compact_size(c), before, least;
	struct before was;
	bool refill = !c->demand && !c->set.every_call;

	remember(c, &was);
	c->anchor.set = false;		/* compare estimate with estimate */
	before = compact_size(c);
	epoch_drop_kept(c);
	least = c->demand ? 1 : epoch_part(epoch_window(c), 2);
	if ((try_rows(c, k) || was.nkept > 0) &&
	    compact_size(c) <= before - least) {
		if (refill)
			epoch_refill(c, epoch_part(epoch_window(c),
			    c->set.strategy->low));
		note_changes(c, &was);
		epoch_settle_cuts(c);
		begin_epoch(c, size);
	} else {
		undo(c, &was);
		c->epoch.base = size;
	}
	buf_release(&was.folded);
	free(was.kept);
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

/* every_call: only the newest steps are in full, at each call. */
static void
slide(struct compact *c)
{
	size_t thin = epoch_steps(c, (size_t)c->set.keep_steps);
	long size = compact_size(c);
	struct anchor anchor = c->anchor;
	uint64_t sum = view_sum(c->view);

	if (thin <= c->epoch.thin)
		return;
	epoch_show(c, c->epoch.fold, thin, c->epoch.summary_cap > 0 ?
	    c->epoch.summary_cap : rows[0].summary_cap);
	c->epoch.tail = thin;
	if (view_sum(c->view) == sum)
		c->anchor = anchor;	/* there was nothing to elide */
	else
		begin_epoch(c, size);
}

bool
epoch_decide(struct compact *c)
{
	long b = c->budget.effective, size;

	if (c->set.strategy->high > 0 && view_nodes(c->view) > 0) {
		if (c->set.every_call)
			slide(c);
		size = compact_size(c);
		if (c->demand || (b > 0 && (size > b ||
		    size > epoch_trigger(c))))
			run_rows(c, first_row(c));
	}
	return b == 0 || compact_size(c) <= b;
}
