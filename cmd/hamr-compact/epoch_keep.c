/* epoch_keep.c - what is shown in full before the tail, because it is worth
 * it, and what is cut within the tail, because it is too large.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "epoch.h"

/* In messages: so much newer an item would have to be to be worth the same. */
#define EDITED 20		/* its file was edited */
#define OWN_TEXT 10		/* the model's own words: edit, write */
#define COMMAND (-40)
#define OTHER (-60)
#define STALE 120		/* an edit makes an older read worthless */
#define HORIZON 80		/* worth less than what is so old: not worth
				 * the reading at each epoch to come */

#define CUT_LEAST 100

/* ---- worth ---- */

struct item {
	size_t call;
	long value;
	uint64_t more;		/* estimate: what it would take */
};

/* Is there newer text of the same?  later: what comes behind it. */
static bool
is_dead(const struct compact *c, const struct fact *f,
    const struct ranges *later)
{
	const struct file *file;
	uint64_t *last;

	if (f->kind == TOOL_COMMAND) {
		last = map_get(&c->commands, slice_of(f->what));
		return last != NULL && *last > f->at;
	}
	if (f->file == 0)
		return false;
	file = &c->files.v[f->file - 1];
	if (file->written > f->at || ranges_cover(later, f))
		return true;
	return f->kind == TOOL_READ && file->edited > f->at + STALE;
}

static long
value_of(const struct compact *c, const struct fact *f)
{
	const struct file *file;

	if (f->kind == TOOL_COMMAND)
		return (long)f->at + COMMAND;
	if (f->file == 0 || f->failed)
		return (long)f->at + OTHER;
	file = &c->files.v[f->file - 1];
	return (long)file->touched + (file->edited > 0 ? EDITED : 0) +
	    (f->kind != TOOL_READ ? OWN_TEXT : 0);
}

static int
most_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->call < y->call) - (x->call > y->call);
}

/* What could be shown in full again, the most valuable first. */
static struct item *
candidates(const struct compact *c, size_t *n)
{
	const struct view *v = c->view;
	size_t first = view_node(v, c->epoch.fold)->call, cap = 0;
	const struct view_node *end = view_node(v, view_nodes(v) - 1);
	struct ranges later = { .n = 0 };
	struct item *all = NULL;
	long oldest = (long)view_records(v) - HORIZON;

	*n = 0;
	for (size_t i = end->call + end->ncalls; i > first; i--) {
		const struct view_call *call = view_call_at(v, i - 1);
		const struct fact *f = call->note;

		if (call->node < c->epoch.thin && call->full > call->thin &&
		    value_of(c, f) >= oldest && !is_dead(c, f, &later)) {
			all = xgrow(all, *n, &cap, sizeof *all);
			all[(*n)++] = (struct item){ i - 1, value_of(c, f),
				call->full - call->thin };
		}
		if (f->kind == TOOL_READ && f->file > 0 && f->done &&
		    !f->failed)
			ranges_add(&later, f);
	}
	ranges_release(&later);
	if (*n > 0)
		qsort(all, *n, sizeof *all, most_first);
	return all;
}

static int
lower_first(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
epoch_refill(struct compact *c, long size)
{
	size_t n, taken = 0;
	struct item *all = candidates(c, &n);
	long room = size - compact_size(c);
	size_t *calls = xcalloc(n + 1, sizeof *calls);

	for (size_t i = 0; i < n; i++) {
		long more = compact_tokens(c, all[i].more) + 1;

		if (more > room)
			continue;
		room -= more;
		calls[taken++] = all[i].call;
	}
	qsort(calls, taken, sizeof *calls, lower_first);
	for (size_t i = 0; i < taken; i++)
		epoch_keep(c, calls[i]);
	free(calls);
	free(all);
}

void
epoch_keep(struct compact *c, size_t i)
{
	c->kept = xgrow(c->kept, c->nkept, &c->capkept, sizeof *c->kept);
	c->kept[c->nkept++] = i;
	view_keep(c->view, i, true);
}

void
epoch_drop_kept(struct compact *c)
{
	for (size_t i = 0; i < c->nkept; i++)
		view_keep(c->view, c->kept[i], false);
	c->nkept = 0;
}

/* ---- the last step ---- */

void
epoch_cut_one(struct compact *c, size_t i, long tokens)
{
	struct view_call *call = view_call_at(c->view, i);
	struct buf json = BUF_INIT(BUF_RECORD_MAX);

	buf_reset(&c->tmp);
	buf_reset(&c->text);
	if (call->result == NULL || !msg_text(slice_of(call->result),
	    &c->tmp) || !budget_clip(&c->text, buf_view(&c->tmp), tokens,
	    c->family))
		return;
	scan_quote(&json, c->text.p, c->text.len);
	c->cuts = xgrow(c->cuts, c->ncuts, &c->capcuts, sizeof *c->cuts);
	c->cuts[c->ncuts] = (struct cut){ .call = i, .tokens = tokens,
		.is = view_dup(c->view, json.p, json.len), .was = call->cut };
	view_cut(c->view, i, c->cuts[c->ncuts++].is);
	buf_release(&json);
}

void
epoch_cut_notes(struct compact *c, size_t node, size_t n)
{
	const struct view_node *of = view_node(c->view, node);

	if (n <= of->skipped || of->ncalls == 0)
		return;
	c->cuts = xgrow(c->cuts, c->ncuts, &c->capcuts, sizeof *c->cuts);
	c->cuts[c->ncuts++] = (struct cut){ .call = of->call + of->ncalls - 1,
		.notes = n, .had = of->skipped };
	view_skip_notes(c->view, node, n);
}

void
epoch_uncut(struct compact *c, size_t from)
{
	while (c->ncuts > from) {
		const struct cut *cut = &c->cuts[--c->ncuts];

		if (cut->notes > 0)
			view_skip_notes(c->view, view_call_at(c->view,
			    cut->call)->node, from > 0 ? cut->had : 0);
		else
			view_cut(c->view, cut->call,
			    from > 0 ? cut->was : NULL);
	}
}

void
epoch_settle_cuts(struct compact *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->ncuts; i++) {
		const struct cut *cut = &c->cuts[i];
		const struct view_call *call = view_call_at(c->view,
		    cut->call);

		if (cut->notes > 0 ? cut->notes ==
		    view_node(c->view, call->node)->skipped :
		    cut->is == call->cut)
			c->cuts[n++] = *cut;
	}
	c->ncuts = n;
}

/* The largest size of each at which all together are at most `most`. */
static uint64_t
level(uint64_t *size, size_t n, uint64_t most)
{
	for (size_t i = 0; i < n; i++) {	/* the smallest first */
		uint64_t share = most / (n - i);

		if (size[i] > share)
			return share;
		most -= size[i];
	}
	return UINT64_MAX;
}

static int
smaller_first(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The notes within half of `most`, the newest ones; what is left for results. */
static uint64_t
cut_notes(struct compact *c, size_t from, uint64_t most)
{
	uint64_t room = most / 2, left = most;

	for (size_t i = view_nodes(c->view); i > from; i--) {
		const struct view_node *node = view_node(c->view, i - 1);
		uint64_t shown = node->notes < room ? node->notes : room;

		if (node->notes > room)
			epoch_cut_notes(c, i - 1, view_notes_over(c->view,
			    i - 1, room));
		room -= shown;
		left -= shown;
	}
	return left;
}

void
epoch_cut(struct compact *c, size_t from)
{
	const struct view *v = c->view;
	const struct view_node *end = view_node(v, view_nodes(v) - 1);
	size_t first = view_node(v, from)->call, n, last;
	uint64_t *size, each, most;

	last = end->call + end->ncalls;
	n = last - first;
	size = xcalloc(n + 1, sizeof *size);
	for (size_t i = 0; i < n; i++)
		size[i] = view_call_at(v, first + i)->text;
	qsort(size, n, sizeof *size, smaller_first);
	most = (uint64_t)epoch_part(epoch_window(c), CUT_PERCENT) * 64 * 1024 /
	    (uint64_t)c->ratio;
	most = cut_notes(c, from, most);
	each = level(size, n, most);
	free(size);
	if (each < CUT_LEAST * 64)
		each = CUT_LEAST * 64;
	for (size_t i = first; i < last; i++)
		if (view_call_at(v, i)->text > each)
			epoch_cut_one(c, i, (long)(each / 64));
}
