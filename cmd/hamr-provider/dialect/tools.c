/* tools.c - tools by name, and values by their schemas. */
#include <string.h>

#include "record/alias.h"

#include "internal.h"

#define NEST_MAX 8		/* values in values */

/* Is a JSON string this text? */
static bool
str_eq(struct slice val, struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool same = scan_str(val, &b) && slice_eq(buf_view(&b), text);

	buf_release(&b);
	return same;
}

bool
tools_any(struct slice tools)
{
	struct walk w = walk_elements(tools);

	return walk_key(&w, NULL);
}

struct slice
tools_find(struct slice tools, struct slice name)
{
	struct slice val;

	for (struct walk w = walk_elements(tools);
	    walk_next(&w, NULL, &val); ) {
		struct slice fn = scan_get(val, "function");

		if (scan_kind(fn) != SCAN_OBJECT)
			fn = val;
		if (str_eq(scan_get(fn, "name"), name))
			return fn;
	}
	return (struct slice){ NULL, 0 };
}

/* ---- types ---- */

enum { IS_STRING = 1, IS_INTEGER = 2, IS_NUMBER = 4, IS_BOOL = 8,
	IS_ARRAY = 16, IS_OBJECT = 32, IS_NULL = 64 };

static unsigned types_of(struct slice schema, unsigned depth);

/* The types in a type's name, in a list of names, or in a list of schemas. */
static unsigned
types_in(struct slice val, unsigned depth)
{
	static const char *const names[] = { "string", "integer", "number",
		"boolean", "array", "object", "null" };
	struct slice el;
	unsigned bits = 0;

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (scan_str_is(val, names[i]))
			return 1U << i;
	for (struct walk w = walk_elements(val); walk_next(&w, NULL, &el); )
		bits |= scan_kind(el) == SCAN_STRING ? types_in(el, depth) :
		    types_of(el, depth + 1);
	return bits;
}

/* What a value of this schema may be; 0 when it does not say. */
static unsigned
types_of(struct slice schema, unsigned depth)
{
	struct slice type = scan_get(schema, "type");

	if (depth > 8)
		return 0;
	if (scan_kind(type) == SCAN_STRING || scan_kind(type) == SCAN_ARRAY)
		return types_in(type, depth);
	return types_in(scan_get(schema, "anyOf"), depth) |
	    types_in(scan_get(schema, "oneOf"), depth);
}

/* The schema of an object's member, or {NULL, 0}. */
static struct slice
schema_of(struct slice object, struct slice key)
{
	struct slice props = scan_only(SCAN_OBJECT, scan_get(object,
	    "properties")), name, val;

	for (struct walk w = walk_of(props); walk_next(&w, &name, &val); )
		/* a key's bytes have quotes around them, like a value's */
		if (str_eq((struct slice){ name.p - 1, name.n + 2 }, key))
			return val;
	return (struct slice){ NULL, 0 };
}

struct slice
tools_parameter(struct slice fn, struct slice tool, struct slice key)
{
	struct slice all = scan_get(fn, "parameters");
	struct slice schema = schema_of(all, key);
	const char *canon = alias_key(tool, key);

	return schema.p != NULL || canon == NULL ? schema :
	    schema_of(all, slice_of(canon));
}

void
tools_coerce(struct slice schema, struct slice text, struct scan *sc,
    struct buf *out)
{
	static const unsigned bits[] = { [SCAN_OBJECT] = IS_OBJECT,
		[SCAN_ARRAY] = IS_ARRAY, [SCAN_STRING] = 0,
		[SCAN_NUMBER] = IS_NUMBER | IS_INTEGER, [SCAN_TRUE] = IS_BOOL,
		[SCAN_FALSE] = IS_BOOL, [SCAN_NULL] = IS_NULL };
	struct slice s = slice_trim(text);
	unsigned types = types_of(schema, 0);

	/* where a string is allowed it is one, unless null is allowed too */
	if (types & IS_STRING)
		types &= IS_STRING | IS_NULL;
	/* some models write Python's words */
	if (types & IS_BOOL && is_word(s, "true"))
		s = SLICE("true");
	else if (types & IS_BOOL && is_word(s, "false"))
		s = SLICE("false");
	else if (types & IS_NULL && (is_word(s, "none") ||
	    is_word(s, "null")))
		s = SLICE("null");
	if (s.n > 0 && scan_value(sc, s.p, s.n) == 0 &&
	    types & bits[scan_kind(s)])
		buf_slice(out, s);
	else
		scan_quote(out, text.p, text.n);
}

/* ---- values in tags ---- */

/* Where </KEY> is, for the <KEY> before byte at; s.n: nowhere. */
static size_t
closing(struct slice s, size_t at, struct slice key)
{
	long open = 1;

	for (; (at = slice_find(s, at, "<")) < s.n; at++) {
		bool end = begins(s, at + 1, "/");
		struct slice tag = slice_from(s, at + 1 + end);

		if (tag.n <= key.n || memcmp(tag.p, key.p, key.n) != 0 ||
		    tag.p[key.n] != '>')
			continue;
		open += end ? -1 : 1;
		if (open == 0)
			return at;
	}
	return s.n;
}

/* Append s, which is <KEY>VALUE</KEY> again and again, as an object, or as a
 * list if KEY is item; false: it is something else. */
static bool
put_elements(struct slice schema, unsigned depth, struct slice s,
    struct scan *sc, struct buf *out)
{
	bool list = begins(s, 0, "<item>") && types_of(schema, 0) != IS_OBJECT;
	struct slice more = scan_only(SCAN_OBJECT, scan_get(schema,
	    "additionalProperties")), member;
	char lead = list ? '[' : '{';

	for (size_t at = 0; at < s.n; at = skip_white(s, at)) {
		size_t end = slice_find(s, at, ">");
		struct slice key = slice_part(s, at + 1, end);
		size_t close = closing(s, end + 1, key);

		if (s.p[at] != '<' || key.n == 0 || close == s.n)
			return false;
		buf_addc(out, lead);
		lead = ',';
		member = list ? scan_get(schema, "items") :
		    schema_of(schema, key);
		if (!list)
			scan_put(out, "@:", key);
		tools_nested(list || member.p != NULL ? member : more,
		    depth + 1, slice_part(s, end + 1, close), sc, out);
		at = close + key.n + strlen("</>");
	}
	buf_addc(out, list ? ']' : '}');
	return true;
}

void
tools_nested(struct slice schema, unsigned depth, struct slice text,
    struct scan *sc, struct buf *out)
{
	unsigned types = types_of(schema, 0);
	struct slice s = slice_trim(text);
	size_t had = out->len;

	/* the schema may describe a value, but not those in it */
	if (begins(s, 0, "<") && depth <= NEST_MAX && !(types & IS_STRING) &&
	    (types & (IS_ARRAY | IS_OBJECT) || (types == 0 && depth > 0)) &&
	    put_elements(schema, depth, s, sc, out))
		return;
	out->len = had;
	if (s.n == 0 && (types == IS_ARRAY || types == IS_OBJECT))
		buf_adds(out, types == IS_ARRAY ? "[]" : "{}");
	else if (schema.p == NULL && s.n > 0 && strchr("\"[{", *s.p) == NULL &&
	    scan_value(sc, s.p, s.n) == 0)
		buf_slice(out, s);	/* no schema says that it is text */
	else
		tools_coerce(schema, text, sc, out);
}
