/* dialect_tools.c - tools by name, and values by their schemas. */
#include <string.h>
#include <strings.h>

#include "alias.h"
#include "dialect_in.h"

int
tag_match(struct slice s, const char *tag)
{
	size_t n = strlen(tag), m = s.n < n ? s.n : n;

	if (m > 0 && memcmp(s.p, tag, m) != 0)
		return 0;
	return m == n ? 1 : -1;
}

static bool
str_eq(struct slice val, struct slice text)
{
	struct slice plain = scan_plain(val);
	struct buf b;
	bool same;

	if (plain.p != NULL)
		return slice_eq(plain, text);
	if (scan_kind(val) != SCAN_STRING)
		return false;
	buf_init(&b, BUF_RECORD_MAX);
	same = scan_str(val, &b) && b.len == text.n &&
	    (text.n == 0 || memcmp(b.p, text.p, text.n) == 0);
	buf_release(&b);
	return same;
}

struct slice
tools_find(struct slice tools, struct slice name)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(tools) != SCAN_ARRAY)
		return (struct slice){ NULL, 0 };
	walk_in(&w, tools);
	while (walk_next(&w, &key, &val)) {
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

static unsigned
type_bit(struct slice name)
{
	static const char *const names[] = { "string", "integer", "number",
		"boolean", "array", "object", "null" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (scan_str_is(name, names[i]))
			return 1U << i;
	return 0;
}

static unsigned types_of(struct slice schema, unsigned depth);

static unsigned
types_in(struct slice list, unsigned depth)
{
	struct slice key, val;
	struct walk w;
	unsigned bits = 0;

	if (scan_kind(list) != SCAN_ARRAY)
		return 0;
	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		bits |= scan_kind(val) == SCAN_STRING ? type_bit(val) :
		    types_of(val, depth + 1);
	return bits;
}

/* What a value of this schema may be; 0 when it does not say. */
static unsigned
types_of(struct slice schema, unsigned depth)
{
	struct slice type = scan_get(schema, "type");

	if (depth > 8)
		return 0;
	if (scan_kind(type) == SCAN_STRING)
		return type_bit(type);
	if (scan_kind(type) == SCAN_ARRAY)
		return types_in(type, depth);
	return types_in(scan_get(schema, "anyOf"), depth) |
	    types_in(scan_get(schema, "oneOf"), depth);
}

static unsigned
kind_bits(enum scan_kind k)
{
	switch (k) {
	case SCAN_NUMBER:
		return IS_NUMBER | IS_INTEGER;
	case SCAN_TRUE:
	case SCAN_FALSE:
		return IS_BOOL;
	case SCAN_ARRAY:
		return IS_ARRAY;
	case SCAN_OBJECT:
		return IS_OBJECT;
	case SCAN_NULL:
		return IS_NULL;
	default:
		return 0;
	}
}

static struct slice
trim(struct slice s)
{
	while (s.n > 0 && is_white(*s.p))
		s.p++, s.n--;
	while (s.n > 0 && is_white(s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool
is_word(struct slice s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/* What models that think in Python write. */
static struct slice
python_word(struct slice s, unsigned types)
{
	if (types & IS_BOOL && is_word(s, "true"))
		return SLICE("true");
	if (types & IS_BOOL && is_word(s, "false"))
		return SLICE("false");
	if (types & IS_NULL && (is_word(s, "none") || is_word(s, "null")))
		return SLICE("null");
	return s;
}

static struct slice
property(struct slice fn, struct slice tool, struct slice wanted)
{
	struct slice props = scan_get(scan_get(fn, "parameters"),
	    "properties"), key, val;
	const char *canon = alias_key(tool, wanted);
	struct walk w;

	if (scan_kind(props) != SCAN_OBJECT)
		return (struct slice){ NULL, 0 };
	walk_in(&w, props);
	while (walk_next(&w, &key, &val)) {
		/* a value's quotes stand around a key's bytes too */
		struct slice quoted = { key.p - 1, key.n + 2 };

		if (str_eq(quoted, wanted))
			return val;
	}
	return canon != NULL ? scan_get(props, canon) :
	    (struct slice){ NULL, 0 };
}

void
tools_coerce(struct slice fn, struct slice tool, struct slice key,
    struct slice text, struct scan *sc, struct buf *out)
{
	unsigned types = types_of(property(fn, tool, key), 0);
	struct slice s = trim(text);

	/* a text is a text, but for null where that may stand too */
	if (types & IS_STRING)
		types &= IS_STRING | IS_NULL;
	s = python_word(s, types);
	if (s.n > 0 && scan_value(sc, s.p, s.n) == 0 &&
	    types & kind_bits(scan_kind(s)))
		buf_slice(out, s);
	else
		scan_quote(out, text.p, text.n);
}
