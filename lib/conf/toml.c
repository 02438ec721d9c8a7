/* toml.c - the subset of TOML 1.0 that configuration files are written in.
 *
 * No C library for TOML is packaged where we must run, so this reads the
 * format itself, by the grammar of toml.io/en/v1.0.0 less what toml.h leaves
 * out.  tests/unit/test_toml.c holds it to that.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "toml.h"

/* The bytes of a document being read.  Functions that read start at the first
 * byte of what they read and leave the position after its last; on failure
 * they return -1 with the error set. */
struct toml_in {
	const char *name;	/* the FILE of errors */
	const char *p, *end;
	size_t line;
	struct err *e;
};

/* ---- bytes ---- */

static int
bad(struct toml_in *t, const char *fmt, ...)
{
	char why[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	return err_set(t->e, ST_CONFIG, "%s:%zu: %s", t->name, t->line, why);
}

static int
unsupported(struct toml_in *t, const char *what)
{
	return bad(t, "not supported here: %s", what);
}

static int
peek(const struct toml_in *t)
{
	return t->p < t->end ? (unsigned char)*t->p : -1;
}

static bool
starts(const struct toml_in *t, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(t->end - t->p) >= n && memcmp(t->p, text, n) == 0;
}

static void
skip_blanks(struct toml_in *t)
{
	while (peek(t) == ' ' || peek(t) == '\t')
		t->p++;
}

static bool
is_control(int c)
{
	return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
}

static int
control(struct toml_in *t)
{
	return bad(t, "control character 0x%02x", (unsigned)peek(t));
}

static int
stray(struct toml_in *t, const char *why)
{
	if (is_control(peek(t)) && !starts(t, "\n") &&
	    !starts(t, "\r\n"))
		return control(t);
	return bad(t, "%s", why);
}

static int
newline(struct toml_in *t)
{
	size_t n = starts(t, "\r\n") ? 2 : starts(t, "\n") ? 1 : 0;

	t->p += n;
	t->line += n != 0;
	return n != 0;
}

static int
comment(struct toml_in *t)
{
	skip_blanks(t);
	if (peek(t) != '#')
		return 0;
	while (t->p < t->end && !starts(t, "\n") &&
	    !starts(t, "\r\n")) {
		if (is_control(peek(t)))
			return control(t);
		t->p++;
	}
	return 0;
}

static bool
is_bare(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* ---- strings ---- */

static int
escape(struct toml_in *t, struct buf *out)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	unsigned long cp = 0;

	t->p++;
	int c = peek(t);
	const char *at = c > 0 ? strchr(from, c) : NULL;
	if (at != NULL) {
		t->p++;
		return buf_addc(out, to[at - from]);
	}
	if (c != 'u' && c != 'U')
		return bad(t, "unknown escape in a string (a backslash is "
		    "written \\\\, or the string in '...')");
	t->p++;
	int digits = c == 'u' ? 4 : 8;
	for (int i = 0; i < digits; i++, t->p++) {
		int d = t->p < t->end ? num_hex(*t->p) : -1;
		if (d < 0)
			return bad(t, "\\%c needs %d hexadecimal digits",
			    c, digits);
		cp = cp * 16 + (unsigned)d;
	}
	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return bad(t, "an escape that is not a Unicode character");
	if (cp == 0)
		return unsupported(t, "U+0000 in a string");
	utf8_put(out, cp);
	return 0;
}

static int
string(struct toml_in *t, char **text)
{
	struct buf out = BUF_INIT((size_t)(t->end - t->p) + 4);
	int quote = peek(t);

	if (starts(t, "\"\"\"") || starts(t, "'''"))
		return unsupported(t, "a string over several lines");
	for (t->p++; peek(t) != quote; ) {
		int c = peek(t), r;

		if (c < 0 || c == '\n' || starts(t, "\r\n"))
			r = bad(t, "an unterminated string");
		else if (is_control(c))
			r = control(t);
		else if (c == '\\' && quote == '"')
			r = escape(t, &out);
		else
			r = buf_addc(&out, *t->p++);
		if (r < 0) {
			buf_release(&out);
			return -1;
		}
	}
	t->p++;
	*text = buf_detach(&out);
	return 0;
}

static int value(struct toml_in *t, struct toml_value *v, int depth);

/* ---- numbers and words ---- */

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* Parts of TOML that begin like a number or word, but are not in our subset. */
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
plain(struct toml_in *t, struct toml_value *v)
{
	struct slice s = { t->p, 0 };
	int r = 0;

	while (is_bare(peek(t)) || peek(t) == '+' || peek(t) == '.' ||
	    peek(t) == ':')
		t->p++;
	s.n = (size_t)(t->p - s.p);
	if (s.n == 0)
		return stray(t, "no value");
	if (slice_is(s, "true") || slice_is(s, "false")) {
		v->kind = TOML_BOOL;
		v->b = *s.p == 't';
		return 0;
	}
	const char *what = foreign(s);
	if (what != NULL)
		return unsupported(t, what);
	struct buf text = BUF_INIT(s.n + 1);
	bool is_float = false, ok = true;
	/* decimal integers and floats are JSON's numbers, except for a leading
	 * '+' and '_' between digits */
	for (size_t i = 0; i < s.n && ok; i++) {
		is_float |= strchr(".eE", s.p[i]) != NULL;
		if (s.p[i] == '_')
			ok = i > 0 && is_digit(s.p[i - 1]) && i + 1 < s.n &&
			    is_digit(s.p[i + 1]);
		else if (s.p[i] != '+' || i > 0 || s.n == 1 ||
		    !is_digit(s.p[1]))
			buf_addc(&text, s.p[i]);
	}
	if (!ok || !scan_is_json(buf_view(&text)) ||
	    scan_kind(buf_view(&text)) != SCAN_NUMBER)
		r = bad(t, "not a value: %.*s (strings need quotes)",
		    (int)(s.n < 40 ? s.n : 40), s.p);
	else if (is_float && !num_double(text.p, text.len, &v->d))
		r = unsupported(t, "a number that large or that long");
	else if (!is_float && !num_i64(text.p, text.len, &v->i))
		r = bad(t, "an integer that does not fit 64 bits");
	if (r == 0) {
		v->kind = is_float ? TOML_FLOAT : TOML_INT;
		if (!is_float)
			v->d = (double)v->i;
		v->s = buf_detach(&text);
	}
	buf_release(&text);
	return r;
}

/* ---- arrays, values ---- */

/* Skip what is between an array's elements: blanks, comments, line ends. */
static int
gap(struct toml_in *t)
{
	do {
		if (comment(t) < 0)
			return -1;
	} while (newline(t));
	return 0;
}

static int
array(struct toml_in *t, struct toml_value *v, int depth)
{
	size_t cap = 0;

	v->kind = TOML_ARRAY;
	for (t->p++; ; t->p++) {
		if (gap(t) < 0)
			return -1;
		if (peek(t) == ']')
			break;
		GROW(v->v, v->n, cap);
		struct toml_value *el = &v->v[v->n++];
		*el = (struct toml_value){ 0 };
		if (value(t, el, depth + 1) < 0 || gap(t) < 0)
			return -1;
		/* an integer among floats is a float */
		if (v->v[0].kind == TOML_FLOAT && el->kind == TOML_INT)
			el->kind = TOML_FLOAT;
		if (v->v[0].kind == TOML_INT && el->kind == TOML_FLOAT)
			for (size_t i = 0; i < v->n; i++)
				v->v[i].kind = TOML_FLOAT;
		if (el->kind != v->v[0].kind)
			return unsupported(t, "an array of several types");
		if (peek(t) == ']')
			break;
		if (peek(t) != ',')
			return bad(t, "an unterminated array");
	}
	t->p++;
	return 0;
}

/* depth: how many arrays are open. */
static int
value(struct toml_in *t, struct toml_value *v, int depth)
{
	switch (peek(t)) {
	case '"':
	case '\'':
		v->kind = TOML_STRING;
		return string(t, &v->s);
	case '[':
		if (depth == TOML_DEPTH_MAX)
			return unsupported(t, "arrays nested that "
			    "deeply");
		return array(t, v, depth);
	case '{':
		return unsupported(t, "an inline table (write [TABLE])");
	case -1:
		return bad(t, depth > 0 ? "an unterminated array" :
		    "no value");
	default:
		return plain(t, v);
	}
}

bool
toml_value(const char *p, size_t n, struct toml_value *v)
{
	struct toml_in t = { .name = "", .p = p, .end = p + n };

	*v = (struct toml_value){ 0 };
	if (utf8_check(p, n) == n) {
		skip_blanks(&t);
		if (value(&t, v, 0) == 0) {
			skip_blanks(&t);
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
	FREE(v->v, v->s);
	*v = (struct toml_value){ 0 };
}

const char *
toml_kind_name(enum toml_kind kind)
{
	static const char *const names[] = { "a string", "an integer",
	    "a float", "true or false", "an array" };

	return names[kind];
}

/* ---- written ---- */

bool
toml_is_bare(const char *s)
{
	const char *p = s;

	while (is_bare((unsigned char)*p))
		p++;
	return p > s && *p == '\0';
}

void
toml_quote(struct buf *out, const char *s)
{
	struct slice text = slice_of(s);
	struct utf8_char c;

	buf_addc(out, '"');
	for (size_t at = 0; (c = utf8_at(text, at)).n > 0; at += c.n) {
		if (c.cp == '"' || c.cp == '\\')
			buf_addc(out, '\\');
		if (ctrl_is(c.cp))
			buf_fmt(out, c.cp > 0xffff ? "\\U%08lX" :
			    "\\u%04lX", c.cp);
		else
			buf_add(out, s + at, c.n);
	}
	buf_addc(out, '"');
}

void
toml_path(struct buf *out, const char *const *key, size_t nkey)
{
	for (size_t i = 0; i < nkey; i++) {
		if (i > 0)
			buf_addc(out, '.');
		if (toml_is_bare(key[i]))
			buf_adds(out, key[i]);
		else
			toml_quote(out, key[i]);
	}
}

void
toml_show(struct buf *out, const struct toml_value *v)
{
	if (v->kind == TOML_STRING)
		toml_quote(out, v->s);
	else if (v->kind == TOML_BOOL)
		buf_adds(out, v->b ? "true" : "false");
	else if (v->kind != TOML_ARRAY)
		buf_adds(out, v->s);
	else {
		buf_addc(out, '[');
		for (size_t i = 0; i < v->n; i++) {
			if (i > 0)
				buf_adds(out, ", ");
			toml_show(out, &v->v[i]);
		}
		buf_addc(out, ']');
	}
}

/* ---- documents ---- */

/* How a name was defined decides what may define it again. */
enum node_kind {
	NODE_VALUE,
	NODE_HEADER,		/* [a.b]: b.  Never again. */
	NODE_IMPLIED,		/* [a.b]: a.  One header may still name it. */
	NODE_DOTTED		/* a.b = 1: a.  No header may name it. */
};

struct node {
	enum node_kind kind;
	size_t line;
};

struct toml {
	struct toml_in in;
	struct map names;	/* "PARENT.NAME": its place in nodes */
	struct node *nodes;	/* nodes[0] is the document */
	size_t n, cap;
	size_t table;		/* the node of the current header */
	char **key;		/* the whole path being read, name by name */
	size_t nkey, capkey;
	size_t ntable;		/* how many of the names are the header's */
	toml_fn *fn;
	void *ctx;
};

/* ---- keys ---- */

static void
truncate_key(struct toml *t, size_t n)
{
	while (t->nkey > n)
		free(t->key[--t->nkey]);
	t->ntable = n;
}

/* Read a dotted key, added after the header's names in t->key, and the blanks
 * after it. */
static int
key(struct toml *t)
{
	struct toml_in *in = &t->in;

	for (;;) {
		char *name = NULL;

		skip_blanks(in);
		const char *from = in->p;
		if (peek(in) == '"' || peek(in) == '\'') {
			if (string(in, &name) < 0)
				return -1;
		} else {
			while (is_bare(peek(in)))
				in->p++;
			if (in->p == from)
				return stray(in, "a key needs quotes, or "
				    "letters, digits, - and _ only");
			name = xmemdup0(from, (size_t)(in->p - from));
		}
		GROW(t->key, t->nkey, t->capkey);
		t->key[t->nkey++] = name;
		skip_blanks(in);
		if (peek(in) != '.')
			return 0;
		in->p++;
	}
}

/* The node of the i-th name of t->key below parent; created with this kind if
 * it does not exist yet. */
static size_t
child(struct toml *t, size_t parent, size_t i, enum node_kind kind,
    bool *fresh)
{
	char *path = xasprintf("%zu.%s", parent, t->key[i]);
	uint64_t *at = map_put(&t->names, slice_of(path), fresh);

	if (*fresh) {
		*at = t->n;
		GROW(t->nodes, t->n, t->cap);
		t->nodes[t->n++] = (struct node){ kind, t->in.line };
	}
	free(path);
	return *at;
}

/* Error: an earlier line defines the first n names of t->key in another
 * sense. */
static int
clash(struct toml *t, size_t n, size_t node, const char *before,
    const char *after)
{
	struct buf path = BUF_INIT(400);

	toml_path(&path, (const char *const *)t->key, n);
	int r = bad(&t->in, "%s%s%s (line %zu)", before, path.over ?
	    "a long name" : path.p, after, t->nodes[node].line);
	buf_release(&path);
	return r;
}

/* Move *at down through the tables that t->key names, creating those that do
 * not exist yet. */
static int
descend(struct toml *t, size_t *at, enum node_kind kind)
{
	bool fresh;

	if (t->n + t->nkey - t->ntable > TOML_KEYS_MAX)
		return unsupported(&t->in, "so many keys in one file");
	for (size_t i = t->ntable; i + 1 < t->nkey; i++) {
		size_t next = child(t, *at, i, kind, &fresh);

		if (t->nodes[next].kind == NODE_VALUE)
			return clash(t, i + 1, next, "\"",
			    "\" is a value already");
		if (kind == NODE_DOTTED && t->nodes[next].kind != NODE_DOTTED)
			return clash(t, i + 1, next, "[",
			    "] is a table already; add to it there");
		*at = next;
	}
	return 0;
}

/* ---- tables and lines ---- */

static int
line_end(struct toml_in *t, const char *after)
{
	if (comment(t) < 0)
		return -1;
	if (t->p == t->end || newline(t))
		return 0;
	return stray(t, after);
}

static int
header(struct toml *t)
{
	struct toml_event ev = { .line = t->in.line };
	size_t at = 0;
	bool fresh;

	if (starts(&t->in, "[["))
		return unsupported(&t->in, "an array of tables");
	t->in.p++;
	truncate_key(t, 0);
	if (key(t) < 0)
		return -1;
	if (peek(&t->in) != ']')
		return bad(&t->in, "a table name without its ]");
	if (descend(t, &at, NODE_IMPLIED) < 0)
		return -1;
	size_t node = child(t, at, t->nkey - 1, NODE_HEADER, &fresh);
	if (!fresh && t->nodes[node].kind != NODE_IMPLIED)
		return clash(t, t->nkey, node, "table [", "] twice");
	t->nodes[node] = (struct node){ NODE_HEADER, ev.line };
	t->table = node;
	t->ntable = t->nkey;
	t->in.p++;
	if (line_end(&t->in, "text after the table name") < 0)
		return -1;
	ev.key = (const char *const *)t->key;
	ev.nkey = t->nkey;
	return t->fn(t->ctx, &ev, t->in.e);
}

static int
assignment(struct toml *t)
{
	struct toml_value v = { 0 };
	struct toml_event ev = { .v = &v, .line = t->in.line };
	size_t at = t->table;
	bool fresh;

	truncate_key(t, t->ntable);
	if (key(t) < 0)
		return -1;
	if (peek(&t->in) != '=')
		return bad(&t->in, "a key without = and a value");
	if (descend(t, &at, NODE_DOTTED) < 0)
		return -1;
	size_t node = child(t, at, t->nkey - 1, NODE_VALUE, &fresh);
	if (!fresh)
		return clash(t, t->nkey, node, "key \"", "\" twice");
	t->in.p++;
	skip_blanks(&t->in);
	ev.at = t->in.p;
	int r = value(&t->in, &v, 0);
	ev.end = t->in.p;
	ev.last = t->in.line;
	if (r == 0)
		r = line_end(&t->in, "text after the value");
	ev.key = (const char *const *)t->key;
	ev.nkey = t->nkey;
	if (r == 0)
		r = t->fn(t->ctx, &ev, t->in.e);
	toml_release(&v);
	return r;
}

int
toml_parse(const char *name, const char *p, size_t n, toml_fn *fn, void *ctx,
    struct err *e)
{
	struct toml t = { .in = { .name = name, .p = p, .end = p + n,
	    .line = 1, .e = e }, .fn = fn, .ctx = ctx };
	struct toml_in *in = &t.in;
	size_t good = utf8_check(p, n);
	int r = 0;

	t.nodes = xgrow(NULL, 0, &t.cap, sizeof *t.nodes);
	t.nodes[t.n++] = (struct node){ NODE_HEADER, 0 };
	if (good < n) {
		in->line += slice_newlines((struct slice){ p, good });
		r = bad(in, "not UTF-8");
	} else if (starts(in, "\xef\xbb\xbf")) {
		r = unsupported(in, "a byte order mark");
	}
	while (r == 0 && in->p < in->end) {
		r = comment(in);
		if (r < 0 || in->p == in->end || newline(in))
			continue;
		r = peek(in) == '[' ? header(&t) : assignment(&t);
	}
	truncate_key(&t, 0);
	FREE(t.key, t.nodes);
	map_release(&t.names);
	return r;
}
