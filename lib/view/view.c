/* view.c - the legal message list of a request (chapter 8.3): its size, its
 * text, and how its older parts are shown.
 *
 * `body` keeps what was written; when its end changes, that is cut off and
 * written again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "internal.h"

#define PER_IMAGE (1600 * 64)	/* in 1/64 tokens */
#define SHORT 256		/* bytes; shorter values need no minimum */
#define SKIPPED_SUM (13 * 64)	/* "[12 earlier notes left out]" */
#define NO_RESULT "\"(no result)\""

struct view *
view_new(void)
{
	struct view *v = xcalloc(1, sizeof *v);

	buf_init(&v->tmp, BUF_RECORD_MAX);
	buf_init(&v->body, (size_t)1 << 40);
	buf_init(&v->summary, BUF_RECORD_MAX);
	return v;
}

void
view_free(struct view *v)
{
	if (v == NULL)
		return;
	arena_release(&v->arena);
	FREE(v->nodes, v->pieces, v->calls);
	buf_release(&v->summary);
	pairing_reset(&v->pairing);
	map_release(&v->ids);
	scan_release(&v->scan);
	bufs_release(BUFS(&v->tmp, &v->body));
	free(v);
}

/* ---- estimates ---- */

static uint64_t
string_sum(enum token_family f, struct slice val)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	unsigned prev = TOKEN_START;

	scan_str(val, &text);
	uint64_t sum = token_sum(f, text.p, text.len, &prev);
	if (val.n >= SHORT)
		sum = token_at_least(sum, text.len);
	buf_release(&text);
	return sum;
}

uint64_t
view_part_sum(enum token_family f, struct slice part)
{
	struct slice text = scan_get(part, "text");
	struct slice type = scan_get(part, "type");

	if (scan_kind(part) == SCAN_STRING)
		return string_sum(f, part);
	if (scan_kind(text) == SCAN_STRING)
		return string_sum(f, text);
	if (scan_str_is(type, "image_url") || scan_str_is(type, "image") ||
	    scan_str_is(type, "input_image"))
		return PER_IMAGE;
	return token_text(f, part.p, part.n);
}

uint64_t
view_content_sum(enum token_family f, struct slice content)
{
	struct slice part;
	uint64_t sum = 0;

	if (scan_kind(content) == SCAN_STRING)
		return string_sum(f, content);
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); )
		sum += view_part_sum(f, part);
	return sum;
}

bool
view_is_shown(const struct view *v, size_t node)
{
	return node >= v->fold || v->nodes[node].nkept > 0 ||
	    (node == 0 && v->nodes[0].kind == VIEW_SYSTEM);
}

/* What the node counts as it is shown. */
static uint64_t
shown_sum(const struct view *v, size_t i)
{
	const struct view_node *node = &v->nodes[i];

	return !view_is_shown(v, i) ? 0 : node->slim ? node->thin : node->full;
}

void
view_grow(struct view *v, size_t i, uint64_t full, uint64_t thin)
{
	v->sum -= shown_sum(v, i);
	v->nodes[i].full += full;
	v->nodes[i].thin += thin;
	v->sum += shown_sum(v, i);
}

static bool
is_kept(const struct view_call *c)
{
	return c->keep && !c->lean;
}

void
view_count_call(struct view *v, size_t i)
{
	struct view_call *c = &v->calls[i];
	uint64_t was = c->full, was_slim = is_kept(c) ? c->full : c->thin;
	const char *result = c->cut != NULL ? c->cut :
	    c->result != NULL ? c->result : NO_RESULT;

	if (c->text == 0)
		c->text = view_content_sum(v->family, slice_of(result));
	c->full = VIEW_PER_MESSAGE + c->args + c->text;
	c->thin = VIEW_PER_MESSAGE + (c->slim != NULL ? c->slim_args :
	    c->args) + (c->stub != NULL ? c->stub_text : c->text);
	view_grow(v, c->node, c->full - was,
	    (is_kept(c) ? c->full : c->thin) - was_slim);
}

uint64_t
view_kept_sum(const struct view_call *c)
{
	return c->lean ? 0 : c->full - c->thin;
}

static bool
is_slim(const struct view_node *node, const struct view_call *c)
{
	return node->slim && !is_kept(c);
}

/* ---- pieces as one content ---- */

static bool
is_empty(struct slice value)
{
	return *value.p == 'n' || (value.n == 2 && *value.p == '"');
}

/* The White_Space of Unicode, as the servers' own trims take it; iswspace()
 * asks the locale, and not for NBSP. */
static bool
is_space(unsigned long c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 ||
	    c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
	    c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
	    c == 0x3000;
}

bool
view_is_blank_string(struct slice s)
{
	for (size_t i = 1, n; i + 1 < s.n; i += n) {
		const unsigned char *p = (const unsigned char *)s.p + i;
		char hex[5] = "";

		n = utf8_len(p, s.n - i);
		unsigned long c = ctrl_code(p, n);
		if (c == '\\' && p[1] == 'u') {
			memcpy(hex, p + 2, 4);
			c = strtoul(hex, NULL, 16);
			n = 6;
		} else if (c == '\\') {
			c = strchr("nrtf", p[1]) != NULL ? ' ' : p[1];
			n = 2;
		}
		if (!is_space(c))
			return false;
	}
	return true;
}

/* Append values as one content value: strings are joined by a blank line, and
 * become parts if parts is set.  False: none says anything. */
static bool
join(struct buf *out, bool parts, const struct slice *v, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		bool part = parts && *v[i].p == '"';

		if (is_empty(v[i]) || (part && view_is_blank_string(v[i])))
			continue;
		if (any)
			buf_adds(out, parts ? "," : "\\n\\n");
		else
			buf_addc(out, parts ? '[' : '"');
		any = true;
		if (part)
			scan_put(out, "{'type':'text','text':$}", v[i]);
		else
			buf_add(out, v[i].p + 1, v[i].n - 2);
	}
	if (any)
		buf_addc(out, parts ? ']' : '"');
	return any;
}

void
view_join(struct buf *out, const struct slice *values, size_t n)
{
	bool parts = false;

	for (size_t i = 0; i < n; i++)
		parts |= *values[i].p == '[';
	if (!join(out, parts, values, n))
		buf_adds(out, "\"\"");
}

/* A text with calls in it; made: with these replaced by their slim forms. */
static struct slice
slim_text(const struct view *v, const struct view_node *node,
    struct slice value, struct buf *made)
{
	struct buf text = BUF_INIT((size_t)1 << 40), slim = text;
	size_t at = 0;

	msg_text(value, &text);
	for (size_t i = 0; i < node->ncalls; i++) {
		const struct view_call *c = &v->calls[node->call + i];

		if (!is_slim(node, c) || c->slim == NULL)
			continue;
		buf_add(&slim, text.p + at, c->at - at);
		buf_fmt(&slim, "\n%s\n", c->slim);
		at = c->at + c->at_n;
	}
	if (slim.len > 0) {
		buf_add(&slim, text.p + at, text.len - at);
		scan_quote(made, slim.p, slim.len);
		value = buf_view(made);
	}
	bufs_release(BUFS(&text, &slim));
	return value;
}

/* Append `first` (p may be NULL) and the node's pieces of this kind to the body
 * as one content value; `none` when there are none. */
static void
print_content(struct view *v, const struct view_node *node, struct slice first,
    enum piece_kind kind, const char *none)
{
	struct slice *shown = xcalloc(node->npieces + 1, sizeof *shown);
	bool parts = first.p != NULL && *first.p == '[';
	struct buf made = BUF_INIT((size_t)1 << 40);
	size_t skip = kind == P_NOTE ? node->skipped : 0, n = 0, at = 0;

	if (first.p != NULL)
		shown[n++] = first;
	for (size_t i = 0; i < node->npieces; i++) {
		const struct piece *p = &v->pieces[node->piece + i];

		if (p->kind != kind)
			continue;
		parts |= *p->json.p == '[';
		if (at++ >= skip) {
			shown[n++] = p->calls && node->slim ?
			    slim_text(v, node, p->json, &made) : p->json;
		} else if (at == skip) {
			buf_fmt(&made, "\"[%zu earlier note%s left out]\"",
			    skip, skip == 1 ? "" : "s");
			shown[n++] = buf_view(&made);
		}
	}
	if (!join(&v->body, parts, shown, n))
		buf_adds(&v->body, none);
	free(shown);
	buf_release(&made);
}

bool
view_has_piece(const struct view *v, const struct view_node *node,
    enum piece_kind kind)
{
	for (size_t i = 0; i < node->npieces; i++)
		if (v->pieces[node->piece + i].kind == kind &&
		    !is_empty(v->pieces[node->piece + i].json))
			return true;
	return false;
}

void
view_invalidate(struct view *v, size_t node)
{
	if (!view_is_shown(v, node) || node > v->clean)
		return;		/* it is past the clean part already */
	/* the first node of the message that it is shown in */
	while (v->nodes[node].joins && view_is_shown(v, node - 1))
		node--;
	if (node >= v->clean)
		return;
	v->clean = node;
	v->body.len = v->nodes[node].off;
	v->shown = v->nodes[node].before;
}

/* ---- messages written ---- */

/* The beginning of a message; its content comes next. */
static void
open_message(struct view *v, const char *role)
{
	v->shown++;
	scan_put(&v->body, v->body.len > 0 ? ",{'role':'$','content':" :
	    "{'role':'$','content':", slice_of(role));
}

static const char *
result_of(const struct view *v, const struct view_node *node, size_t i)
{
	const struct view_call *c = &v->calls[node->call + i];

	if (is_slim(node, c) && c->stub != NULL)
		return c->stub;
	return c->cut != NULL ? c->cut : c->result != NULL ? c->result :
	    NO_RESULT;
}

/* The results of calls written in the text: one user message with a block for
 * each, as models of these dialects expect. */
static void
print_blocks(struct view *v, const struct view_node *node)
{
	struct buf all = BUF_INIT((size_t)1 << 40);

	buf_addc(&all, '"');
	for (size_t i = 0; i < node->ncalls; i++) {
		struct slice text = slice_of(result_of(v, node, i));

		scan_put(&all, i > 0 ? "\\n<tool_response>\\n$"
		    "\\n</tool_response>" : "<tool_response>\\n$"
		    "\\n</tool_response>", text.n > 2 ?
		    slice_part(text, 1, text.n - 1) : SLICE(""));
	}
	buf_addc(&all, '"');
	open_message(v, "user");
	print_content(v, node, buf_view(&all), P_NOTE, "\"\"");
	buf_addc(&v->body, '}');
	buf_release(&all);
}

/* node: everything shown in one message; why: the part that is not slim. */
static void
print_assistant(struct view *v, const struct view_node *node,
    const struct view_node *why)
{
	bool empty = *v->pieces[node->piece].json.p == '"';
	const struct slice none = { NULL, 0 };

	open_message(v, "assistant");
	print_content(v, node, none, P_TEXT,
	    node->ncalls == 0 ? EMPTY : empty ? "\"\"" : "null");
	if (view_has_piece(v, why, P_REASONING)) {
		buf_adds(&v->body, ",\"reasoning\":");
		print_content(v, why, none, P_REASONING, "\"\"");
	}
	if (node->dialect) {
		buf_addc(&v->body, '}');
		print_blocks(v, node);
		return;
	}
	for (size_t i = 0; i < node->ncalls; i++) {
		const struct view_call *c = &v->calls[node->call + i];

		buf_adds(&v->body, i == 0 ? ",\"tool_calls\":[" : ",");
		buf_adds(&v->body, is_slim(node, c) && c->slim != NULL ?
		    c->slim : c->json);
	}
	buf_adds(&v->body, node->ncalls > 0 ? "]}" : "}");
	v->shown += node->ncalls;
	for (size_t i = 0; i < node->ncalls; i++) {
		const struct view_call *c = &v->calls[node->call + i];
		struct slice result = slice_of(result_of(v, node, i));

		scan_put(&v->body, ",{'role':'tool','tool_call_id':$",
		    slice_of(c->id));
		if (c->name != NULL)
			scan_put(&v->body, ",'name':$", slice_of(c->name));
		scan_put(&v->body, ",'content':");
		if (i + 1 == node->ncalls && view_has_piece(v, node, P_NOTE))
			print_content(v, node, result, P_NOTE, "\"\"");
		else
			buf_slice(&v->body, result);
		buf_addc(&v->body, '}');
	}
}

/* Node i and those that continue its message, as one node: their pieces are
 * consecutive, and only the last one has calls. */
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

/* Must a message of the other role come before this one?  Also before a user
 * message after folded steps that are kept; not after the summary. */
static bool
is_bridged(const struct view *v, size_t i)
{
	if (v->fold > 0 && i == v->first)
		return false;
	return v->nodes[i].bridged || (i == v->fold && i > v->first &&
	    v->nodes[i].kind == VIEW_USER);
}

/* Print the message that node i begins; if it is the first one shown, with the
 * summary before it or as its beginning.  Returns the next node. */
static size_t
print_node(struct view *v, size_t i)
{
	struct slice summary = { NULL, 0 };
	bool first = i == v->first && v->fold > 0;
	struct view_node node, why = { .npieces = 0 };
	size_t end = i;

	if (first)
		summary = buf_view(&v->summary);
	do {
		v->nodes[end].off = v->body.len;
		v->nodes[end++].before = v->shown;
	} while (end < v->n && v->nodes[end].joins);
	node = whole_message(v, i, end);
	if (is_bridged(v, i)) {
		open_message(v, node.kind == VIEW_USER ? "assistant" : "user");
		/* a nudge is not an interruption */
		buf_adds(&v->body, node.kind == VIEW_USER && node.person ?
		    "\"(interrupted)\"}" : "\"(continued)\"}");
	}
	if (node.kind != VIEW_ASSISTANT) {
		open_message(v, node.kind == VIEW_SYSTEM ? "system" : "user");
		print_content(v, &node, summary, P_TEXT, "\"\"");
		buf_addc(&v->body, '}');
		return end;
	}
	if (first) {
		open_message(v, "user");
		buf_slice(&v->body, summary);
		buf_addc(&v->body, '}');
	}
	while (i < end && v->nodes[i].slim)	/* shows no reasoning */
		i++;
	if (i < end)
		why = whole_message(v, i, end);
	print_assistant(v, &node, &why);
	return end;
}

struct slice
view_messages(struct view *v)
{
	while (v->clean < v->n) {
		if (view_is_shown(v, v->clean))
			v->clean = print_node(v, v->clean);
		else
			v->clean++;
	}
	return buf_view(&v->body);
}

struct walk
view_walk(struct view *v)
{
	struct slice s = view_messages(v);

	return (struct walk){ s.p, s.p + s.n, SCAN_ARRAY };
}

void
view_take_messages(struct view *v, struct buf *out)
{
	view_messages(v);
	buf_release(out);
	buf_addc(&v->body, ']');
	buf_addc(&v->body, ' ');
	memmove(v->body.p + 1, v->body.p, v->body.len - 1);
	v->body.p[0] = '[';
	*out = v->body;
	v->body = BUF_INIT(out->max);
	v->clean = v->shown = 0;
}

/* ---- how older parts are shown ---- */

void
view_cut(struct view *v, size_t i, char *cut)
{
	struct view_call *c = &v->calls[i];

	if (cut == NULL && c->cut == NULL)
		return;
	c->cut = cut;
	c->text = 0;
	view_count_call(v, i);
	view_invalidate(v, c->node);
}

/* The first node shown after the summary, at `from` or later. */
static void
find_first(struct view *v, size_t from)
{
	while (from < v->fold && v->nodes[from].nkept == 0)
		from++;
	v->first = from;
}

void
view_keep(struct view *v, size_t i, bool keep)
{
	struct view_call *c = &v->calls[i];
	struct view_node *node = &v->nodes[c->node];
	uint64_t more = view_kept_sum(c);

	if (c->keep == keep)
		return;
	v->sum -= shown_sum(v, c->node);
	c->keep = keep;
	node->thin += keep ? more : -more;
	node->nkept += keep ? 1 : -(size_t)1;
	v->sum += shown_sum(v, c->node);
	if (c->node < v->fold) {	/* it appears or vanishes */
		v->clean = v->body.len = v->shown = 0;
		find_first(v, c->node < v->first ? c->node : v->first);
	}
	view_invalidate(v, c->node);
}

size_t
view_notes_over(const struct view *v, size_t i, uint64_t most)
{
	const struct view_node *node = &v->nodes[i];
	uint64_t left = node->notes;
	size_t n = 0;

	for (size_t k = 0; k < node->npieces && left > most; k++) {
		const struct piece *p = &v->pieces[node->piece + k];

		if (p->kind != P_NOTE || n++ < node->skipped)
			continue;
		if (p->sum == left)
			return n - 1;	/* it was the last one: keep it */
		left -= p->sum;
	}
	return n;
}

void
view_skip_notes(struct view *v, size_t i, size_t n)
{
	struct view_node *node = &v->nodes[i];
	uint64_t more = -node->notes - (node->skipped > 0 ? SKIPPED_SUM : 0);
	const struct piece *p = &v->pieces[node->piece];
	size_t all = 0, at = 0;

	for (size_t k = 0; k < node->npieces; k++)
		all += p[k].kind == P_NOTE;
	if (n >= all)		/* keep at least one */
		n = all > 0 ? all - 1 : 0;
	node->notes = 0;
	for (size_t k = 0; k < node->npieces; k++)
		if (p[k].kind == P_NOTE && at++ >= n)
			node->notes += p[k].sum;
	node->skipped = n;
	more += node->notes + (n > 0 ? SKIPPED_SUM : 0);
	view_grow(v, i, more, more);
	view_invalidate(v, i);
}

void
view_show(struct view *v, size_t fold, struct slice summary, size_t thin)
{
	bool system = v->n > 0 && v->nodes[0].kind == VIEW_SYSTEM;
	size_t from = v->first < fold ? v->first : fold;

	if (from < system)
		from = system;
	buf_reset(&v->summary);
	v->summary_sum = 0;
	v->fold = fold;
	if (fold > 0) {
		buf_slice(&v->summary, summary);
		v->summary_sum = VIEW_PER_MESSAGE +
		    view_content_sum(v->family, summary);
	}
	v->clean = v->body.len = v->shown = 0;
	v->sum = system ? v->nodes[0].full : 0;
	find_first(v, from);
	for (size_t i = from; i < v->n; i++) {
		v->nodes[i].slim = i < thin;
		v->sum += shown_sum(v, i);
	}
}

/* ---- what is known of it ---- */

bool
view_text(const struct view *v, size_t i, enum view_text what, size_t *at,
    struct buf *out)
{
	const struct view_node *node = &v->nodes[i];

	while (*at < node->npieces) {
		const struct piece *p = &v->pieces[node->piece + (*at)++];
		bool wanted = what == VIEW_CONTEXT ? p->context :
		    p->kind == P_TEXT && (what == VIEW_SAID || p->person);

		if (wanted && !is_empty(p->json) && (msg_text(p->json, out) ||
		    msg_has_image(p->json)))
			return true;
	}
	return false;
}

struct slice
view_value(const struct view *v, size_t i, size_t at)
{
	return v->pieces[v->nodes[i].piece + at - 1].json;
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
view_count(struct view *v)
{
	view_messages(v);
	return v->shown;
}
