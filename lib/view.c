/* view.c - the legal message list of a request (chapter 8.3): its life, what
 * is known of it, and how older parts of it are shown.
 */
#include <stdlib.h>

#include "view_in.h"
#include "mem.h"

struct view *
view_new(void)
{
	struct view *v = xcalloc(1, sizeof *v);

	buf_init(&v->tmp, BUF_RECORD_MAX);
	buf_init(&v->body, (size_t)1 << 40);
	return v;
}

void
view_free(struct view *v)
{
	if (v == NULL)
		return;
	arena_release(&v->arena);
	free(v->nodes);
	free(v->pieces);
	free(v->calls);
	free(v->summary.json);
	pairing_reset(&v->pairing);
	map_release(&v->ids);
	scan_release(&v->scan);
	buf_release(&v->tmp);
	buf_release(&v->body);
	free(v);
}

/* ---- for hamr-compact ---- */

void *
view_take(struct view *v, size_t n)
{
	return arena_take(&v->arena, n);
}

char *
view_dup(struct view *v, const char *p, size_t n)
{
	return arena_dup(&v->arena, p, n);
}

char *
view_join(struct view *v, struct slice a, struct slice b)
{
	return arena_join(&v->arena, a, b);
}

void
view_set_hooks(struct view *v, const struct view_hooks *h)
{
	v->hooks = *h;
}

void
view_set_family(struct view *v, enum token_family f)
{
	v->family = f;
}

size_t
view_nodes(const struct view *v)
{
	return v->n;
}

const struct view_node *
view_node(const struct view *v, size_t i)
{
	return &v->nodes[i];
}

struct view_call *
view_call_at(const struct view *v, size_t i)
{
	return &v->calls[i];
}

static bool
is_wanted(const struct piece *p, enum view_text what)
{
	switch (what) {
	case VIEW_CONTEXT: return p->context;
	case VIEW_PERSON: return p->person && p->kind == P_TEXT;
	default: return p->kind == P_TEXT;
	}
}

bool
view_text(const struct view *v, size_t i, enum view_text what, size_t *at,
    struct buf *out)
{
	const struct view_node *node = &v->nodes[i];

	while (*at < node->npieces) {
		const struct piece *p = &v->pieces[node->piece + (*at)++];

		if (is_wanted(p, what) && !view_is_empty(p) &&
		    msg_text((struct slice){ p->json, p->n }, out))
			return true;
	}
	return false;
}

bool
view_says(const struct view *v, size_t i)
{
	return view_has_piece(v, &v->nodes[i], P_TEXT);
}

uint64_t
view_sum(const struct view *v)
{
	return v->sum + v->summary_sum;
}

size_t
view_open_calls(const struct view *v)
{
	return v->pairing.open;
}

size_t
view_records(const struct view *v)
{
	return v->records;
}

size_t
view_count(const struct view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct view_node *node = &v->nodes[i];
		bool first = i == v->fold && v->fold > 0;

		if (!view_is_shown(v, i))
			continue;
		n += node->dialect ? 1 : node->ncalls;
		if (view_head(v, i) != i)
			continue;
		n++;
		if (node->kind == VIEW_ASSISTANT)
			n += first;
		else
			n += node->interrupted && !first;
	}
	return n;
}

/* ---- how older parts are shown ---- */

void
view_age(struct view *v, size_t upto)
{
	for (; v->aged < upto && v->aged < v->n; v->aged++) {
		struct view_node *node = &v->nodes[v->aged];

		node->aged = true;
		for (size_t k = 0; k < node->ncalls; k++)
			view_count_call(v, node->call + k, COUNT_THIN);
	}
}

void
view_cut(struct view *v, size_t i, char *cut)
{
	struct view_call *c = &v->calls[i];

	if (cut == NULL && c->cut == NULL)
		return;
	c->cut = cut;
	c->text = 0;
	view_count_call(v, i, COUNT_FULL);
	if (v->nodes[c->node].aged)
		view_count_call(v, i, COUNT_THIN);
	view_touch(v, c->node);
}

void
view_keep(struct view *v, size_t i, bool keep)
{
	struct view_call *c = &v->calls[i];
	struct view_node *node = &v->nodes[c->node];
	uint64_t more = c->full - c->thin;

	if (c->keep == keep)
		return;
	c->keep = keep;
	more = keep ? more : -more;
	node->kept += more;
	if (node->slim && view_is_shown(v, c->node))
		v->sum += more;
	view_touch(v, c->node);
}

/* What the notes from the from-th to before the to-th count. */
static uint64_t
notes_sum(const struct view *v, const struct view_node *node, size_t from,
    size_t to)
{
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < node->npieces && n < to; k++) {
		const struct piece *p = &v->pieces[node->piece + k];

		if (p->kind == P_NOTE && n++ >= from)
			sum += view_content_sum(v->family,
			    (struct slice){ p->json, p->n });
	}
	return sum;
}

size_t
view_notes_over(const struct view *v, size_t i, uint64_t most)
{
	const struct view_node *node = &v->nodes[i];
	uint64_t left = node->notes;
	size_t n = 0;

	for (size_t k = 0; k < node->npieces && left > most; k++) {
		const struct piece *p = &v->pieces[node->piece + k];
		uint64_t sum;

		if (p->kind != P_NOTE || n++ < node->skipped)
			continue;
		sum = view_content_sum(v->family,
		    (struct slice){ p->json, p->n });
		if (sum == left)
			return n - 1;	/* it is the newest */
		left -= sum;
	}
	return n;
}

/* What is said of notes that are left out. */
static uint64_t
said_sum(const struct view *v, size_t skipped)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	uint64_t sum;

	if (skipped == 0)
		return 0;
	view_note_of(skipped, &text);
	sum = view_string_sum(v->family, buf_view(&text));
	buf_release(&text);
	return sum;
}

/* So many, but not all of them. */
static size_t
not_all(const struct view *v, const struct view_node *node, size_t wanted)
{
	size_t n = 0;

	for (size_t k = 0; k < node->npieces && n <= wanted; k++)
		n += v->pieces[node->piece + k].kind == P_NOTE;
	return n > wanted ? wanted : n > 0 ? n - 1 : 0;
}

void
view_skip_notes(struct view *v, size_t i, size_t wanted)
{
	struct view_node *node = &v->nodes[i];
	size_t n = not_all(v, node, wanted);
	uint64_t less = n > node->skipped ?
	    notes_sum(v, node, node->skipped, n) :
	    -notes_sum(v, node, n, node->skipped);
	uint64_t more = said_sum(v, n) - said_sum(v, node->skipped) - less;

	node->notes -= less;
	node->skipped = n;
	view_grow(v, i, more, more);
	view_touch(v, i);
}

static void
put_summary(struct view *v, struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_quote(&b, text.p, text.n);
	v->summary.n = b.len;
	v->summary.json = buf_detach(&b);
	v->summary_sum = view_message_sum() + view_string_sum(v->family,
	    (struct slice){ v->summary.json, v->summary.n });
}

static uint64_t
kept_sum(const struct view *v, const struct view_node *node)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < node->ncalls; k++) {
		const struct view_call *c = &v->calls[node->call + k];

		if (c->keep)
			sum += c->full - c->thin;
	}
	return sum;
}

void
view_show(struct view *v, size_t fold, struct slice summary, size_t thin)
{
	free(v->summary.json);
	v->summary = (struct piece){ .kind = P_TEXT };
	v->summary_sum = 0;
	v->fold = fold;
	if (fold > 0)
		put_summary(v, summary);
	view_age(v, thin);
	v->clean = v->body.len = v->sum = 0;
	if (fold > 0 && v->nodes[0].kind == VIEW_SYSTEM)
		v->sum = v->nodes[0].full;
	for (size_t i = fold; i < v->n; i++) {
		struct view_node *node = &v->nodes[i];

		node->slim = i < thin;
		node->kept = kept_sum(v, node);
		v->sum += node->slim ? node->thin + node->kept : node->full;
	}
}
