/* view_add.c - takes messages into a view.
 *
 * The view is a row of nodes; only the last one grows, except that a late
 * result goes where its call is.
 *
 * In chat logs of models without native calls, calls and results are in the
 * text of messages: an assistant writes blocks <tool_call>...</tool_call> at
 * the end of its message, a user message answers with blocks
 * <tool_response>...</tool_response>.  Their inside is a JSON object with name
 * and arguments (Hermes, Qwen), or <function=NAME> and <parameter=KEY>
 * (Qwen3-Coder).  No XML parser: values are raw text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "internal.h"

#define NO_NAME "\"unknown\""
#define NO_OUTPUT "\"(no output)\""	/* instead of an empty result */
#define NODE_LONG (512 * 64)	/* in 1/64 tokens */
#define CONTENT_LONG 2048	/* bytes: about as much */

#define CALL "<tool_call>"
#define CALL_END "</tool_call>"
#define RESULT "<tool_response>"
#define RESULT_END "</tool_response>"
#define FUNCTION "<function="
#define PARAMETER "<parameter="

/* In v->ids: the low 32 bits are how often an id was repeated, the high ones
 * the index + 1 of the call that has it. */
#define TIMES 0xffffffffu

/* ---- calls and results in texts ---- */

/* A quick look at a content value: is it worth decoding? */
static bool
dialect_may(struct slice content)
{
	return content.n > 30 && slice_has(content, "tool_") &&
	    (slice_has(content, "tool_call") ||
	    slice_has(content, "tool_response"));
}

/* The text between the next two tags; false: there are none. */
static bool
next_block(struct slice text, size_t *at, const char *open, const char *close,
    struct slice *block)
{
	size_t from = slice_find(text, *at, open) + strlen(open);
	size_t to = slice_find(text, from, close);

	if (to == text.n)
		return false;
	*block = slice_trim(slice_part(text, from, to));
	*at = to + strlen(close);
	return true;
}

struct dialect_call {
	struct buf name, args;	/* JSON: a string, an object's text quoted */
	struct slice block;	/* what stands between the tags, trimmed */
	bool tags;		/* it is <function=NAME>, not JSON */
};

/* The next call; *at starts at 0.  False: none is left. */
static bool
dialect_call(struct slice text, size_t *at, struct dialect_call *c)
{
	struct buf name = BUF_INIT(BUF_RECORD_MAX), args = name;
	struct slice block;
	size_t n = 0;

	if (!next_block(text, at, CALL, CALL_END, &block))
		return false;
	c->tags = !scan_is_json(block) || *block.p != '{';
	if (!c->tags) {
		scan_str(scan_get(block, "name"), &name);
		struct slice val = scan_get(block, "arguments");
		if (!scan_str(val, &args))
			buf_slice(&args, val.p != NULL ? val : SLICE("{}"));
	} else {
		/* <function=NAME> <parameter=KEY> value </parameter> ... */
		size_t from = slice_find(block, 0, FUNCTION);
		size_t end = slice_find(block, from, ">");
		if (end < block.n)
			buf_slice(&name, slice_part(block,
			    from + strlen(FUNCTION), end));
		buf_addc(&args, '{');
		while ((from = slice_find(block, end, PARAMETER)) < block.n) {
			from += strlen(PARAMETER);
			end = slice_find(block, from, ">");
			if (end == block.n)
				break;
			struct slice key = slice_part(block, from, end);
			from = end + 1;
			end = slice_find(block, from, "</parameter>");
			scan_put(&args, n++ > 0 ? ",@:@" : " @:@", key,
			    slice_trim(slice_part(block, from, end)));
		}
		buf_addc(&args, '}');
	}
	bufs_reset(BUFS(&c->name, &c->args));
	c->block = block;
	scan_put(&c->name, "@", buf_view(&name));
	scan_put(&c->args, "@", buf_view(&args));
	bufs_release(BUFS(&name, &args));
	return true;
}

/* Append the inside of a call's tags, as dialect_call read it, with other
 * arguments: a JSON object. */
static void
dialect_write(const struct dialect_call *c, struct slice args,
    struct buf *out)
{
	struct slice key, val;

	if (!c->tags) {
		scan_put(out, "{'name': $, 'arguments': $}",
		    buf_view(&c->name), args);
		return;
	}
	buf_adds(out, FUNCTION);
	scan_str(buf_view(&c->name), out);
	buf_adds(out, ">\n");
	for (struct walk w = walk_of(args); walk_next(&w, &key, &val); ) {
		buf_adds(out, PARAMETER);
		scan_inside(key, out);
		buf_adds(out, ">\n");
		scan_str(val, out);
		buf_adds(out, "\n</parameter>\n");
	}
	buf_adds(out, "</function>");
}

/* The next result; at the end *at is where other text begins, or text.n. */
static bool
dialect_result(struct slice text, size_t *at, struct slice *block)
{
	struct slice rest = slice_trim(slice_from(text, *at));

	if (rest.n == 0)
		*at = text.n;
	return slice_starts(rest, RESULT) &&
	    next_block(text, at, RESULT, RESULT_END, block);
}

/* ---- pieces ---- */

/* Servers refuse a part of only white space, and one that is no object: the
 * latter is a text if it is a string, else it says nothing. */
static bool
is_blank_part(struct slice part)
{
	if (scan_kind(part) == SCAN_OBJECT)
		part = scan_get(part, "text");
	else if (scan_kind(part) != SCAN_STRING)
		return true;
	return scan_kind(part) == SCAN_STRING && view_is_blank_string(part);
}

/* Is this content empty or only white space?  Servers refuse both. */
static bool
is_blank(struct slice content)
{
	struct slice part;

	if (scan_kind(content) == SCAN_STRING)
		return view_is_blank_string(content);
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); )
		if (!is_blank_part(part))
			return false;
	return true;
}

/* Replace escaped unpaired surrogates, which servers refuse, by U+FFFD: an
 * escape of the same length.  True: there was one. */
static bool
mend_surrogates(char *json, size_t n)
{
	const char *lone, *from = json;

	while ((lone = scan_lone_surrogate((struct slice){ from,
	    (size_t)(json + n - from) })) != NULL) {
		memcpy(json + (lone - json), "\\ufffd", 6);
		from = lone + 6;
	}
	return from > json;
}

static char *
keep_json(struct view *v, struct slice json)
{
	char *kept = arena_dup(&v->arena, json.p, json.n);

	mend_surrogates(kept, json.n);
	return kept;
}

/* A copy of a content value: a string or a non-empty array, else null; with a
 * mark (already escaped) in front. */
static char *
keep_content(struct view *v, struct slice content, struct slice mark,
    size_t *n)
{
	struct buf *b = &v->tmp;
	struct walk w = walk_elements(content);

	if (scan_kind(content) != SCAN_STRING && !walk_key(&w, NULL))
		content = SLICE("null");
	if (mark.n > 0 && *content.p != 'n') {
		buf_reset(b);
		buf_adds(b, *content.p == '"' ? "\"" :
		    "[{\"type\":\"text\",\"text\":\"");
		buf_slice(b, mark);
		if (*content.p == '[')
			buf_adds(b, "\"},");
		buf_add(b, content.p + 1, content.n - 1);
		content = buf_view(b);
	}
	*n = content.n;
	return keep_json(v, content);
}

static struct piece *
add_piece(struct view *v, enum piece_kind kind, struct slice content,
    struct slice mark)
{
	struct view_node *node = &v->nodes[v->n - 1];

	GROW(v->pieces, v->npieces, v->cappieces);
	struct piece *p = &v->pieces[v->npieces++];
	*p = (struct piece){ .kind = kind };
	p->json.p = keep_content(v, content, mark, &p->json.n);
	node->npieces++;
	p->sum = view_content_sum(v->family, p->json);
	if (kind == P_NOTE)
		node->notes += p->sum;
	view_grow(v, v->n - 1, p->sum, kind == P_REASONING ? 0 : p->sum);
	view_invalidate(v, v->n - 1);
	return p;
}

static struct view_node *
last_node(struct view *v)
{
	return v->n > 0 ? &v->nodes[v->n - 1] : NULL;
}

static void
new_node(struct view *v, enum view_kind kind, bool joins)
{
	uint64_t own = joins ? 0 : VIEW_PER_MESSAGE;

	GROW(v->nodes, v->n, v->cap);
	v->nodes[v->n++] = (struct view_node){ .kind = kind, .joins = joins,
		.call = v->ncalls, .piece = v->npieces,
		.record = v->records - 1 };
	view_grow(v, v->n - 1, own, own);
}

/* Is the last node long already, or is this content?  A new node then continues
 * the message, as whole nodes are folded. */
static bool
is_long(const struct view_node *last, struct slice content)
{
	return last->full >= NODE_LONG || content.n >= CONTENT_LONG;
}

static void
add_text(struct view *v, const struct rec *r, struct slice content)
{
	struct view_node *last = last_node(v);
	bool after = last != NULL && last->ncalls > 0;
	bool context = msg_by(r, "context");
	/* piped input is as much part of the task as the prompt is */
	bool piped = context && scan_str_is(msg_meta(r, "from"), "stdin");
	bool person = msg_is_person(r) || piped, blank = is_blank(content);
	struct piece *p;

	if (after && !person) {
		/* it is folded into the result, after a mark */
		struct buf mark = BUF_INIT(BUF_RECORD_MAX), text = mark;
		struct slice by = msg_meta(r, "by");

		msg_text(rec_get(r, "content"), &text);
		if (r->kind == R_SYSTEM)
			buf_adds(&mark, "[system] ");
		else if (scan_kind(by) == SCAN_STRING &&
		    !slice_starts(buf_view(&text), "[hamr-guard]"))
			scan_put(&mark, "[$] ", scan_str_is(by, "guard") ?
			    SLICE("hamr-guard") : slice_part(by, 1, by.n - 1));
		p = add_piece(v, P_NOTE, content, buf_view(&mark));
		p->context = context;
		bufs_release(BUFS(&mark, &text));
		return;
	}
	if (last == NULL || last->kind != VIEW_USER) {
		if (blank)
			content = SLICE(EMPTY);
		new_node(v, VIEW_USER, false);
		last_node(v)->bridged = after;
	} else if (is_long(last, content) && !blank) {
		/* an empty message could not be shown by itself */
		new_node(v, VIEW_USER, true);
	}
	person &= !blank;	/* it is no task, and begins no turn */
	last_node(v)->person |= person;
	p = add_piece(v, P_TEXT, content, r->kind == R_SYSTEM ?
	    SLICE("[system] ") : SLICE(""));
	p->person = person;
	p->context = context && !piped;
}

/* ---- calls ---- */

bool
view_find_call(const struct view *v, struct slice id, size_t *i)
{
	char *text = scan_strdup(id);
	uint64_t *at = text == NULL ? NULL :
	    map_get(&v->ids, slice_of(text));

	free(text);
	if (at == NULL)
		return false;
	*i = (size_t)(*at >> 32) - 1;
	return true;
}

/* A unique id for the call, as a JSON string. */
static char *
unique_id(struct view *v, struct slice id, bool *own)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	char *wanted = scan_text(id);

	*own = *wanted != '\0';
	if (!*own) {
		free(wanted);
		wanted = xasprintf("call_hamr_%zu", v->ncalls + 1);
	}
	char *text = xstrdup(wanted);
	while (map_get(&v->ids, slice_of(text)) != NULL) {
		uint64_t *at = map_get(&v->ids, slice_of(wanted));

		*own = false;
		free(text);
		text = xasprintf("%s_%llu", wanted,
		    (unsigned long long)(++*at & TIMES) + 1);
	}
	*map_put(&v->ids, slice_of(text), NULL) =
	    (uint64_t)(v->ncalls + 1) << 32;
	if (*own)
		buf_slice(&out, id);
	else
		scan_quote(&out, text, strlen(text));
	FREE(text, wanted);
	text = keep_json(v, buf_view(&out));
	buf_release(&out);
	return text;
}

/* A call of the last node: a new element of v->calls. */
static void
add_call(struct view *v, const struct call *c)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice own_name = c->name;
	/* are these exactly the record's own? */
	bool own_id, own_args = msg_object(&v->scan, c->given, &v->tmp);

	own_args &= !mend_surrogates(v->tmp.p, v->tmp.len);
	struct view_args args = { buf_view(&v->tmp), v->scan.m, v->scan.n };

	if (scan_lone_surrogate(own_name) != NULL)
		own_name.p = keep_json(v, own_name);
	struct slice name = own_name.n > 2 ? own_name : SLICE(NO_NAME);
	GROW(v->calls, v->ncalls, v->capcalls);
	struct view_call *nc = &v->calls[v->ncalls];
	*nc = (struct view_call){ .node = v->n - 1 };
	nc->id = unique_id(v, c->id, &own_id);
	bool own = own_id && own_args;
	if (c->whole.p != NULL) {
		/* use the record's own bytes if they will do */
		if (own && scan_str_is(c->type, "function") &&
		    c->name.n > 2) {
			nc->json = keep_json(v, c->whole);
		} else {
			own = own && c->args.p != NULL;
			scan_put(&b, own ? "{'id':$,'type':'function',"
			    "'function':{'name':$,'arguments':$}" :
			    "{'id':$,'type':'function',"
			    "'function':{'name':$,'arguments':@}",
			    slice_of(nc->id), name, own ? c->args :
			    buf_view(&v->tmp));
			msg_put_carried(c->whole, false, &b);
			buf_addc(&b, '}');
			nc->json = keep_json(v, buf_view(&b));
			buf_release(&b);
		}
		nc->args = token_text(v->family, v->tmp.p, v->tmp.len) +
		    view_content_sum(v->family, name);
		pairing_call(&v->pairing, c->id, v->ncalls);
	}
	if (v->hooks.call != NULL)
		v->hooks.call(v->hooks.self, nc, own_name, &args);
	v->nodes[v->n - 1].ncalls++;
	view_count_call(v, v->ncalls++);
}

/* ---- assistants ---- */

/* Add the calls of a text: each gets an id that is never sent. */
static void
add_text_calls(struct view *v, struct slice text, bool may_slim)
{
	struct dialect_call d = { .name = BUF_INIT(BUF_RECORD_MAX),
		.args = BUF_INIT(BUF_RECORD_MAX) };
	struct buf slim = BUF_INIT(BUF_RECORD_MAX);
	size_t at = 0;

	while (dialect_call(text, &at, &d)) {
		struct call given = { .name = buf_view(&d.name),
			.given = buf_view(&d.args) };
		size_t from = (size_t)(d.block.p - text.p);
		size_t to = from + d.block.n;

		add_call(v, &given);
		struct view_call *c = &v->calls[v->ncalls - 1];
		buf_reset(&slim);
		if (c->slim != NULL)
			dialect_write(&d, slice_of(c->slim), &slim);
		c->slim = NULL;
		if (!may_slim || slim.len == 0 || slim.len >= d.block.n)
			continue;
		/* it has a slim form: turn the slim arguments into the text
		 * that replaces the call, and count that */
		c->args = token_text(v->family, d.block.p, d.block.n);
		c->slim_args = token_text(v->family, slim.p, slim.len);
		while (is_whitespace(text.p[from - 1]))
			from--;
		while (is_whitespace(text.p[to]))
			to++;
		c->slim = arena_dup(&v->arena, slim.p, slim.len);
		c->at = from;
		c->at_n = to - from;
		view_grow(v, c->node, -c->args, -c->args);
		view_count_call(v, v->ncalls - 1);
	}
	last_node(v)->dialect = true;
	bufs_release(BUFS(&d.name, &d.args, &slim));
}

static void
add_assistant(struct view *v, const struct rec *r, struct slice content)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct slice why = rec_get(r, "reasoning");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct walk elements = walk_elements(calls);
	struct view_node *last = last_node(v);
	bool begins = v->n == (last != NULL && last->kind == VIEW_SYSTEM);
	bool native = false;
	struct slice block;
	struct call c;
	size_t at = 0;

	while (!native && walk_key(&elements, NULL)) {
		native = *elements.p == '{';
		if (!native)
			walk_value(&elements);
	}
	if (!native && dialect_may(content))
		msg_text(content, &text);
	/* calls are at its end, or there are none */
	if (!slice_ends(slice_trim(buf_view(&text)), CALL_END) ||
	    !next_block(buf_view(&text), &at, CALL, CALL_END, &block))
		buf_reset(&text);
	/* does this continue an assistant message? */
	if (last == NULL || last->kind != VIEW_ASSISTANT ||
	    last->answered > 0 || view_has_piece(v, last, P_NOTE) ||
	    last->dialect || (text.len > 0 && last->ncalls > 0))
		new_node(v, VIEW_ASSISTANT, false);
	else if (last->ncalls == 0 && is_long(last, content))
		new_node(v, VIEW_ASSISTANT, true);
	if (begins) {
		last_node(v)->bridged = true;
		view_grow(v, v->n - 1, VIEW_PER_MESSAGE, VIEW_PER_MESSAGE);
	}
	size_t piece = v->npieces;
	add_piece(v, P_TEXT, !native && is_blank(content) ? SLICE("null") :
	    content, SLICE(""));
	if (scan_kind(why) == SCAN_STRING)
		add_piece(v, P_REASONING, why, SLICE(""));
	if (native) {
		for (struct walk w = walk_of(calls); msg_next_call(&w, &c); )
			if (scan_kind(c.whole) == SCAN_OBJECT)
				add_call(v, &c);
	}
	if (text.len > 0) {
		v->pieces[piece].calls = true;
		add_text_calls(v, buf_view(&text), !msg_has_image(content));
	}
	view_invalidate(v, v->n - 1);
	buf_release(&text);
}

/* ---- results ---- */

static void
take_result(struct view *v, size_t i, const struct rec *r,
    struct slice content)
{
	struct view_call *c = &v->calls[i];
	struct view_node *node = &v->nodes[c->node];
	size_t n;

	c->text = 0;
	if (v->hooks.result != NULL)
		v->hooks.result(v->hooks.self, c, r, content);
	if (c->result != NULL)
		mend_surrogates(c->result, strlen(c->result));
	else
		c->result = keep_content(v, content, SLICE(""), &n);
	if (is_blank(slice_of(c->result))) {
		c->result = arena_dup(&v->arena, NO_OUTPUT,
		    sizeof NO_OUTPUT - 1);
		c->text = 0;
	}
	node->answered++;
	view_count_call(v, i);
	view_invalidate(v, c->node);
}

/* Results written as text answer the open calls of the last node, in order;
 * surplus ones are dropped.  Text after them is a message. */
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
add_other(struct view *v, const struct rec *r, struct slice content)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice first;
	size_t at = 0;

	if (r->kind == R_SYSTEM && is_blank(content))
		return;
	if (r->kind == R_SYSTEM && (v->n == 0 || v->system_in_place)) {
		new_node(v, VIEW_SYSTEM, false);
		add_piece(v, P_TEXT, content, SLICE(""));
		return;
	}
	if (r->kind == R_TOOL) {
		size_t i = pairing_result(&v->pairing, rec_get(r,
		    "tool_call_id"));
		if (i == (size_t)-1)
			return;		/* for no call, or a second result */
		struct slice name = rec_get(r, "name");
		if (scan_kind(name) == SCAN_STRING && name.n > 2)
			v->calls[i].name = keep_json(v, name);
		take_result(v, i, r, content);
		return;
	}
	if (r->kind == R_USER && dialect_may(content))
		msg_text(content, &text);
	if (dialect_result(buf_view(&text), &at, &first))
		add_text_results(v, r, buf_view(&text));
	else
		add_text(v, r, content);
	buf_release(&text);
}

void
view_add(struct view *v, const struct rec *r)
{
	struct buf parts = BUF_INIT(BUF_RECORD_MAX);
	struct slice content = rec_get(r, "content"), part;
	bool any = false;

	if (!rec_is_message(r->kind))
		return;
	v->records++;
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); )
		any |= scan_kind(part) == SCAN_STRING || is_blank_part(part);
	for (struct walk w = walk_elements(content); any &&
	    walk_next(&w, NULL, &part); ) {
		if (is_blank_part(part))
			continue;
		buf_addc(&parts, parts.len == 0 ? '[' : ',');
		scan_put(&parts, scan_kind(part) == SCAN_STRING ?
		    "{'type':'text','text':$}" : "$", part);
	}
	if (any && parts.len > 0)
		buf_addc(&parts, ']');
	if (any)
		content = parts.len > 0 ? buf_view(&parts) : SLICE("\"\"");
	if (r->kind == R_ASSISTANT)
		add_assistant(v, r, content);
	else
		add_other(v, r, content);
	buf_release(&parts);
}
