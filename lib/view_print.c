/* view_print.c - a view written out: what a node's pieces look like.
 *
 * What is printed is kept in `body`, from which a changed end is cut (view.c)
 * and written again.
 */
#include <string.h>

#include "view_in.h"

#define INTERRUPTED "(interrupted)"

bool
view_is_empty(const struct piece *p)
{
	return p->json[0] == 'n' || (p->n == 2 && p->json[0] == '"');
}

/* A row of pieces while it is written out as one content value: strings are
 * joined by a blank line, and become parts when an array is among them. */
struct joined {
	struct buf *out;
	bool parts;
	size_t n;
};

static void
join(struct joined *j, const struct piece *p)
{
	if (view_is_empty(p))
		return;
	if (!j->parts) {
		buf_adds(j->out, j->n++ > 0 ? "\\n\\n" : "\"");
		buf_add(j->out, p->json + 1, p->n - 2);
		return;
	}
	buf_adds(j->out, j->n++ > 0 ? "," : "[");
	if (p->json[0] == '[') {
		buf_add(j->out, p->json + 1, p->n - 2);
		return;
	}
	buf_adds(j->out, "{\"type\":\"text\",\"text\":");
	buf_add(j->out, p->json, p->n);
	buf_addc(j->out, '}');
}

/* A text with calls in it: the slim ones instead of those that stand there. */
static void
join_slim(const struct view *v, const struct view_node *node,
    const struct piece *p, struct joined *j)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	struct piece slim = *p;
	size_t at = 0;

	for (size_t i = 0; i < node->ncalls; i++) {
		const struct view_call *c = &v->calls[node->call + i];

		if (c->keep || c->slim == NULL)
			continue;
		buf_add(&all, p->json + at, c->at - at);
		buf_adds(&all, "\\n");
		buf_adds(&all, c->slim);
		buf_adds(&all, "\\n");
		at = c->at + c->at_n;
	}
	buf_add(&all, p->json + at, p->n - at);
	slim.json = all.p;
	slim.n = all.len;
	join(j, &slim);
	buf_release(&all);
}

void
view_note_of(size_t skipped, struct buf *out)
{
	buf_fmt(out, "\"[%zu earlier note%s left out]\"", skipped,
	    skipped == 1 ? "" : "s");
}

static void
join_skipped(size_t skipped, struct joined *j)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	view_note_of(skipped, &text);
	join(j, &(struct piece){ .kind = P_NOTE, .json = text.p,
	    .n = text.len });
	buf_release(&text);
}

/* Append `first` (may be NULL) and the node's pieces of this kind as one
 * content value; `none` when there are none. */
static void
print_content(const struct view *v, const struct view_node *node,
    const struct piece *first, enum piece_kind kind, const char *none,
    struct buf *out)
{
	const struct piece *p = v->pieces + node->piece;
	struct joined j = { out, first != NULL && first->json[0] == '[', 0 };
	size_t skip = kind == P_NOTE ? node->skipped : 0;

	for (size_t i = 0; i < node->npieces; i++)
		j.parts |= p[i].kind == kind && p[i].json[0] == '[';
	if (first != NULL)
		join(&j, first);
	for (size_t i = 0; i < node->npieces; i++) {
		if (p[i].kind != kind)
			continue;
		if (skip > 0) {
			if (--skip == 0)
				join_skipped(node->skipped, &j);
			continue;
		}
		if (p[i].calls && node->slim)
			join_slim(v, node, &p[i], &j);
		else
			join(&j, &p[i]);
	}
	if (j.n == 0)
		buf_adds(out, none);
	else
		buf_addc(out, j.parts ? ']' : '"');
}

bool
view_has_piece(const struct view *v, const struct view_node *node,
    enum piece_kind kind)
{
	for (size_t i = 0; i < node->npieces; i++)
		if (v->pieces[node->piece + i].kind == kind &&
		    !view_is_empty(&v->pieces[node->piece + i]))
			return true;
	return false;
}

void
view_touch(struct view *v, size_t node)
{
	if (!view_is_shown(v, node) || node > v->clean)
		return;		/* no message is half clean */
	node = view_head(v, node);
	if (node >= v->clean)
		return;
	v->clean = node;
	v->body.len = v->nodes[node].off;
}

/* ---- writing ---- */

static void
open_message(struct view *v, const char *role)
{
	buf_adds(&v->body, v->body.len > 0 ? ",{\"role\":\"" :
	    "{\"role\":\"");
	buf_adds(&v->body, role);
	buf_addc(&v->body, '"');
}

/* What is shown as the result of a call. */
static const char *
result_of(struct view *v, const struct view_node *node, size_t i)
{
	struct view_call *c = &v->calls[node->call + i];

	if (node->slim && !c->keep && c->stub != NULL) {
		if (v->hooks.shown != NULL)
			v->hooks.shown(v->hooks.self, c);
		return c->stub;
	}
	return c->cut != NULL ? c->cut : c->result != NULL ? c->result :
	    NO_RESULT;
}

static void
print_result(struct view *v, const struct view_node *node, size_t i)
{
	const struct view_call *c = &v->calls[node->call + i];
	bool last = i + 1 == node->ncalls;
	const char *text = result_of(v, node, i);
	struct piece p = { .kind = P_NOTE, .json = (char *)text,
		.n = strlen(text) };

	open_message(v, "tool");
	buf_adds(&v->body, ",\"tool_call_id\":");
	buf_adds(&v->body, c->id);
	if (c->name != NULL) {
		buf_adds(&v->body, ",\"name\":");
		buf_adds(&v->body, c->name);
	}
	buf_adds(&v->body, ",\"content\":");
	if (last && view_has_piece(v, node, P_NOTE))
		print_content(v, node, &p, P_NOTE, "\"\"", &v->body);
	else
		buf_add(&v->body, p.json, p.n);
	buf_addc(&v->body, '}');
}

/* The results of calls that stand in the text: one user message, a block
 * each, as the models of such dialects know it. */
static void
print_blocks(struct view *v, const struct view_node *node)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	struct piece p = { .kind = P_NOTE };

	buf_addc(&all, '"');
	for (size_t i = 0; i < node->ncalls; i++) {
		const char *text = result_of(v, node, i);
		size_t n = strlen(text);

		buf_adds(&all, i > 0 ? "\\n<tool_response>\\n" :
		    "<tool_response>\\n");
		if (n > 2)
			buf_add(&all, text + 1, n - 2);
		buf_adds(&all, "\\n</tool_response>");
	}
	buf_addc(&all, '"');
	p.json = all.p;
	p.n = all.len;
	open_message(v, "user");
	buf_adds(&v->body, ",\"content\":");
	print_content(v, node, &p, P_NOTE, "\"\"", &v->body);
	buf_addc(&v->body, '}');
	buf_release(&all);
}

/* node: all that is shown in one message; why: of it, what is not slim. */
static void
print_assistant(struct view *v, const struct view_node *node,
    const struct view_node *why)
{
	bool empty = v->pieces[node->piece].json[0] == '"';

	open_message(v, "assistant");
	buf_adds(&v->body, ",\"content\":");
	print_content(v, node, NULL, P_TEXT,
	    node->ncalls > 0 && !empty ? "null" : "\"\"", &v->body);
	if (view_has_piece(v, why, P_REASONING)) {
		buf_adds(&v->body, ",\"reasoning\":");
		print_content(v, why, NULL, P_REASONING, "\"\"", &v->body);
	}
	if (node->dialect) {
		buf_addc(&v->body, '}');
		print_blocks(v, node);
		return;
	}
	for (size_t i = 0; i < node->ncalls; i++) {
		const struct view_call *c = &v->calls[node->call + i];

		buf_adds(&v->body, i == 0 ? ",\"tool_calls\":[" : ",");
		buf_adds(&v->body, node->slim && !c->keep && c->slim != NULL ?
		    c->slim : c->json);
	}
	buf_adds(&v->body, node->ncalls > 0 ? "]}" : "}");
	for (size_t i = 0; i < node->ncalls; i++)
		print_result(v, node, i);
}

/* A system or user message; the summary, if any, is its beginning. */
static void
print_text(struct view *v, const struct view_node *node,
    const struct piece *first)
{
	if (node->interrupted && first == NULL) {
		open_message(v, "assistant");
		buf_adds(&v->body, ",\"content\":\"" INTERRUPTED "\"}");
	}
	open_message(v, node->kind == VIEW_SYSTEM ? "system" : "user");
	buf_adds(&v->body, ",\"content\":");
	print_content(v, node, first, P_TEXT, "\"\"", &v->body);
	buf_addc(&v->body, '}');
}

/* Node i and those that go on in its message, as one: their pieces stand in a
 * row, and only the last one has calls. */
static struct view_node
whole_message(const struct view *v, size_t i, size_t end)
{
	struct view_node all = v->nodes[i], last = v->nodes[end - 1];

	all.npieces = last.piece + last.npieces - all.piece;
	all.call = last.call;
	all.ncalls = last.ncalls;
	all.dialect = last.dialect;
	all.slim = last.slim;
	all.skipped = last.skipped;
	return all;
}

/* What there is to be shown of the reasoning. */
static struct view_node
not_slim(const struct view *v, size_t i, size_t end)
{
	while (i < end && v->nodes[i].slim)
		i++;
	return i < end ? whole_message(v, i, end) :
	    (struct view_node){ .npieces = 0 };
}

/* Print the message that node i begins; what is behind it. */
static size_t
print_node(struct view *v, size_t i)
{
	bool first = i == v->fold && v->fold > 0;
	struct view_node node, why;
	size_t end = i;

	do
		v->nodes[end++].off = v->body.len;
	while (end < v->n && v->nodes[end].joins);
	node = whole_message(v, i, end);
	if (first && node.kind == VIEW_ASSISTANT) {
		open_message(v, "user");
		buf_adds(&v->body, ",\"content\":");
		buf_add(&v->body, v->summary.json, v->summary.n);
		buf_addc(&v->body, '}');
	}
	if (node.kind == VIEW_ASSISTANT) {
		why = not_slim(v, i, end);
		print_assistant(v, &node, &why);
	} else {
		print_text(v, &node, first ? &v->summary : NULL);
	}
	return end;
}

struct slice
view_messages(struct view *v)
{
	while (v->clean < v->n) {
		if (view_is_shown(v, v->clean))
			v->clean = print_node(v, v->clean);
		else
			v->clean = v->fold;
	}
	return buf_view(&v->body);
}

size_t
view_unchanged(const struct view *v)
{
	return v->body.len;
}

void
view_print(struct view *v, struct buf *out)
{
	struct slice messages = view_messages(v);

	buf_reserve(out, messages.n + 2);
	buf_addc(out, '[');
	buf_slice(out, messages);
	buf_addc(out, ']');
}
