/* epoch_rec.c - the compaction record: read, and written. */
#include <stdlib.h>

#include "json.h"

#include "epoch.h"
#include "stub.h"

/* The node that holds the call with this id (a JSON string), or n. */
static size_t
node_of(const struct compact *c, struct slice id, size_t n)
{
	char *want = scan_strdup(id);
	size_t found = n;

	for (size_t i = 0; want != NULL && i < n && found == n; i++) {
		const struct view_node *node = view_node(c->view, i);

		for (size_t k = 0; k < node->ncalls; k++)
			if (scan_str_is(slice_of(view_call_at(c->view,
			    node->call + k)->id), want))
				found = i;
	}
	free(want);
	return found;
}

/* A border of the record: by call id, else by the number of messages before
 * it.  False when there is no such node. */
static bool
border(const struct compact *c, const struct rec *r, const char *id_key,
    const char *at_key, size_t *out)
{
	struct slice id = rec_get(r, id_key);
	size_t n = view_nodes(c->view), i;
	int64_t at;

	if (scan_kind(id) == SCAN_STRING) {
		*out = node_of(c, id, n);
		return *out < n;
	}
	if (!rec_int(r, at_key, &at)) {
		*out = 0;
		return true;
	}
	for (i = 0; i < n && (int64_t)view_node(c->view, i)->record < at; i++)
		;
	*out = i;
	return i < n;
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

void
epoch_read(struct compact *c, const struct rec *r)
{
	struct epoch *e = &c->epoch, was = *e;
	size_t fold, tail, thin;

	if (view_nodes(c->view) == 0 ||
	    !border(c, r, "fold_to", "fold_at", &fold) ||
	    !border(c, r, "tail_from", "tail_at", &tail))
		return;		/* of another transcript: nothing to keep */
	if (fold <= epoch_system(c))
		fold = 0;
	if (tail < fold)
		tail = fold;
	e->row = row_named(r);
	e->summary_cap = (size_t)number(r, "summary_cap", 8000);
	if (e->summary_cap < 1200)
		e->summary_cap = 1200;
	if (!border(c, r, "slim_to", "slim_at", &thin) || thin < tail)
		thin = epoch_row(e->row)->slim_tail ?
		    epoch_last_step(c, tail) : tail;
	if (fold != was.fold || thin != was.thin ||
	    (fold > 0 && e->summary_cap != was.summary_cap) ||
	    was.number == 0)
		epoch_show(c, fold, thin, e->summary_cap);
	e->fold = e->told_fold = fold;
	e->tail = tail;
	e->thin = e->told_thin = thin;
	e->number = (long)number(r, "epoch", was.number + 1);
	if (e->number == 0)
		e->number = 1;
	e->before = (long)number(r, "tokens_before", 0);
	e->after = (long)number(r, "tokens_after", compact_size(c));
	e->base = e->after;
	e->messages_in = view_records(c->view);
	e->recorded = e->written = true;
	c->anchor.set = c->anchor.open = false;
	c->demand = false;
}

static void
put_border(struct json *o, const struct compact *c, const char *id_key,
    const char *at_key, size_t i)
{
	const struct view_node *node = view_node(c->view, i);

	if (i > 0 && node->ncalls > 0)
		json_raw(o, id_key, slice_of(view_call_at(c->view,
		    node->call)->id));
	else
		json_null(o, id_key);
	json_int(o, at_key, (long long)node->record);
}

/* Was a result still to be read with these borders? */
static bool
is_visible(const struct view_call *call, size_t fold, size_t thin)
{
	return call->node >= thin ||
	    (call->node >= fold && call->stub == NULL);
}

static void
put_elided(struct json *list, const struct view_call *call)
{
	struct json *o = json_object();
	const struct fact *f = call->note;

	json_raw(o, "tool_call_id", slice_of(call->id));
	if (f != NULL && f->kind != TOOL_COMMAND && f->what[0] != '\0')
		json_str(o, "path", f->what);
	if (f != NULL && f->first > 0 && f->last > 0) {
		json_int(o, "first", f->first);
		json_int(o, "last", f->last);
	}
	json_add(list, NULL, o);
}

void
epoch_print(struct compact *c, struct buf *out)
{
	struct epoch *e = &c->epoch;
	struct json *o = json_object(), *list = json_array();
	size_t calls = 0, compacted = 0, first;

	for (size_t i = 0; i < e->thin; i++)
		calls = view_node(c->view, i)->call +
		    view_node(c->view, i)->ncalls;
	for (size_t i = 0; i < calls; i++) {
		const struct view_call *call = view_call_at(c->view, i);

		if (call->result == NULL ||
		    is_visible(call, e->fold, e->thin))
			continue;
		compacted++;
		if (is_visible(call, e->told_fold, e->told_thin))
			put_elided(list, call);
	}
	first = e->fold != e->told_fold ? e->fold : e->told_thin;
	if (first < epoch_system(c))
		first = epoch_system(c);
	json_str(o, "type", "compaction");
	json_int(o, "epoch", e->number);
	json_str(o, "stage", epoch_stage(c));
	json_int(o, "tokens_before", e->before);
	json_int(o, "tokens_after", e->after);
	json_int(o, "messages_in", (long long)e->messages_in);
	json_int(o, "messages_out", (long long)view_count(c->view));
	json_int(o, "results_compacted", (long long)compacted);
	json_int(o, "stable_prefix_bytes",
	    (long long)view_node(c->view, first)->off);
	json_add(o, "keep", json_array());
	json_add(o, "elided", list);
	json_int(o, "window", c->budget.window);
	json_str(o, "strategy", c->strategy->name);
	put_border(o, c, "fold_to", "fold_at", e->fold);
	put_border(o, c, "tail_from", "tail_at", e->tail);
	put_border(o, c, "slim_to", "slim_at", e->thin);
	json_int(o, "summary_cap", (long long)e->summary_cap);
	json_print(o, out);
	json_free(o);
	e->written = true;
	e->told_fold = e->fold;
	e->told_thin = e->thin;
}
