/* json_schema.c - check arguments against a JSON Schema. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "json/scan.h"

#include "json_schema.h"

#define AT_MAX 1024		/* bytes of a location in a message */
#define ENUM_MAX 300		/* bytes of the values shown */
#define TEMPLATE_MAX 600

/* Set of types; the names are JSON Schema's. */
enum {
	T_STRING = 1, T_INTEGER = 2, T_NUMBER = 4, T_BOOLEAN = 8,
	T_OBJECT = 16, T_ARRAY = 32, T_NULL = 64
};
#define T_ANY 127

struct checked {
	enum json_schema_how how;
	struct buf *out, *why;
	struct buf at;		/* where we are: "a.b[3]" */
};

static const struct {
	const char *name, *words;
	int type;
} types[] = {
	{ "string", "a string", T_STRING },
	{ "integer", "an integer", T_INTEGER },
	{ "number", "a number", T_NUMBER | T_INTEGER },
	{ "boolean", "true or false", T_BOOLEAN },
	{ "object", "an object", T_OBJECT },
	{ "array", "an array", T_ARRAY },
	{ "null", "null", T_NULL },
};

#define NTYPES (sizeof types / sizeof types[0])

/* A keyword's value, if it has the kind that JSON Schema requires; any other
 * value is ignored. */
static struct slice
keyword(struct slice schema, const char *name, enum scan_kind kind)
{
	return scan_only(kind, scan_get(schema, name));
}

static int
type_named(struct slice v)
{
	for (size_t i = 0; i < NTYPES; i++)
		if (scan_str_is(v, types[i].name))
			return types[i].type;
	return T_ANY;		/* unknown: accept any value */
}

static int
types_of(struct slice schema)
{
	struct slice v = scan_get(schema, "type"), el;
	int set = 0;

	if (scan_kind(v) == SCAN_STRING)
		return type_named(v);
	for (struct walk w = walk_elements(v); walk_next(&w, NULL, &el); )
		set |= type_named(el);
	return set != 0 ? set : T_ANY;
}

static int
type_of(struct slice v)
{
	double d;
	int64_t i;

	switch (scan_kind(v)) {
	case SCAN_OBJECT: return T_OBJECT;
	case SCAN_ARRAY: return T_ARRAY;
	case SCAN_STRING: return T_STRING;
	case SCAN_NUMBER:	/* 1.0 and 1e3 are integers, too */
		return num_i64(v.p, v.n, &i) || (num_double(v.p, v.n, &d) &&
		    d > -9e15 && d < 9e15 && d == (double)(long long)d) ?
		    T_INTEGER : T_NUMBER;
	case SCAN_TRUE:
	case SCAN_FALSE: return T_BOOLEAN;
	default: return T_NULL;
	}
}

/* Words may follow. */
static bool
fail(struct checked *s, const char *words)
{
	buf_fmt(s->why, "%s %s", s->at.len > 0 ? s->at.p : "the arguments",
	    words);
	return false;
}

/* Append "string or number", as names or in words. */
static void
put_types(int set, bool words, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < NTYPES; i++) {
		if ((types[i].type & ~set) != 0 ||
		    (types[i].type == T_INTEGER && (set & T_NUMBER) != 0))
			continue;
		buf_fmt(out, "%s%s", between, words ? types[i].words :
		    types[i].name);
		between = " or ";
	}
}

static bool
fail_enum(struct checked *s, struct slice schema)
{
	const char *between = "";
	struct slice el;

	fail(s, "must be one of ");
	size_t begun = s->why->len - strlen("must be one of ");
	for (struct walk w = walk_of(scan_get(schema, "enum"));
	    walk_next(&w, NULL, &el); ) {
		if (s->why->len - begun + el.n > ENUM_MAX) {
			buf_adds(s->why, ", ...");
			break;
		}
		buf_adds(s->why, between);
		buf_slice(s->why, el);
		between = ", ";
	}
	return false;
}

static bool
in_enum(struct slice schema, struct slice v)
{
	struct slice list = keyword(schema, "enum", SCAN_ARRAY), el;
	char *text = scan_strdup(v);
	bool found = list.p == NULL;
	double x, y;

	for (struct walk w = walk_of(list);
	    !found && walk_next(&w, NULL, &el); )
		found = text != NULL ? scan_str_is(el, text) :
		    slice_eq(el, v) || (scan_kind(v) == SCAN_NUMBER &&
		    scan_kind(el) == SCAN_NUMBER &&
		    num_double(el.p, el.n, &x) && num_double(v.p, v.n, &y) &&
		    x == y);
	free(text);
	return found;
}

/* May the value of a member be null, or does null mean that it is absent? */
static bool
takes_null(struct slice schema)
{
	return scan_kind(schema) != SCAN_OBJECT ||
	    ((types_of(schema) & T_NULL) != 0 &&
	    in_enum(schema, SLICE("null")));
}

/* An integer of ours. */
static bool
put_integer(struct checked *s, struct slice schema, struct slice v)
{
	int64_t i, least = INT64_MIN, most = INT64_MAX;
	double d;

	if (!num_i64(v.p, v.n, &i) && num_double(v.p, v.n, &d))
		i = (int64_t)d;		/* 2.0 */
	if (s->how == JSON_SCHEMA_BOUNDED) {
		scan_int(scan_get(schema, "minimum"), &least);
		scan_int(scan_get(schema, "maximum"), &most);
	}
	if (i >= least && i <= most) {
		buf_fmt(s->out, "%lld", (long long)i);
		return true;
	}
	fail(s, "must be ");
	buf_fmt(s->why, most == INT64_MAX ? "at least %lld" :
	    "from %lld to %lld", (long long)least, (long long)most);
	return false;
}

static bool put(struct checked *s, struct slice schema, struct slice v);

static bool
put_object(struct checked *s, struct slice schema, struct slice v)
{
	struct slice props = keyword(schema, "properties", SCAN_OBJECT);
	struct slice key, val;
	bool ours = s->how != JSON_SCHEMA_THEIRS;
	size_t at = s->at.len;

	for (struct walk w = walk_of(keyword(schema, "required", SCAN_ARRAY));
	    walk_next(&w, NULL, &val); ) {
		char *name = scan_strdup(val);

		if (name == NULL)
			continue;
		val = scan_get(v, name);
		bool absent = val.p == NULL || (scan_kind(val) == SCAN_NULL &&
		    !takes_null(scan_get(props, name)));
		if (absent)
			buf_fmt(&s->at, "%s%s", at > 0 ? "." : "", name);
		free(name);
		if (absent)
			return fail(s, "is missing");
	}
	buf_addc(s->out, '{');
	for (struct walk w = walk_of(ours ? props : v);
	    walk_next(&w, &key, &val); ) {
		struct slice quoted = { key.p - 1, key.n + 2 };
		char *name = scan_strdup(quoted);
		struct slice sub = ours ? val : scan_get(props, name);
		bool good = true;

		if (ours)
			val = scan_get(v, name);
		if (val.p != NULL && (scan_kind(val) != SCAN_NULL ||
		    takes_null(sub))) {
			scan_put(s->out, "$$:", scan_comma(s->out), quoted);
			buf_fmt(&s->at, "%s%s", at > 0 ? "." : "", name);
			good = put(s, sub, val);
		}
		free(name);
		if (!good)
			return false;
		s->at.len = at;
	}
	buf_addc(s->out, '}');
	return true;
}

static bool
put(struct checked *s, struct slice schema, struct slice v)
{
	struct slice items = scan_get(schema, "items"), el;
	size_t at = s->at.len, i = 0;
	int64_t number;
	double d;

	if (s->at.p != NULL)
		s->at.p[s->at.len] = '\0';
	if (scan_kind(schema) != SCAN_OBJECT) {
		buf_slice(s->out, v);
		return true;
	}
	int set = types_of(schema);
	/* a string that contains the expected number, spelled as in JSON (not
	 * "007" or "+1"): take the number */
	struct slice text = scan_plain(v);
	if (text.p != NULL && (set & T_STRING) == 0 &&
	    (((set & T_INTEGER) != 0 && num_i64(text.p, text.n, &number)) ||
	    ((set & T_NUMBER) != 0 && num_double(text.p, text.n, &d) &&
	    scan_is_json(text))))
		v = text;
	if ((type_of(v) & set) == 0) {
		fail(s, "must be ");
		put_types(set, true, s->why);
		return false;
	}
	if (!in_enum(schema, v))
		return fail_enum(s, schema);
	if (set == T_INTEGER && s->how != JSON_SCHEMA_THEIRS)
		return put_integer(s, schema, v);
	if (type_of(v) == T_OBJECT &&
	    (keyword(schema, "properties", SCAN_OBJECT).p != NULL ||
	    keyword(schema, "required", SCAN_ARRAY).p != NULL))
		return put_object(s, schema, v);
	/* beside prefixItems, items is about the rest only */
	if (type_of(v) != T_ARRAY || items.p == NULL ||
	    scan_get(schema, "prefixItems").p != NULL) {
		buf_slice(s->out, v);
		return true;
	}
	buf_addc(s->out, '[');
	for (struct walk w = walk_of(v); walk_next(&w, NULL, &el); i++) {
		buf_slice(s->out, scan_comma(s->out));
		buf_fmt(&s->at, "[%zu]", i);
		if (!put(s, items, el))
			return false;
		s->at.len = at;
	}
	buf_addc(s->out, ']');
	return true;
}

bool
json_schema_put(struct slice schema, struct slice value,
    enum json_schema_how how, struct buf *out, struct buf *why)
{
	struct checked s = { .how = how, .out = out, .why = why,
		.at = BUF_INIT(AT_MAX) };
	bool good = put(&s, schema, value);

	buf_release(&s.at);
	return good;
}

void
json_schema_template(struct slice schema, struct buf *out)
{
	struct slice key, val, el;
	size_t begun = out->len;
	bool required;
	struct walk needed;

	buf_addc(out, '{');
	for (struct walk w = walk_of(keyword(schema, "properties",
	    SCAN_OBJECT)); walk_next(&w, &key, &val); ) {
		struct slice quoted = { key.p - 1, key.n + 2 };
		char *name = scan_strdup(quoted);

		if (out->len - begun + key.n > TEMPLATE_MAX) {
			scan_put(out, "$...", scan_comma(out));
			free(name);
			break;
		}
		scan_put(out, "$$:<", scan_comma(out), quoted);
		int set = types_of(val);
		if (set == T_ANY)
			buf_adds(out, "any");
		else
			put_types(set, false, out);
		needed = walk_of(keyword(schema, "required", SCAN_ARRAY));
		do
			required = walk_next(&needed, NULL, &el);
		while (required && !scan_str_is(el, name));
		buf_adds(out, required ? ">" : ", optional>");
		free(name);
	}
	buf_addc(out, '}');
}
