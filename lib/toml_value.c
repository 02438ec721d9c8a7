/* toml_value.c - the values of TOML: numbers, words, arrays. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "num.h"
#include "utf8.h"
#include "toml_impl.h"

static int value(struct toml_in *t, struct toml_value *v, int depth);

/* ---- numbers and words ---- */

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* Digits with single '_' between them, copied without. */
static bool
digits(struct slice *s, struct buf *out)
{
	bool was = false;	/* the byte before is a digit */

	while (s->n > 0 && (is_digit(*s->p) || *s->p == '_')) {
		bool is = *s->p != '_';

		if (!is && !was)
			return false;
		if (is)
			buf_addc(out, *s->p);
		was = is;
		s->p++;
		s->n--;
	}
	return was;
}

static bool
take(struct slice *s, const char *any, struct buf *out)
{
	if (s->n == 0 || strchr(any, *s->p) == NULL)
		return false;
	buf_addc(out, *s->p);
	s->p++;
	s->n--;
	return true;
}

/* TOML's grammar of decimal integers and floats, without '_' into out. */
static bool
number(struct slice s, struct buf *out, bool *is_float)
{
	size_t first;

	if (s.n > 0 && *s.p == '+') {
		s.p++;
		s.n--;
	} else
		take(&s, "-", out);
	first = out->len;
	if (!digits(&s, out))
		return false;
	if (out->len - first > 1 && out->p[first] == '0')
		return false;
	*is_float = false;
	if (take(&s, ".", out)) {
		*is_float = true;
		if (!digits(&s, out))
			return false;
	}
	if (take(&s, "eE", out)) {
		*is_float = true;
		take(&s, "+-", out);
		if (!digits(&s, out))
			return false;
	}
	return s.n == 0;
}

/* Parts of TOML that begin like a number or word, and are not of ours. */
static const char *
foreign(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	if ((n == 4 && n < s.n && s.p[n] == '-') ||
	    (n == 2 && n < s.n && s.p[n] == ':'))
		return "a date or time (write it as a string)";
	if (slice_starts(s, "0x") || slice_starts(s, "0o") ||
	    slice_starts(s, "0b"))
		return "a number that is not decimal";
	if (s.n > 0 && (*s.p == '+' || *s.p == '-')) {
		s.p++;
		s.n--;
	}
	if (slice_is(s, "inf") || slice_is(s, "nan"))
		return "inf and nan";
	return NULL;
}

static int
plain_number(struct toml_in *t, struct slice s, struct toml_value *v)
{
	struct buf text = BUF_INIT(s.n + 1);
	bool is_float = false;
	int r = 0;

	if (!number(s, &text, &is_float))
		r = toml_bad(t, "no value: %.*s (a string wants quotes)",
		    (int)(s.n < 40 ? s.n : 40), s.p);
	else if (is_float && !num_double(text.p, text.len, &v->d))
		r = toml_unsupported(t, "a number that large or that long");
	else if (!is_float && !num_i64(text.p, text.len, &v->i))
		r = toml_bad(t, "an integer of more than 64 bits");
	if (r == 0) {
		v->kind = is_float ? TOML_FLOAT : TOML_INT;
		if (!is_float)
			v->d = (double)v->i;
		v->s = buf_detach(&text);
	}
	buf_release(&text);
	return r;
}

static int
plain(struct toml_in *t, struct toml_value *v)
{
	struct slice s = { t->p, 0 };
	const char *what;

	while (toml_bare(toml_peek(t)) || toml_peek(t) == '+' ||
	    toml_peek(t) == '.' || toml_peek(t) == ':')
		t->p++;
	s.n = (size_t)(t->p - s.p);
	if (s.n == 0)
		return toml_stray(t, "no value");
	if (slice_is(s, "true") || slice_is(s, "false")) {
		v->kind = TOML_BOOL;
		v->b = *s.p == 't';
		return 0;
	}
	what = foreign(s);
	return what != NULL ? toml_unsupported(t, what) : plain_number(t, s, v);
}

/* ---- arrays, values ---- */

/* Between the elements of an array: blanks, comments, line ends. */
static int
gap(struct toml_in *t)
{
	do {
		if (toml_comment(t) < 0)
			return -1;
	} while (toml_newline(t));
	return 0;
}

/* Is the last element of an array like those before it?  An integer among
 * floats is a float. */
static bool
same_kind(struct toml_value *v)
{
	struct toml_value *first = v->v, *last = &v->v[v->n - 1];

	if (first->kind == TOML_FLOAT && last->kind == TOML_INT)
		last->kind = TOML_FLOAT;
	if (first->kind == TOML_INT && last->kind == TOML_FLOAT)
		for (size_t i = 0; i < v->n; i++)
			v->v[i].kind = TOML_FLOAT;
	return last->kind == first->kind;
}

static int
array(struct toml_in *t, struct toml_value *v, int depth)
{
	size_t cap = 0;

	v->kind = TOML_ARRAY;
	for (t->p++; ; t->p++) {
		struct toml_value *el;

		if (gap(t) < 0)
			return -1;
		if (toml_peek(t) == ']')
			break;
		v->v = xgrow(v->v, v->n, &cap, sizeof *v->v);
		el = &v->v[v->n++];
		*el = (struct toml_value){ 0 };
		if (value(t, el, depth + 1) < 0 || gap(t) < 0)
			return -1;
		if (!same_kind(v))
			return toml_unsupported(t, "an array of several types");
		if (toml_peek(t) == ']')
			break;
		if (toml_peek(t) != ',')
			return toml_bad(t, "an array without its end");
	}
	t->p++;
	return 0;
}

/* depth: so many arrays are open. */
static int
value(struct toml_in *t, struct toml_value *v, int depth)
{
	switch (toml_peek(t)) {
	case '"':
	case '\'':
		v->kind = TOML_STRING;
		return toml_string(t, &v->s);
	case '[':
		if (depth == TOML_DEPTH_MAX)
			return toml_unsupported(t, "arrays nested that "
			    "deeply");
		return array(t, v, depth);
	case '{':
		return toml_unsupported(t, "an inline table (write [TABLE])");
	case -1:
		return toml_bad(t, depth > 0 ? "an array without its end" :
		    "no value");
	default:
		return plain(t, v);
	}
}

int
toml_read(struct toml_in *t, struct toml_value *v)
{
	return value(t, v, 0);
}

bool
toml_value(const char *p, size_t n, struct toml_value *v)
{
	struct toml_in t = { .name = "", .p = p, .end = p + n };

	*v = (struct toml_value){ 0 };
	if (utf8_check(p, n) == n) {
		toml_blanks(&t);
		if (toml_read(&t, v) == 0) {
			toml_blanks(&t);
			if (t.p == t.end)
				return true;
		}
	}
	toml_release(v);
	return false;
}

void
toml_release(struct toml_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		toml_release(&v->v[i]);
	free(v->v);
	free(v->s);
	*v = (struct toml_value){ 0 };
}

const char *
toml_kind_name(enum toml_kind kind)
{
	static const char *const names[] = { "a string", "an integer",
	    "a float", "true or false", "an array" };

	return names[kind];
}
