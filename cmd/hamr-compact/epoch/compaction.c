/* compaction.c - the compaction record, written and read. */
#include "base/mem.h"

#include "internal.h"

/* Update which results are elided.  Those that have left the view since the
 * last epoch are appended to list (unless it is NULL) as elements of an array,
 * with their line range unless a later read shows it. */
static void
note_elided(struct compact *c, struct buf *list)
{
	size_t n = 0, cap = 0;
	struct shown later = { .n = 0 };
	size_t *gone = NULL;

	for (size_t i = c->view->ncalls; i > 0; i--) {
		const struct view_call *call = &c->view->calls[i - 1];
		struct fact *f = call->note;
		bool was = f->elided, change = f->kind == TOOL_EDIT ||
		    f->kind == TOOL_WRITE;

		if (call->result == NULL)
			continue;
		/* for an edit, the new text is what counts; one that failed
		 * may have shown the lines instead */
		f->elided = call->cut != NULL || compact_elides(c, call,
		    change && !f->failed);
		if (f->elided && !was) {
			GROW(gone, n, cap);
			gone[n++] = (i - 1) * 2 + (f->file > 0 &&
			    (!f->failed || (change && f->first > 0)) &&
			    !f->listing && !shown_has_lines(&later, f));
		}
		if (!f->elided)
			shown_add(&later, call);
	}
	for (const char *comma = ""; list != NULL && n > 0; comma = ",") {
		bool lines = gone[--n] % 2 != 0;
		const struct view_call *call = &c->view->calls[gone[n] / 2];
		const struct fact *f = call->note;

		buf_fmt(list, "%s{\"tool_call_id\":%s", comma, call->id);
		if (lines)
			scan_put(list, ",'path':@", slice_of(f->what));
		if (lines && f->first > 0 && f->last >= f->first)
			buf_fmt(list, ",\"first\":%ld,\"last\":%ld",
			    f->first, f->last);
		buf_addc(list, '}');
	}
	c->changed = c->view->n;
	c->epoch.written = true;
	FREE(gone, later.v);
}

/* Append a border twice: as the id of the first call after it, which survives
 * edits of the transcript, and as a message number. */
static void
put_border(const struct compact *c, const char *name, const char *to,
    size_t i, struct buf *out)
{
	const struct view_node *node = &c->view->nodes[i];

	buf_fmt(out, ",\"%s_%s\":%s,\"%s_at\":%zu", name, to,
	    i > 0 && node->call < c->view->ncalls ?
	    c->view->calls[node->call].id : "null", name, node->record);
}

/* Append what stage 3 cut, as the next member if there is any. */
static void
put_cuts(const struct view *v, struct buf *out)
{
	const char *comma = "],\"cut\":[";

	for (size_t i = 0; i < v->ncalls; i++) {
		const struct view_call *call = &v->calls[i];
		const struct view_node *node = &v->nodes[call->node];
		const struct fact *f = call->note;
		bool last = i + 1 == node->call + node->ncalls;

		if (call->cut == NULL && !(last && node->skipped > 0))
			continue;
		buf_fmt(out, "%s{\"tool_call_id\":%s", comma, call->id);
		if (call->cut != NULL)
			buf_fmt(out, ",\"tokens\":%ld", f->cut_to);
		if (last && node->skipped > 0)
			buf_fmt(out, ",\"notes\":%zu", node->skipped);
		buf_addc(out, '}');
		comma = ",";
	}
}

void
epoch_print(struct compact *c, struct buf *out)
{
	struct view *v = c->view;
	struct epoch *e = &c->epoch;
	size_t system = epoch_system(c);	/* never changes */
	size_t first = c->changed > system ? c->changed : system;
	size_t compacted = 0;	/* results no longer shown in full */
	const char *comma = "";

	for (size_t i = 0; i < v->ncalls; i++)
		compacted += v->calls[i].result != NULL &&
		    (v->calls[i].cut != NULL ||
		    compact_elides(c, &v->calls[i], false));
	while (first < v->n && !view_is_shown(v, first))
		first++;
	if (first >= v->n)
		first = v->n - 1;
	buf_fmt(out, "{\"type\":\"compaction\",\"epoch\":%ld,\"stage\":\"%s\","
	    "\"tokens_before\":%ld,\"tokens_after\":%ld,"
	    "\"messages_in\":%zu,\"messages_out\":%zu,"
	    "\"results_compacted\":%zu,\"stable_prefix_bytes\":%zu,"
	    "\"keep\":[", e->number, epoch_stage(c), e->before, e->after,
	    e->messages_in, view_count(v), compacted, v->nodes[first].off);
	for (size_t i = 0; i < v->ncalls; i++)
		if (v->calls[i].keep) {
			buf_fmt(out, "%s%s", comma, v->calls[i].id);
			comma = ",";
		}
	buf_adds(out, "],\"elided\":[");
	note_elided(c, out);
	put_cuts(v, out);
	buf_fmt(out, "],\"window\":%ld,\"strategy\":\"%s\"",
	    c->budget.window, c->set.strategy->name);
	put_border(c, "fold", "to", e->fold, out);
	put_border(c, "tail", "from", e->tail, out);
	put_border(c, "slim", "to", e->slim, out);
	buf_fmt(out, ",\"summary_cap\":%zu", e->summary_cap);
	buf_addc(out, '}');
}

/* ---- reading it ---- */

/* Find the node of a border.  If id and message number disagree (the transcript
 * was edited), the id wins.  False if there is no such node. */
static bool
border(const struct compact *c, const struct rec *r, const char *id_key,
    const char *at_key, size_t *out)
{
	struct slice id = rec_get(r, id_key);
	bool named = scan_kind(id) == SCAN_STRING;
	size_t i, n = c->view->n;
	int64_t at;

	*out = 0;
	if (rec_int(r, at_key, &at)) {
		while (*out < n &&
		    (int64_t)c->view->nodes[*out].record < at)
			++*out;
		i = *out < n ? c->view->nodes[*out].call : SIZE_MAX;
		if (!named || (i < c->view->ncalls && slice_eq(slice_of(
		    c->view->calls[i].id), id)))
			return *out < n;
	} else if (!named) {
		return true;
	}
	if (!view_find_call(c->view, id, &i))
		return false;
	*out = c->view->calls[i].node;
	return true;
}

static long
number(const struct rec *r, const char *key, long otherwise)
{
	int64_t v;

	return rec_int(r, key, &v) && v >= 0 && v <= INT32_MAX ? (long)v :
	    otherwise;
}

/* Cut exactly these results and notes. */
static void
read_cuts(struct compact *c, struct slice list)
{
	struct slice one;
	size_t i;
	int64_t n;

	for (i = 0; i < c->view->ncalls; i++)
		view_cut(c->view, i, NULL);
	for (i = 0; i < c->view->n; i++)
		if (c->view->nodes[i].skipped > 0)
			view_skip_notes(c->view, i, 0);
	for (struct walk w = walk_of(list); walk_next(&w, NULL, &one); ) {
		if (!view_find_call(c->view, scan_get(one, "tool_call_id"),
		    &i))
			continue;
		if (scan_int(scan_get(one, "tokens"), &n) && n > 0 &&
		    n < INT32_MAX)
			epoch_cut_one(c, i, (long)n);
		if (scan_int(scan_get(one, "notes"), &n) && n > 0 &&
		    n < INT32_MAX)
			view_skip_notes(c->view, c->view->calls[i].node,
			    (size_t)n);
	}
}

void
epoch_read(struct compact *c, const struct rec *r)
{
	struct epoch *e = &c->epoch, was = *e;
	size_t fold, tail, slim, i;
	struct slice id;

	if (c->view->n == 0 ||
	    (rec_get(r, "tail_at").p == NULL &&
	    scan_kind(rec_get(r, "tail_from")) != SCAN_STRING) ||
	    !border(c, r, "fold_to", "fold_at", &fold) ||
	    !border(c, r, "tail_from", "tail_at", &tail))
		return;		/* it belongs to another transcript */
	if (fold <= epoch_system(c))
		fold = 0;
	if (tail < fold)
		tail = fold;
	e->rule = 0;
	for (size_t k = 0; k < STAGES; k++)
		if (rec_str_is(r, "stage", stage_rules[k].stage))
			e->rule = k;
	size_t cap = (size_t)number(r, "summary_cap", 8000);
	if (cap < SUMMARY_LEAST)
		cap = SUMMARY_LEAST;
	/* at stage 3 all steps but the last are slim */
	if (!border(c, r, "slim_to", "slim_at", &slim) || slim < tail)
		slim = stage_rules[e->rule].slim_tail ?
		    epoch_steps_from(c, 1, tail) : tail;
	read_cuts(c, rec_get(r, "cut"));
	if (fold != was.fold || slim != was.slim ||
	    (fold > 0 && cap != was.summary_cap) || was.number == 0)
		epoch_show(c, fold, slim, cap);
	epoch_drop_kept(c);
	for (struct walk w = walk_of(rec_get(r, "keep"));
	    walk_next(&w, NULL, &id); )
		if (view_find_call(c->view, id, &i))
			view_keep(c->view, i, true);
	e->tail = tail;
	e->number = number(r, "epoch", was.number + 1);
	if (e->number == 0)
		e->number = 1;
	e->before = number(r, "tokens_before", 0);
	e->after = number(r, "tokens_after", compact_size(c));
	e->base = e->after;
	e->messages_in = c->view->records;
	e->recorded = true;
	note_elided(c, NULL);
	c->anchor.set = c->anchor.open = false;
	c->demand = false;
	c->decided = true;
	c->fits = c->budget.effective == 0 ||
	    compact_size(c) <= c->budget.effective;
}
