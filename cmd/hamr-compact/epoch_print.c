/* epoch_print.c - the compaction record, written. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"

#include "epoch.h"

/* Is all of it to be read in the view? */
static bool
is_visible(const struct compact *c, const struct view_call *call)
{
	const struct fact *f = call->note;
	const char *other = call->stub;

	if (call->cut != NULL)
		return false;
	if (call->node >= c->epoch.thin || call->keep)
		return true;
	if (call->node < c->epoch.fold)
		return false;
	if (f->kind == TOOL_EDIT || f->kind == TOOL_WRITE)
		other = call->slim;	/* what counts is the new text */
	return other == NULL;
}

/* One more of a list, which may be long: text at once, not a tree. */
static void
put_elided(struct buf *list, const struct view_call *call, bool lines)
{
	const struct fact *f = call->note;

	buf_adds(list, list->len > 0 ? ",{\"tool_call_id\":" :
	    "{\"tool_call_id\":");
	buf_adds(list, call->id);
	if (lines) {
		buf_adds(list, ",\"path\":");
		scan_quote(list, f->what, strlen(f->what));
	}
	if (lines && f->first > 0 && f->last >= f->first)
		buf_fmt(list, ",\"first\":%ld,\"last\":%ld", f->first,
		    f->last);
	buf_addc(list, '}');
}

/* Is the file's text lost with it?  Not if a later read shows it. */
static bool
is_text(const struct fact *f, const struct ranges *later)
{
	return f->file > 0 && !f->failed && !f->listing &&
	    !ranges_cover(later, f);
}

/* What was in view when this was asked last, and is no longer. */
void
epoch_told(struct compact *c, struct buf *list)
{
	const struct view *v = c->view;
	const struct view_node *end = view_node(v, view_nodes(v) - 1);
	size_t first = view_node(v, c->epoch.fold)->call, n = 0, cap = 0;
	struct ranges later = { .n = 0 };
	size_t *gone = NULL;

	if (first < c->elided)
		c->elided = first;
	for (size_t i = end->call + end->ncalls; i > c->elided; i--) {
		const struct view_call *call = view_call_at(v, i - 1);
		struct fact *f = call->note;

		if (call->result == NULL)
			continue;
		if (is_visible(c, call)) {
			f->elided = false;
			if (f->kind == TOOL_READ && f->file > 0 && !f->failed)
				ranges_add(&later, f);
		} else if (!f->elided) {
			f->elided = true;
			gone = xgrow(gone, n, &cap, sizeof *gone);
			gone[n++] = (i - 1) * 2 + is_text(f, &later);
		}
	}
	for (; list != NULL && n > 0; n--)
		put_elided(list, view_call_at(v, gone[n - 1] / 2),
		    gone[n - 1] % 2 != 0);
	c->elided = first;
	c->changed = view_nodes(v);
	c->epoch.written = true;
	free(gone);
	ranges_release(&later);
}

/* Results that are not to be read in full any more. */
static size_t
compacted(struct compact *c)
{
	const struct view *v = c->view;
	size_t fold = c->epoch.fold, n;

	if (c->folded_upto > fold)
		c->folded_upto = c->folded_results = 0;
	for (; c->folded_upto < fold; c->folded_upto++)
		c->folded_results += view_node(v, c->folded_upto)->answered;
	n = c->folded_results;
	for (size_t i = fold; i < view_nodes(v); i++) {
		const struct view_node *node = view_node(v, i);

		for (size_t k = 0; k < node->ncalls; k++) {
			const struct view_call *call = view_call_at(v,
			    node->call + k);

			n += call->result != NULL && (call->cut != NULL ||
			    (node->slim && !call->keep &&
			    call->stub != NULL));
		}
	}
	return n;
}

/* The first call behind it, which outlives an edited transcript, and where it
 * is. */
static void
put_border(struct json *o, const struct compact *c, const char *id_key,
    const char *at_key, size_t i)
{
	const struct view_node *node = view_node(c->view, i);
	const struct view_node *last = view_node(c->view,
	    view_nodes(c->view) - 1);

	if (i > 0 && node->call < last->call + last->ncalls)
		json_raw(o, id_key, slice_of(view_call_at(c->view,
		    node->call)->id));
	else
		json_null(o, id_key);
	json_int(o, at_key, (long long)node->record);
}

/* The list goes into o, and is empty then. */
static void
put_list(struct json *o, const char *key, struct buf *list)
{
	struct buf all = BUF_INIT(BUF_RECORD_MAX + 2);

	buf_addc(&all, '[');
	buf_slice(&all, buf_view(list));
	buf_addc(&all, ']');
	json_raw(o, key, buf_view(&all));
	buf_release(&all);
	buf_reset(list);
}

static void
put_lists(struct json *o, struct compact *c)
{
	struct buf list = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < c->nkept; i++) {
		buf_adds(&list, i > 0 ? "," : "");
		buf_adds(&list, view_call_at(c->view, c->kept[i])->id);
	}
	put_list(o, "keep", &list);
	epoch_told(c, &list);
	put_list(o, "elided", &list);
	for (size_t i = 0; i < c->ncuts; i++) {
		buf_adds(&list, i > 0 ? ",{\"tool_call_id\":" :
		    "{\"tool_call_id\":");
		buf_adds(&list, view_call_at(c->view, c->cuts[i].call)->id);
		if (c->cuts[i].notes > 0)
			buf_fmt(&list, ",\"notes\":%zu}", c->cuts[i].notes);
		else
			buf_fmt(&list, ",\"tokens\":%ld}",
			    c->cuts[i].tokens);
	}
	if (c->ncuts > 0)
		put_list(o, "cut", &list);
	buf_release(&list);
}

void
epoch_print(struct compact *c, struct buf *out)
{
	struct epoch *e = &c->epoch;
	struct json *o = json_object();
	size_t first = c->changed > e->fold ? c->changed : e->fold;

	if (first >= view_nodes(c->view))
		first = view_nodes(c->view) - 1;
	json_str(o, "type", "compaction");
	json_int(o, "epoch", e->number);
	json_str(o, "stage", epoch_stage(c));
	json_int(o, "tokens_before", e->before);
	json_int(o, "tokens_after", e->after);
	json_int(o, "messages_in", (long long)e->messages_in);
	json_int(o, "messages_out", (long long)view_count(c->view));
	json_int(o, "results_compacted", (long long)compacted(c));
	json_int(o, "stable_prefix_bytes",
	    (long long)view_node(c->view, first)->off);
	put_lists(o, c);
	json_int(o, "window", c->budget.window);
	json_str(o, "strategy", c->set.strategy->name);
	put_border(o, c, "fold_to", "fold_at", e->fold);
	put_border(o, c, "tail_from", "tail_at", e->tail);
	put_border(o, c, "slim_to", "slim_at", e->thin);
	json_int(o, "summary_cap", (long long)e->summary_cap);
	if (e->base != e->after)	/* a later one gained nothing */
		json_int(o, "base", e->base);
	json_print(o, out);
	json_free(o);
}
