/* units.c - a foreign file as a row of JSON values. */
#include <string.h>

#include "units.h"
#include "utf8.h"

#define NONE ((struct slice){ NULL, 0 })

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
skip(struct slice *s, size_t n)
{
	*s = (struct slice){ s->p + n, s->n - n };
}

static void
trim(struct slice *s)
{
	while (s->n > 0 && is_blank(*s->p))
		skip(s, 1);
	while (s->n > 0 && is_blank(s->p[s->n - 1]))
		s->n--;
}

static size_t
count_lines(const char *p, size_t n)
{
	const char *end = p + n;
	size_t lines = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		p++;
		lines++;
	}
	return lines;
}

/* ---- mending ---- */

static int
hex4(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9' ? c - '0' :
		    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* An escape at p ("\..."), copied or replaced; its length. */
static size_t
mend_escape(const char *p, const char *end, struct buf *out, bool *lossy)
{
	int a = end - p >= 6 && p[1] == 'u' ? hex4(p + 2, end) : -1;
	size_t n = end - p >= 2 ? 2 : 1;
	bool lone = a == 0 || (a >= 0xdc00 && a <= 0xdfff);

	if (a >= 0)
		n = 6;
	if (a >= 0xd800 && a <= 0xdbff) {
		int b = end - p >= 12 && p[6] == '\\' && p[7] == 'u' ?
		    hex4(p + 8, end) : -1;

		lone = b < 0xdc00 || b > 0xdfff;
		n = lone ? 6 : 12;
	}
	if (lone) {
		buf_adds(out, "\\ufffd");
		*lossy = true;
	} else
		buf_add(out, p, n);
	return n;
}

bool
units_mend(struct slice text, struct buf *out)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX * 2);
	bool lossy, quoted = false;
	const char *p, *end;

	buf_adds(&clean, "");
	lossy = utf8_clean(&clean, text.p, text.n);
	p = clean.p;
	end = p + clean.len;
	buf_adds(out, "");
	while (p < end)
		if (quoted && *p == '\\') {
			p += mend_escape(p, end, out, &lossy);
		} else if (quoted && (unsigned char)*p < 0x20) {
			buf_fmt(out, "\\u%04x", (unsigned)*p++);
		} else {
			quoted ^= *p == '"';
			buf_addc(out, *p++);
		}
	buf_release(&clean);
	return lossy;
}

/* A lone surrogate passes the scanner; one that may be there is rare. */
static bool
has_surrogate(struct slice s)
{
	return memmem(s.p, s.n, "\\ud", 3) != NULL ||
	    memmem(s.p, s.n, "\\uD", 3) != NULL;
}

/* Check s, mended if it has to be. */
static int
check(struct units *u, struct slice s)
{
	u->json = s;
	u->lossy = false;
	if (scan_value(&u->scan, s.p, s.n) == 0 && !has_surrogate(s))
		return 1;
	buf_reset(&u->mended);
	u->lossy = units_mend(s, &u->mended);
	u->json = buf_view(&u->mended);
	return scan_value(&u->scan, u->json.p, u->json.n) == 0 ? 1 : -1;
}

static int
refuse(struct units *u, const char *why, struct err *e)
{
	return err_set(e, ST_DATA, "%s:%zu: %s", u->in->name, u->line, why);
}

static int
refuse_scan(struct units *u, struct err *e)
{
	return err_set(e, ST_DATA, "%s:%zu: %s at byte %zu", u->in->name,
	    u->line, u->scan.why, u->scan.at + 1);
}

/* ---- lines ---- */

/* Walk on in a value; its end in s, or 0 if that is not there yet. */
static size_t
walk_on(struct units *u, struct slice s)
{
	for (; u->at < s.n; u->at++) {
		char c = s.p[u->at];

		if (u->escaped) {
			u->escaped = false;
		} else if (u->quoted) {
			u->escaped = c == '\\';
			u->quoted = c != '"';
			if (!u->quoted && u->depth == 0)
				return u->at + 1;
		} else if (c == '"') {
			u->quoted = true;
		} else if (c == '{' || c == '[') {
			u->depth++;
		} else if (c == '}' || c == ']') {
			if (u->depth == 0)
				return u->at;
			if (--u->depth == 0)
				return u->at + 1;
		} else if (u->depth == 0 && (c == ',' || is_blank(c))) {
			return u->at;
		}
	}
	return 0;
}

size_t
units_value_end(struct slice s)
{
	struct units u = { .at = 0 };

	return walk_on(&u, s);
}

/* The next of several values on one line. */
static int
next_glued(struct units *u, struct err *e)
{
	size_t n = units_value_end(u->rest);
	struct slice s = u->rest;

	if (n == 0 || n > s.n)
		n = s.n;
	s.n = n;
	skip(&u->rest, n);
	trim(&u->rest);
	return check(u, s) > 0 ? 1 : refuse_scan(u, e);
}

/* A line that is no value: perhaps several, without anything between. */
static int
unglue(struct units *u, struct slice s, struct err *e)
{
	size_t n = units_value_end(s);

	if (n == 0 || n == s.n || (s.p[n] != '{' && !is_blank(s.p[n])) ||
	    scan_value(&u->scan, s.p, n) < 0) {
		check(u, s);
		return refuse_scan(u, e);
	}
	u->rest = s;
	return next_glued(u, e);
}

/* Take the line that ends at n; lf: with a line feed behind it. */
static int
take_line(struct units *u, struct slice raw, size_t n, bool lf, struct err *e)
{
	struct slice s = { raw.p, n };
	int got;

	u->used = n + lf;
	u->at = 0;
	u->line = ++u->now;
	trim(&s);
	if (s.n == 0 || u->skipping) {
		u->skipping = u->skipping && !lf;
		return 0;
	}
	got = check(u, s);
	if (got > 0)
		return got;
	got = unglue(u, s, e);
	u->cut = got < 0 && !lf;
	return got;
}

static int
next_line(struct units *u, bool wait, struct err *e)
{
	for (;;) {
		struct slice raw = rec_raw(u->in);
		const char *lf = raw.n > u->at ? memchr(raw.p + u->at, '\n',
		    raw.n - u->at) : NULL;
		size_t n = lf != NULL ? (size_t)(lf - raw.p) : raw.n;
		int got = 0;

		if (n > u->in->max) {
			bool again = u->skipping;

			rec_raw_drop(u->in, n + (lf != NULL));
			u->at = 0;
			u->skipping = lf == NULL;
			u->now += lf != NULL;
			u->line = u->now + (lf == NULL);
			if (!again)
				return refuse(u, "line too long", e);
			continue;
		}
		if (lf != NULL || (u->in->eof && n > 0)) {
			got = take_line(u, raw, n, lf != NULL, e);
			if (got != 0)
				return got;
			rec_raw_drop(u->in, u->used);
			u->used = 0;
			continue;
		}
		if (u->in->eof)
			return 0;
		if (!wait)
			return 2;
		u->at = n;
		if (rec_fill(u->in, e) < 0)
			return -1;
	}
}

/* ---- values ---- */

/* Drop what stands between values; true when one begins. */
static bool
at_value(struct units *u)
{
	struct slice raw = rec_raw(u->in);
	size_t i = 0;

	for (; i < raw.n; i++) {
		char c = raw.p[i];

		if (c == '\n')
			u->now++;
		else if (c == '[' && u->elements && !u->in_array)
			u->in_array = true;
		else if (c == ']' && u->in_array)
			u->in_array = false;
		else if (!is_blank(c) && !(c == ',' && u->in_array))
			break;
	}
	rec_raw_drop(u->in, i);
	return i < raw.n;
}

static int
take_value(struct units *u, struct slice s, struct err *e)
{
	u->used = s.n;
	u->line = u->now + 1;
	u->now += count_lines(s.p, s.n);
	u->at = u->depth = 0;
	u->quoted = u->escaped = false;
	return check(u, s) > 0 ? 1 : refuse_scan(u, e);
}

static int
next_value(struct units *u, bool wait, struct err *e)
{
	for (;;) {
		bool begun = u->at > 0 || at_value(u);
		struct slice raw = rec_raw(u->in);
		size_t n = begun ? walk_on(u, raw) : 0;

		if (n > 0)
			return take_value(u, (struct slice){ raw.p, n }, e);
		u->cut = u->in->eof && (begun || u->in_array);
		if (u->cut || raw.n > BUF_RECORD_MAX || (begun && u->at == 0)) {
			u->line = u->now + 1;
			if (raw.n > 0)
				take_value(u, raw, e);
			u->in_array = false;
			return refuse(u, u->cut ? "cut short: its end is "
			    "missing" : u->at > 0 ? "too long" :
			    "no JSON value", e);
		}
		if (u->in->eof)
			return 0;
		if (!wait)
			return 2;
		if (rec_fill(u->in, e) < 0)
			return -1;
	}
}

int
units_next(struct units *u, bool wait, struct err *e)
{
	u->cut = false;
	u->mended.max = BUF_RECORD_MAX * 2;
	if (u->rest.n > 0)
		return next_glued(u, e);
	u->rest = NONE;
	rec_raw_drop(u->in, u->used);
	u->used = 0;
	if (!u->begun && slice_starts(rec_raw(u->in), "\xef\xbb\xbf"))
		rec_raw_drop(u->in, 3);
	u->begun = true;
	return u->lines ? next_line(u, wait, e) : next_value(u, wait, e);
}

void
units_release(struct units *u)
{
	scan_release(&u->scan);
	buf_release(&u->mended);
}
