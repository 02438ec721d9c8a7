/* epoch_rec.c - the compaction record, read. */
#include "epoch.h"

/* The first node whose record is not before message `at`. */
static size_t
node_at(const struct compact *c, int64_t at)
{
	size_t i = 0, n = view_nodes(c->view);

	while (i < n) {
		size_t mid = i + (n - i) / 2;

		if ((int64_t)view_node(c->view, mid)->record < at)
			i = mid + 1;
		else
			n = mid;
	}
	return i;
}

/* Is the first call from node i on the one with this id? */
static bool
leads_to(const struct compact *c, size_t i, struct slice id)
{
	const struct view_node *node, *last;

	if (i >= view_nodes(c->view))
		return false;
	node = view_node(c->view, i);
	last = view_node(c->view, view_nodes(c->view) - 1);
	return node->call < last->call + last->ncalls && slice_eq(slice_of(
	    view_call_at(c->view, node->call)->id), id);
}

/* A border of the record: the id of the first call behind it, and the number
 * of messages before it.  Where these differ (the transcript was edited) the
 * id holds.  False when there is no such node. */
static bool
border(const struct compact *c, const struct rec *r, const char *id_key,
    const char *at_key, size_t *out)
{
	struct slice id = rec_get(r, id_key);
	bool named = scan_kind(id) == SCAN_STRING;
	int64_t at;
	size_t i;

	*out = 0;
	if (rec_int(r, at_key, &at)) {
		*out = node_at(c, at);
		if (!named || leads_to(c, *out, id))
			return *out < view_nodes(c->view);
	} else if (!named) {
		return true;
	}
	if (!view_find_call(c->view, id, &i))
		return false;
	*out = view_call_at(c->view, i)->node;
	return true;
}

static size_t
row_named(const struct rec *r)
{
	for (size_t k = 0; epoch_row(k) != NULL; k++)
		if (rec_str_is(r, "stage", epoch_row(k)->stage))
			return k;
	return 0;
}

static int64_t
number(const struct rec *r, const char *key, int64_t otherwise)
{
	int64_t v;

	return rec_int(r, key, &v) && v >= 0 && v <= INT32_MAX ? v :
	    otherwise;
}

static bool
is_number(struct slice one, const char *key, int64_t *v)
{
	return scan_int(scan_get(one, key), v) && *v > 0 && *v < INT32_MAX;
}

/* The results that are cut, and the notes, and no others. */
static void
read_cuts(struct compact *c, struct slice list)
{
	struct slice one;
	struct walk w;
	size_t i;
	int64_t n;

	epoch_uncut(c, 0);
	walk_in(&w, list);
	while (walk_next(&w, NULL, &one)) {
		if (!view_find_call(c->view, scan_get(one, "tool_call_id"),
		    &i))
			continue;
		if (is_number(one, "tokens", &n))
			epoch_cut_one(c, i, (long)n);
		if (is_number(one, "notes", &n))
			epoch_cut_notes(c, view_call_at(c->view, i)->node,
			    (size_t)n);
	}
}

static void
read_kept(struct compact *c, struct slice list)
{
	struct slice id;
	struct walk w;
	size_t i;

	epoch_drop_kept(c);
	walk_in(&w, list);
	while (walk_next(&w, NULL, &id))
		if (view_find_call(c->view, id, &i) &&
		    (c->nkept == 0 || i > c->kept[c->nkept - 1]))
			epoch_keep(c, i);
}

void
epoch_read(struct compact *c, const struct rec *r)
{
	struct epoch *e = &c->epoch, was = *e;
	size_t fold, tail, thin, cap;

	if (view_nodes(c->view) == 0 ||
	    rec_get(r, "tail_at").p == NULL ||
	    !border(c, r, "fold_to", "fold_at", &fold) ||
	    !border(c, r, "tail_from", "tail_at", &tail))
		return;		/* of another transcript: nothing to keep */
	if (fold <= epoch_system(c))
		fold = 0;
	if (tail < fold)
		tail = fold;
	e->row = row_named(r);
	cap = (size_t)number(r, "summary_cap", 8000);
	if (cap < 1200)
		cap = 1200;
	if (!border(c, r, "slim_to", "slim_at", &thin) || thin < tail)
		thin = epoch_row(e->row)->slim_tail ?
		    epoch_last_step(c, tail) : tail;
	read_cuts(c, rec_get(r, "cut"));
	if (fold != was.fold || thin != was.thin ||
	    (fold > 0 && cap != was.summary_cap) || was.number == 0)
		epoch_show(c, fold, thin, cap);
	read_kept(c, rec_get(r, "keep"));
	e->tail = tail;
	e->number = (long)number(r, "epoch", was.number + 1);
	if (e->number == 0)
		e->number = 1;
	e->before = (long)number(r, "tokens_before", 0);
	e->after = (long)number(r, "tokens_after", compact_size(c));
	e->base = (long)number(r, "base", e->after);
	e->messages_in = view_records(c->view);
	e->recorded = true;
	epoch_told(c, NULL);
	c->anchor.set = c->anchor.open = false;
	c->demand = false;
	c->decided = true;
	c->fits = c->budget.effective == 0 ||
	    compact_size(c) <= c->budget.effective;
}
