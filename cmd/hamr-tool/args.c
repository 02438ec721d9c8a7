/* args.c - a call's arguments: the model's text in, checked values out. */
#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "num.h"
#include "scan.h"

#include "args.h"
#include "extra.h"
#include "shape.h"

/* Why a value is refused: "%s" is the field. */
struct why {
	const char *words;	/* NULL: it is not */
	const char *field;
	const struct field *range;
};

/* An integer, a string that holds one, or a number with only zeros behind
 * the point. */
static bool
integer(struct slice v, int64_t *out)
{
	struct slice s = scan_plain(v);
	const char *dot;

	if (s.p != NULL)
		return num_i64(s.p, s.n, out);
	if (scan_kind(v) != SCAN_NUMBER)
		return false;
	dot = memchr(v.p, '.', v.n);
	if (dot != NULL) {
		size_t n = (size_t)(v.p + v.n - dot) - 1;

		if (strspn(dot + 1, "0") < n)
			return false;
		v.n = (size_t)(dot - v.p);
	}
	return num_i64(v.p, v.n, out);
}

static bool put_fields(const struct field *fields, struct slice obj,
    struct buf *out, struct why *w);

static bool
fail(struct why *w, const struct field *f, const char *words)
{
	*w = (struct why){ words, f->name, f };
	return false;
}

static bool
put_edits(const struct field *f, struct slice v, struct buf *out,
    struct why *w)
{
	bool any = false;
	struct slice el;
	struct walk walk;

	if (scan_kind(v) != SCAN_ARRAY)
		return fail(w, f, "must be an array of {\"old\",\"new\"}");
	buf_addc(out, '[');
	walk_in(&walk, v);
	while (walk_next(&walk, NULL, &el)) {
		if (scan_kind(el) != SCAN_OBJECT)
			return fail(w, f, "must hold objects "
			    "{\"old\",\"new\"}");
		if (any)
			buf_addc(out, ',');
		any = true;
		if (!put_fields(schema_edit_item, el, out, w))
			return false;
	}
	buf_addc(out, ']');
	return true;
}

static bool
put_value(const struct field *f, struct slice v, struct buf *out,
    struct why *w)
{
	int64_t i;

	switch (f->type) {
	case FIELD_STR:
		if (scan_kind(v) != SCAN_STRING)
			return fail(w, f, "must be a string");
		buf_slice(out, v);
		return true;
	case FIELD_BOOL:
		if (scan_kind(v) != SCAN_TRUE && scan_kind(v) != SCAN_FALSE)
			return fail(w, f, "must be true or false");
		buf_slice(out, v);
		return true;
	case FIELD_INT:
		if (!integer(v, &i))
			return fail(w, f, "must be an integer");
		if (!f->clamped && (i < f->min || (f->max != 0 && i > f->max)))
			return fail(w, f, "is out of range");
		buf_fmt(out, "%lld", (long long)i);
		return true;
	case FIELD_EDITS:
		return put_edits(f, v, out, w);
	}
	return false;
}

static bool
put_fields(const struct field *fields, struct slice obj, struct buf *out,
    struct why *w)
{
	bool any = false;

	buf_addc(out, '{');
	for (const struct field *f = fields; f->name != NULL; f++) {
		struct slice v = scan_get(obj, f->name);

		if (v.p == NULL || scan_kind(v) == SCAN_NULL) {
			if (f->required)
				return fail(w, f, "is missing");
			continue;
		}
		buf_fmt(out, "%s\"%s\":", any ? "," : "", f->name);
		any = true;
		if (!put_value(f, v, out, w))
			return false;
	}
	buf_addc(out, '}');
	return true;
}

/* What the table cannot say: one of several arguments must be there. */
static const char *
check_sets(enum tool_id id, struct slice args)
{
	struct slice edits = scan_get(args, "edits");
	struct slice old = scan_get(args, "old"), new = scan_get(args, "new");
	struct walk w;
	struct slice el;

	if (id == TOOL_READ && scan_get(args, "path").p == NULL &&
	    scan_get(args, "query").p == NULL)
		return "path or query is missing";
	if (id != TOOL_EDIT)
		return NULL;
	if (edits.p == NULL)
		return old.p == NULL ? "old is missing" :
		    new.p == NULL ? "new is missing" : NULL;
	if (old.p != NULL || new.p != NULL)
		return "give old and new, or edits, not both";
	walk_in(&w, edits);
	return walk_next(&w, NULL, &el) ? NULL : "edits is empty";
}

static void
say_why(const struct schema *t, const struct why *w, struct result *r)
{
	const struct field *f = w->range;

	if (strcmp(w->words, "is out of range") != 0)
		result_error(r, "bad_arguments",
		    "bad arguments for %s: %s %s; wanted: %s",
		    t->name, w->field, w->words, t->template);
	else if (f->max != 0)
		result_error(r, "bad_arguments", "bad arguments for %s: "
		    "%s must be from %lld to %lld; wanted: %s", t->name,
		    w->field, (long long)f->min, (long long)f->max,
		    t->template);
	else
		result_error(r, "bad_arguments", "bad arguments for %s: "
		    "%s must be at least %lld; wanted: %s", t->name,
		    w->field, (long long)f->min, t->template);
}

static enum args_fault
check_shape(const struct schema *t, struct slice text, struct buf *out,
    struct result *r)
{
	struct buf named = BUF_INIT(BUF_RECORD_MAX);
	struct why w = { NULL, NULL, NULL };
	enum args_fault fault = ARGS_OK;
	const char *sets = NULL;
	size_t at = out->len;

	if (!alias_args(slice_of(t->name), text, &named)) {
		result_error(r, "bad_arguments", "bad arguments for %s: "
		    "they must be one JSON object; wanted: %s", t->name,
		    t->template);
		fault = ARGS_SHAPE;
	} else if (!put_fields(t->fields, buf_view(&named), out, &w)) {
		say_why(t, &w, r);
		fault = ARGS_SHAPE;
	} else {
		sets = check_sets(t->id, (struct slice){ out->p + at,
		    out->len - at });
	}
	if (sets != NULL) {
		result_error(r, "bad_arguments", "bad arguments for %s: %s; "
		    "wanted: %s", t->name, sets, t->template);
		fault = ARGS_SHAPE;
	}
	buf_release(&named);
	return fault;
}

/* Against the JSON Schema of a plug-in or an MCP server. */
static enum args_fault
check_extra(const struct extra *x, struct slice text, struct buf *out,
    struct result *r)
{
	struct buf why = BUF_INIT(4096);
	bool good = false;

	if (scan_kind(text) != SCAN_OBJECT)
		buf_adds(&why, "they must be one JSON object");
	else
		good = shape_put(slice_of(x->parameters), text, out, &why);
	if (!good)
		result_error(r, "bad_arguments", "bad arguments for %s: %s; "
		    "wanted: %s", x->name, why.p, x->template);
	buf_release(&why);
	return good ? ARGS_OK : ARGS_SHAPE;
}

enum args_fault
args_check(const struct schema *t, struct slice text, struct buf *out,
    struct result *r)
{
	struct scan scan = { .n = 0 };
	enum args_fault fault;

	if (text.p == NULL) {
		result_error(r, "bad_arguments", "bad arguments for %s: "
		    "function.arguments must be a string that holds a JSON "
		    "object; wanted: %s", t->name, t->template);
		return ARGS_JSON;
	}
	if (scan_value(&scan, text.p, text.n) < 0) {
		result_error(r, "bad_arguments", "bad arguments for %s: "
		    "not valid JSON: %s (byte %zu); wanted: %s", t->name,
		    scan.why, scan.at, t->template);
		fault = ARGS_JSON;
	} else if (extra_of(t) != NULL) {
		/* without the blanks around it */
		while (strchr(" \t\r\n", *text.p) != NULL) {
			text.p++;
			text.n--;
		}
		fault = check_extra(extra_of(t), text, out, r);
	} else {
		fault = check_shape(t, text, out, r);
	}
	scan_release(&scan);
	return fault;
}
