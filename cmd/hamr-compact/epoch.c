/* epoch.c - when to compact, and how far. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"

#include "compact.h"
#include "stub.h"

/* Chapter 8.2 of the specification. */
static const struct strategy strategies[] = {
	{ "aggressive", 45, 20, false },
	{ "moderate", 60, 30, false },
	{ "balanced", 75, 30, false },
	{ "light", 90, 35, true },
	{ "none", 0, 0, false },
	{ "off", 0, 0, false },
};

/* The stages, mildest first: how much of the tail is kept, how long the
 * summary may be, whether all but the last tool step is shown slim. */
static const struct row {
	const char *stage;
	long tail;		/* percent */
	size_t summary_cap;
	bool slim_tail;
} rows[] = {
	{ "1", 100, 8000, false },
	{ "2", 60, 8000, false },
	{ "2b", 40, 8000, false },
	{ "3", 25, 1200, true },
};

#define ROWS (sizeof rows / sizeof *rows)
#define TAIL_PERCENT 15		/* of B, and keep_recent_tokens */
#define STEPS_PERCENT 40	/* of B, for keep_recent_tool_turns */
#define SLIM_PERCENT 8		/* of B: more is folded, to the half of it */
#define B_UNLIMITED 122880	/* for a demand when there is no limit */

const struct strategy *
strategy_named(const char *name)
{
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
		if (strcmp(name, strategies[i].name) == 0)
			return &strategies[i];
	return NULL;
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

static size_t
system_nodes(const struct compact *c)
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
	size_t stop = c->epoch.thin > system_nodes(c) ? c->epoch.thin :
	    system_nodes(c), step = newest_step(c, stop);
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
	size_t from = c->epoch.fold > 0 ? c->epoch.fold : system_nodes(c);
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
static size_t
last_step(const struct compact *c, size_t tail)
{
	size_t i = view_nodes(c->view);

	while (i > tail)
		if (view_node(c->view, --i)->ncalls > 0)
			return i;
	return tail;
}

static void
show(struct compact *c, size_t fold, size_t thin, size_t cap)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (fold > 0) {
		summary_fold(c->summary, c->view, fold);
		summary_print(c->summary, cap, &text);
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
	size_t thin = row->slim_tail ? last_step(c, tail) : tail;
	struct epoch *e = &c->epoch;

	if (fold == e->fold && thin == e->thin && (fold == 0 ||
	    (row->summary_cap == e->summary_cap)))
		return false;
	show(c, fold, thin, row->summary_cap);
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
		show(c, was.fold, was.thin, was.summary_cap);
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

/* ---- the record ---- */

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
	for (size_t k = 0; k < ROWS; k++)
		if (rec_str_is(r, "stage", rows[k].stage))
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
	if (fold <= system_nodes(c))
		fold = 0;
	if (tail < fold)
		tail = fold;
	e->row = row_named(r);
	e->summary_cap = (size_t)number(r, "summary_cap", 8000);
	if (e->summary_cap < 1200)
		e->summary_cap = 1200;
	if (!border(c, r, "slim_to", "slim_at", &thin) || thin < tail)
		thin = rows[e->row].slim_tail ? last_step(c, tail) : tail;
	if (fold != was.fold || thin != was.thin ||
	    (fold > 0 && e->summary_cap != was.summary_cap) ||
	    was.number == 0)
		show(c, fold, thin, e->summary_cap);
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
	if (first < system_nodes(c))
		first = system_nodes(c);
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
