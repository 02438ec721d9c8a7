/* view_take.c - messages taken into a view.
 *
 * The view is a row of nodes; only the last one grows, but for a result that
 * comes late, which is put where its call stands.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "view_dialect.h"
#include "view_in.h"

#define NODE_LONG (512 * 64)	/* in 1/64 tokens */
#define CONTENT_LONG 2048	/* bytes: about as much */

/* ---- pieces ---- */

/* Content as a piece: a string or a filled array, else null; with a mark (in
 * JSON escapes) in front. */
static void
make_piece(struct view *v, struct piece *p, struct slice content,
    struct slice mark)
{
	struct buf *b = &v->tmp;
	struct slice first;
	struct walk w;

	if (scan_kind(content) == SCAN_ARRAY) {
		walk_in(&w, content);
		if (!walk_next(&w, NULL, &first))
			content.p = NULL;
	} else if (scan_kind(content) != SCAN_STRING) {
		content.p = NULL;
	}
	if (content.p == NULL)
		content = SLICE("null");
	if (mark.n > 0 && content.p[0] != 'n') {
		buf_reset(b);
		buf_adds(b, content.p[0] == '"' ? "\"" :
		    "[{\"type\":\"text\",\"text\":\"");
		buf_slice(b, mark);
		if (content.p[0] == '[')
			buf_adds(b, "\"},");
		buf_add(b, content.p + 1, content.n - 1);
		content = buf_view(b);
	}
	p->n = content.n;
	p->json = arena_dup(&v->arena, content.p, content.n);
}

static void
add_piece(struct view *v, enum piece_kind kind, struct slice content,
    struct slice mark)
{
	struct view_node *node = &v->nodes[v->n - 1];
	struct piece *p;
	uint64_t sum;

	v->pieces = xgrow(v->pieces, v->npieces, &v->cappieces,
	    sizeof *v->pieces);
	p = &v->pieces[v->npieces++];
	*p = (struct piece){ .kind = kind };
	make_piece(v, p, content, mark);
	node->npieces++;
	sum = view_content_sum(v->family, (struct slice){ p->json, p->n });
	if (kind == P_NOTE)
		node->notes += sum;
	view_grow(v, v->n - 1, sum, kind == P_REASONING ? 0 : sum);
	view_touch(v, v->n - 1);
}

/* ---- users ---- */

static struct view_node *
last_node(struct view *v)
{
	return v->n > 0 ? &v->nodes[v->n - 1] : NULL;
}

static void
new_node(struct view *v, enum view_kind kind, bool joins)
{
	uint64_t own = joins ? 0 : view_message_sum();

	v->nodes = xgrow(v->nodes, v->n, &v->cap, sizeof *v->nodes);
	v->nodes[v->n++] = (struct view_node){ .kind = kind, .joins = joins,
		.call = v->ncalls, .piece = v->npieces,
		.record = v->records - 1 };
	view_grow(v, v->n - 1, own, own);
}

/* Is the last node so long with this that it shall not grow?  What it is shown
 * in does; but nodes are what is folded. */
static bool
is_long(const struct view_node *last, struct slice content)
{
	return last->full >= NODE_LONG || content.n >= CONTENT_LONG;
}

/* What marks a text that was folded into a result, in JSON escapes. */
static void
mark_of(const struct rec *r, struct buf *mark)
{
	struct slice by = msg_meta(r, "by");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool guard = scan_str_is(by, "guard");

	msg_text(rec_get(r, "content"), &text);
	if (scan_kind(by) != SCAN_STRING ||
	    slice_starts(buf_view(&text), "[hamr-guard]"))
		;
	else if (guard)
		buf_adds(mark, "[hamr-guard] ");
	else {
		buf_addc(mark, '[');
		buf_add(mark, by.p + 1, by.n - 2);
		buf_adds(mark, "] ");
	}
	buf_release(&text);
}

static void
add_text(struct view *v, const struct rec *r, struct slice content)
{
	struct view_node *last = last_node(v);
	bool system = r->kind == R_SYSTEM;
	bool after = last != NULL && last->ncalls > 0;
	bool context = msg_by(r, "context");
	/* what was piped in is as much of the task as its words are */
	bool piped = context && scan_str_is(msg_meta(r, "from"), "stdin");
	bool person = msg_is_person(r) || piped;
	struct buf mark = BUF_INIT(BUF_RECORD_MAX);

	if (system)
		buf_adds(&mark, "[system] ");
	if (after && !person) {
		if (!system)
			mark_of(r, &mark);
		add_piece(v, P_NOTE, content, buf_view(&mark));
		v->pieces[v->npieces - 1].context = context;
		buf_release(&mark);
		return;
	}
	if (last == NULL || last->kind != VIEW_USER) {
		new_node(v, VIEW_USER, false);
		last_node(v)->interrupted = after;
	} else if (is_long(last, content)) {
		new_node(v, VIEW_USER, true);
	}
	last_node(v)->person |= person;
	add_piece(v, P_TEXT, content, buf_view(&mark));
	v->pieces[v->npieces - 1].person = person;
	v->pieces[v->npieces - 1].context = context && !piped;
	buf_release(&mark);
}

/* ---- assistants ---- */

/* Does an assistant message stand there that this one goes on? */
static bool
goes_on(const struct view *v, const struct view_node *last, bool dialect)
{
	return last != NULL && last->kind == VIEW_ASSISTANT &&
	    last->answered == 0 && !view_has_piece(v, last, P_NOTE) &&
	    !last->dialect && !(dialect && last->ncalls > 0);
}

static bool
has_calls(struct slice calls)
{
	struct walk w;

	if (scan_kind(calls) != SCAN_ARRAY)
		return false;
	walk_in(&w, calls);
	while (walk_key(&w, NULL)) {
		if (*w.p == '{')
			return true;
		walk_value(&w);
	}
	return false;
}

/* Do these bytes of a JSON string's inside stand for this text, and blanks
 * around it? */
static bool
stands_for(struct slice raw, struct slice text)
{
	struct buf json = BUF_INIT(BUF_RECORD_MAX), b = json;
	size_t at;
	bool same;

	buf_addc(&json, '"');
	buf_slice(&json, raw);
	buf_addc(&json, '"');
	scan_str(buf_view(&json), &b);
	buf_addc(&b, '\0');
	at = strspn(b.p, " \t\r\n");
	same = b.len > at + text.n && memcmp(b.p + at, text.p, text.n) == 0 &&
	    strspn(b.p + at + text.n, " \t\r\n") == b.len - 1 - at - text.n;
	buf_release(&json);
	buf_release(&b);
	return same;
}

/* A call that a caller wants to show slim: its slim arguments become the text
 * that is to stand where `raw` does in the piece p, and what it counts is
 * counted with the call. */
static void
slim_in_text(struct view *v, size_t i, const struct dialect_call *d,
    const struct piece *p, struct slice raw)
{
	struct view_call *c = &v->calls[i];
	struct buf text = BUF_INIT(BUF_RECORD_MAX), json = text;

	dialect_write(d, slice_of(c->slim), &text);
	c->slim = NULL;
	if (text.len < d->block.n && stands_for(raw, d->block)) {
		c->args = token_text(v->family, d->block.p, d->block.n);
		c->slim_args = token_text(v->family, text.p, text.len);
		scan_quote(&json, text.p, text.len);
		c->slim = arena_dup(&v->arena, json.p + 1, json.len - 2);
		c->at = (size_t)(raw.p - p->json);
		c->at_n = raw.n;
		view_grow(v, c->node, -c->args, -c->args);
		view_count_call(v, i, COUNT_FULL);
	}
	buf_release(&text);
	buf_release(&json);
}

/* The calls of a text, which is in piece `piece`: each gets an id that is never
 * sent. */
static void
add_text_calls(struct view *v, struct slice text, size_t piece)
{
	struct dialect_call d = { .name = BUF_INIT(BUF_RECORD_MAX),
		.args = BUF_INIT(BUF_RECORD_MAX) };
	struct piece *p = &v->pieces[piece];
	struct slice json = { p->json, p->n }, raw;
	size_t at = 0, raw_at = 0;
	bool known = true;

	p->calls = true;
	while (dialect_call(text, &at, &d)) {
		struct call c = { .name = buf_view(&d.name),
			.given = buf_view(&d.args) };

		view_add_call(v, &c);
		known = known && dialect_raw(json, &raw_at, &raw);
		if (v->calls[v->ncalls - 1].slim == NULL)
			continue;
		if (known)
			slim_in_text(v, v->ncalls - 1, &d, p, raw);
		else
			v->calls[v->ncalls - 1].slim = NULL;
	}
	last_node(v)->dialect = true;
	buf_release(&d.name);
	buf_release(&d.args);
}

static void
add_assistant(struct view *v, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct slice why = rec_get(r, "reasoning");
	struct slice content = rec_get(r, "content");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	bool native = has_calls(calls);
	size_t piece;
	struct walk w;
	struct call c;

	if (!native && dialect_may(content))
		msg_text(content, &text);
	if (!dialect_has_calls(buf_view(&text)))
		buf_reset(&text);
	if (!goes_on(v, last_node(v), text.len > 0))
		new_node(v, VIEW_ASSISTANT, false);
	else if (last_node(v)->ncalls == 0 && is_long(last_node(v), content))
		new_node(v, VIEW_ASSISTANT, true);
	piece = v->npieces;
	add_piece(v, P_TEXT, content, SLICE(""));
	if (scan_kind(why) == SCAN_STRING)
		add_piece(v, P_REASONING, why, SLICE(""));
	if (native) {
		walk_in(&w, calls);
		while (msg_next_call(&w, &c))
			if (scan_kind(c.whole) == SCAN_OBJECT)
				view_add_call(v, &c);
	}
	if (text.len > 0)
		add_text_calls(v, buf_view(&text), piece);
	view_touch(v, v->n - 1);
	buf_release(&text);
}

/* ---- results ---- */

static void
take_result(struct view *v, size_t i, const struct rec *r,
    struct slice content)
{
	struct view_call *c = &v->calls[i];
	struct view_node *node = &v->nodes[c->node];
	struct piece p = { .kind = P_TEXT };

	c->text = 0;
	if (v->hooks.result != NULL)
		v->hooks.result(v->hooks.self, c, r, content);
	if (c->result == NULL) {
		make_piece(v, &p, content, SLICE(""));
		c->result = p.json;
	}
	if (c->result[0] == 'n')
		memcpy(c->result, "\"\"", 3);	/* "null" is longer */
	node->answered++;
	view_count_call(v, i, COUNT_FULL);
	if (node->aged)
		view_count_call(v, i, COUNT_THIN);
	view_touch(v, c->node);
}

static void
add_result(struct view *v, const struct rec *r)
{
	size_t i = pairing_result(&v->pairing, rec_get(r, "tool_call_id"));
	struct slice name = rec_get(r, "name");

	if (i == (size_t)-1)
		return;		/* of no call, or a second one */
	if (scan_kind(name) == SCAN_STRING && name.n > 2)
		v->calls[i].name = arena_dup(&v->arena, name.p,
		    name.n);
	take_result(v, i, r, rec_get(r, "content"));
}

/* Results written as text answer the open calls of the last node, in order;
 * what is too much is dropped.  What stands behind them is a message. */
static void
add_text_results(struct view *v, const struct rec *r, struct slice text)
{
	struct buf json = BUF_INIT(BUF_RECORD_MAX);
	struct view_node *node = last_node(v);
	struct slice block;
	size_t at = 0;

	while (dialect_result(text, &at, &block)) {
		if (node == NULL || !node->dialect ||
		    node->answered == node->ncalls)
			continue;
		buf_reset(&json);
		scan_quote(&json, block.p, block.n);
		take_result(v, node->call + node->answered, r,
		    buf_view(&json));
	}
	if (at < text.n) {
		buf_reset(&json);
		scan_quote(&json, text.p + at, text.n - at);
		add_text(v, r, buf_view(&json));
	}
	buf_release(&json);
}

static void
add_user(struct view *v, const struct rec *r)
{
	struct slice content = rec_get(r, "content");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (r->kind == R_USER && dialect_may(content))
		msg_text(content, &text);
	if (dialect_is_result(buf_view(&text)))
		add_text_results(v, r, buf_view(&text));
	else
		add_text(v, r, content);
	buf_release(&text);
}

void
view_add(struct view *v, const struct rec *r)
{
	if (!rec_is_message(r->kind))
		return;
	v->records++;
	if (r->kind == R_SYSTEM && v->n == 0) {
		new_node(v, VIEW_SYSTEM, false);
		add_piece(v, P_TEXT, rec_get(r, "content"), SLICE(""));
	} else if (r->kind == R_ASSISTANT) {
		add_assistant(v, r);
	} else if (r->kind == R_TOOL) {
		add_result(v, r);
	} else {
		add_user(v, r);
	}
}
