/* objects.c - calls that are JSON objects between marks. */
#include <string.h>

#include "base/num.h"

#include "internal.h"

/* ---- one object ---- */

/* Take the call from a checked JSON object; false: it is not a call. */
static bool
take_object(struct reading *r, struct slice object)
{
	static const char *const keys[] = { "arguments", "parameters", "args" };
	struct block_call *c = reading_add_call(r);
	struct slice inner = scan_get(object, "function");

	if (scan_kind(inner) == SCAN_OBJECT)	/* as in tool_calls */
		object = inner;
	if (!scan_str(scan_get(object, "name"), &c->name))
		scan_str(scan_get(object, "tool_name"), &c->name);
	struct slice args = { NULL, 0 }, key;
	struct walk w = walk_of(object);
	if (begins(r->s, 0, APERTUS) && c->name.len == 0 &&
	    walk_next(&w, &key, &args))
		buf_slice(&c->name, key);
	if (c->name.len == 0)		/* Command R: tool_name */
		return false;
	for (size_t i = 0; i < 3 && scan_kind(args) == SCAN_NONE; i++)
		args = scan_get(object, keys[i]);
	/* an answer may list tools, or what has a tool's name */
	if (r->weak && (args.p == NULL ||
	    scan_get(object, "description").p != NULL))
		return false;
	switch (scan_kind(args)) {
	case SCAN_OBJECT:
		buf_slice(&c->args, args);
		break;
	case SCAN_NONE:
	case SCAN_NULL:
		buf_adds(&c->args, "{}");
		break;
	case SCAN_STRING:
		/* in the API's form: an object encoded as a string */
		scan_str(args, &c->args);
		if (c->args.len == 0 || scan_record(&r->scan, c->args.p,
		    c->args.len) != 0)
			return false;
		break;
	default:
		return false;
	}
	r->n++;
	return true;
}

/* Read and check the JSON object that begins here; r->at moves past it. */
static enum block_result
object(struct reading *r, struct slice *o)
{
	struct scan_end e = { .at = r->at };
	size_t end = scan_end(&e, r->s);

	if (end == 0)
		return BLOCK_OPEN;
	*o = slice_part(r->s, r->at, end);
	r->at = end;
	return scan_record(&r->scan, o->p, o->n) == 0 ? BLOCK_CALLS :
	    BLOCK_BROKEN;
}

enum block_result
read_objects(struct reading *r)
{
	struct slice s = r->s, o;

	r->at = skip_white(s, r->at);
	bool array = begins(s, r->at, "[");
	r->at += array;
	for (;;) {
		size_t next = r->at;

		while (next < s.n && (is_whitespace(s.p[next]) ||
		    s.p[next] == ',' || s.p[next] == ';'))
			next++;
		if (next == s.n || s.p[next] != '{') {
			bool closed = array && begins(s, next, "]");

			if (closed)
				r->at = next + 1;
			else if (array && r->n > 0)
				return next == s.n ? BLOCK_OPEN :
				    BLOCK_BROKEN;
			return r->n > 0 ? BLOCK_CALLS : BLOCK_NONE;
		}
		r->at = next;
		enum block_result said = object(r, &o);
		if (said != BLOCK_CALLS)
			return said;
		if (!take_object(r, o))
			return BLOCK_BROKEN;
	}
}

enum block_result
named_object(struct reading *r, struct slice name)
{
	struct block_call *c;
	struct slice args;

	if (name.n == 0)
		return BLOCK_BROKEN;
	if (r->at == r->s.n || r->s.p[r->at] != '{')
		return r->at == r->s.n ? BLOCK_OPEN : BLOCK_BROKEN;
	enum block_result said = object(r, &args);
	if (said == BLOCK_CALLS) {
		c = reading_add_call(r);
		buf_slice(&c->name, name);
		buf_slice(&c->args, args);
		r->n++;
	}
	return said;
}

/* ---- the readers ---- */

size_t
skip_turn_end(struct slice s, size_t at)
{
	static const char *const ends[] = { "<|eom_id|>", "<|eot_id|>",
		"<|im_end|>", "<|end_of_text|>", "</s>", "<|/tool_call|>" };
	size_t to = skip_white(s, at);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (begins(s, to, ends[i]))
			return to + strlen(ends[i]);
	return at;
}

enum block_result
read_llama3(struct reading *r)
{
	enum block_result said = BLOCK_NONE;

	while (begins(r->s, r->at, PYTHON_TAG)) {
		r->at = skip_white(r->s, r->at + strlen(PYTHON_TAG));
		size_t name = skip_name(r->s, r->at);
		said = name > r->at && begins(r->s, name, "(") ?
		    python_call(r) : read_objects(r);
		if (said != BLOCK_CALLS)
			return said;
		r->at = skip_white(r->s, skip_turn_end(r->s, r->at));
	}
	return said;
}

enum block_result
read_bare(struct reading *r)
{
	enum block_result said = read_objects(r);

	/* an object that other text follows is part of an answer */
	if (said == BLOCK_CALLS && skip_white(r->s, r->at) < r->s.n)
		return BLOCK_NONE;
	return said;
}

enum block_result
read_mistral(struct reading *r)
{
	enum block_result said = BLOCK_NONE;
	struct slice s = r->s;
	size_t at = 0;

	while (begins(s, at, MISTRAL)) {
		r->at = skip_white(s, at + strlen(MISTRAL));
		struct slice name = slice_part(s, r->at, skip_name(s, r->at));
		r->at += name.n;
		if (name.n == 0)
			said = read_objects(r);
		else {
			if (begins(s, r->at, "[CALL_ID]"))
				r->at = skip_name(s, r->at +
				    strlen("[CALL_ID]"));
			if (begins(s, r->at, MISTRAL_ARGS))
				r->at += strlen(MISTRAL_ARGS);
			r->at = skip_white(s, r->at);
			if (r->at < s.n && s.p[r->at] != '{')
				return r->n > 0 ? BLOCK_BROKEN : BLOCK_NONE;
			said = named_object(r, name);
		}
		if (said != BLOCK_CALLS)
			return said;
		r->at = skip_turn_end(s, r->at);
		at = skip_white(s, r->at);
	}
	return said;
}

enum block_result
read_list(struct reading *r)
{
	r->at = r->open;
	enum block_result said = read_objects(r);
	r->at = skip_turn_end(r->s, r->at);
	return said;
}

/* <tool_call> and an object, several ones, or a list; where its closing tag is
 * missing, the next call's or the end of the answer does. */
static enum block_result
read_hermes(struct reading *r)
{
	struct slice s = r->s;

	r->ended = true;
	r->at = r->open;
	enum block_result said = read_objects(r);
	r->at = skip_white(s, r->at);
	int closed = tag_match(slice_from(s, r->at), CALL_END);
	bool object = said == BLOCK_CALLS || said == BLOCK_BROKEN;
	if (said == BLOCK_OPEN || (object && begins(s, r->at, CALL)))
		return said;
	if (object && closed < 0) {
		r->at = s.n;
		return said == BLOCK_CALLS ? BLOCK_UNCLOSED :
		    r->e == BLOCK_CUT ? BLOCK_OPEN : said;
	}
	/* a tag that no object follows is text, unless it is closed; an object
	 * that is not closed before the next call or the end is whole */
	size_t end = slice_find(s, r->at, CALL_END);
	if (said == BLOCK_CALLS && (closed > 0 || (end == s.n &&
	    r->e != BLOCK_GROWS) || slice_find(s, r->at, CALL) < end))
		return said;
	r->at = end < s.n ? end + strlen(CALL_END) : s.n;
	return end < s.n ? BLOCK_BROKEN : BLOCK_NONE;
}

/* <tool_call>: what follows it tells whose call it is. */
enum block_result
read_call(struct reading *r)
{
	struct slice s = slice_from(r->s, skip_white(r->s, strlen(CALL)));
	size_t name = skip_name(s, 0), next = skip_white(s, name), n;
	int qwen = reading_includes(r, DIALECT_QWEN3) ?
	    qwen3_opening(s, &n) : 0;
	int invoke = reading_includes(r, DIALECT_MINIMAX) ?
	    tag_match(s, INVOKE) : 0;

	if (qwen < 0 || invoke < 0 || s.n == 0)
		return BLOCK_OPEN;
	if (qwen > 0)		/* whose end only what follows it shows */
		return r->e == BLOCK_GROWS ? BLOCK_OPEN : read_qwen3(r);
	if (invoke > 0)
		return read_invokes(r);
	if (begins(s, next, NAME_END))
		next = skip_white(s, next + strlen(NAME_END));
	if (name > 0 && reading_includes(r, DIALECT_GLM)) {
		/* other words may just mention the tags */
		int key = tag_match(slice_from(s, next), "<arg_key>");
		int end = tag_match(slice_from(s, next), CALL_END);

		if (key > 0 || (end > 0 &&
		    reading_lifts(r, slice_part(s, 0, name))))
			return read_glm(r);
		if (r->e == BLOCK_CUT && (key < 0 || end < 0))
			return BLOCK_OPEN;
	}
	return r->kind == DIALECT_MINIMAX ? BLOCK_NONE : read_hermes(r);
}

/* Read calls that begin with a tag and have another one between the name and
 * the object. */
enum block_result
read_tagged(struct reading *r)
{
	bool deepseek = begins(r->s, 0, "<｜");
	const char *open = deepseek ? DS_CALL : KIMI_CALL;
	const char *sep = deepseek ? DS_SEP : KIMI_ARGS;
	const char *close = deepseek ? DS_END : KIMI_END;
	enum block_result said = BLOCK_NONE;
	struct slice s = r->s;

	bool one = begins(s, 0, open);		/* no mark around several */
	size_t next = one ? 0 : skip_white(s, r->open);
	for (; begins(s, next, open) && !(one && r->n > 0);
	    next = skip_white(s, r->at)) {
		size_t begin = next + strlen(open), n, at;
		size_t end = slice_find(s, begin, sep);
		size_t behind = end + strlen(sep);

		if (end == s.n) {
			/* words after the mark: it is only mentioned */
			at = skip_name(s, skip_white(s, begin));
			at = skip_white(s, at);
			return at == s.n || tag_match(slice_from(s, at),
			    sep) != 0 ? BLOCK_OPEN : BLOCK_NONE;
		}
		struct slice name = slice_trim(slice_part(s, begin, end));
		r->at = skip_white(s, behind);
		if (deepseek) {
			/* the older form: function, sep, name, a fence */
			if (slice_is(name, "function"))
				name = slice_part(s, r->at,
				    skip_name(s, r->at));
			r->at = slice_find(s, end, "{");
		} else {		/* functions.NAME:0 */
			name = tool_name(name);
			for (n = name.n; n > 0 && name.p[n - 1] != ':'; n--)
				;
			name.n = n > 0 ? n - 1 : name.n;
		}
		said = named_object(r, name);
		if (said != BLOCK_CALLS)
			return said;
		next = skip_white(s, r->at);
		if (deepseek && begins(s, next, "```"))
			next = skip_white(s, next + 3);
		int shut = tag_match(slice_from(s, next), close);
		if (shut > 0 || (shut < 0 && r->e != BLOCK_GROWS))
			r->at = num_min(next + strlen(close), s.n);
	}
	return said;
}

/* Read one or more adjacent fences; the end of the last one may be
 * incomplete. */
enum block_result
read_fence(struct reading *r)
{
	enum block_result said = BLOCK_NONE;
	struct slice s = r->s;
	size_t at = 0;

	while (begins(s, at, "```")) {
		r->at = skip_name(s, at + 3);
		said = read_objects(r);
		if (said != BLOCK_CALLS)
			return said;
		r->at = skip_white(s, r->at);
		if (begins(s, r->at, "```"))
			r->at += 3;
		else if (r->at < s.n &&
		    tag_match(slice_from(s, r->at), "```") == 0)
			return BLOCK_BROKEN;
		else
			r->at = s.n;
		at = r->weak ? skip_white(s, r->at) : s.n;
	}
	if (at < s.n && tag_match(slice_from(s, at), "```") == 0)
		return BLOCK_NONE;
	if (at < s.n)
		r->at = s.n;
	return said;
}

/* <function_calls>: MiniMax's calls, or lines of OLMo's N(K=V). */
enum block_result
read_functions(struct reading *r)
{
	r->at = skip_white(r->s, strlen(FUNCTIONS));
	if (begins(r->s, r->at, "<") && !begins(r->s, r->at, FUNCTIONS_END)) {
		r->at = 0;
		return read_invokes(r);
	}
	enum block_result said = python_lines(r, FUNCTIONS_END);
	return said == BLOCK_BROKEN && r->n == 0 &&
	    !slice_has(r->s, FUNCTIONS_END) ? BLOCK_NONE : said;
}
