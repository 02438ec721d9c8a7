/* value_reader.c - reads a foreign file as a sequence of JSON values. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "value_reader.h"

/* Check s, repairing it if necessary.  The scanner accepts lone surrogates. */
static int
check(struct value_reader *u, struct slice s)
{
	u->json = s;
	u->lossy = false;
	if (scan_value(&u->scan, s.p, s.n) == 0 &&
	    scan_lone_surrogate(s) == NULL)
		return 1;
	buf_reset(&u->mended);
	u->lossy = scan_repair(s, &u->mended);
	u->json = buf_view(&u->mended);
	return scan_value(&u->scan, u->json.p, u->json.n) == 0 ? 1 : -1;
}

static int
refuse_scan(struct value_reader *u, struct err *e)
{
	return err_set(e, ST_DATA, "%s:%zu: %s at byte %zu", u->in->name,
	    u->line, u->scan.why, u->scan.at + 1);
}

/* ---- what was cut off ---- */

void
value_complete(struct slice s, bool whole, struct buf *out)
{
	char *open = xmalloc(s.n + 1), last = '\0';
	size_t depth = 0, cut = 0, cut_depth = 0, escape = 0;
	bool quoted = false, value = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '"') {
			quoted = !quoted;
			value = last == ':' ||
			    (depth > 0 && open[depth - 1] == ']');
			escape = i;
		} else if (quoted && c == '\\') {
			escape = i++;
		} else if (!quoted && (c == '{' || c == '[')) {
			open[depth++] = c == '{' ? '}' : ']';
		} else if (!quoted && (c == '}' || c == ']')) {
			depth -= depth > 0;
		}
		if (quoted || is_whitespace(c))
			continue;
		last = c;
		bool element = depth > 0 && open[depth - 1] == ']' && c != '{';
		/* also behind what such an element was in, closed since */
		if (strchr("{}[],", c) == NULL ||
		    (whole && !element && depth >= cut_depth))
			continue;
		cut = i + (c != ',');
		cut_depth = depth;
		if (depth == 0)
			break;
	}
	value &= quoted && !whole;
	if (value) {		/* perhaps without its last escape */
		cut = s.p[escape] == '\\' && escape + 6 > s.n ? escape : s.n;
		cut_depth = depth;
	}
	buf_add(out, s.p, cut);
	if (value)
		buf_addc(out, '"');
	while (cut_depth > 0)
		buf_addc(out, open[--cut_depth]);
	free(open);
}

/* Give what the arrays in a value that is cut short have whole, before it is
 * refused; false: it was given, or they have nothing. */
static bool
give_whole(struct value_reader *u, struct slice s)
{
	bool again = u->given;

	u->given = false;
	if (again)
		return false;
	buf_reset(&u->whole);
	u->whole.max = BUF_RECORD_MAX;
	value_complete(s, true, &u->whole);
	u->given = u->whole.len > 0 && check(u, buf_view(&u->whole)) > 0;
	return u->given;
}

/* ---- lines ---- */

size_t
value_end(struct slice s)
{
	struct scan_end e = { .at = 0 };

	return scan_end(&e, s);
}

/* The next of several values on one line. */
static int
next_glued(struct value_reader *u, struct err *e)
{
	size_t n = value_end(u->rest);
	struct slice s = u->rest;

	if (n == 0 || n > s.n)
		n = s.n;
	u->rest = slice_trim(slice_from(s, n));
	s.n = n;
	return check(u, s) > 0 ? 1 : refuse_scan(u, e);
}

/* 0: the line is blank. */
static int
take_line(struct value_reader *u, struct slice line, struct err *e)
{
	struct slice s = slice_trim(line);

	u->line = u->in->line;
	u->now = u->line - 1;
	if (s.n == 0)
		return 0;
	int got = check(u, s);
	if (got > 0)
		return got;
	/* not one value: perhaps several, with nothing between them */
	size_t first = value_end(s);
	if (first == 0 || first == s.n || (s.p[first] != '{' &&
	    !is_whitespace(s.p[first])) ||
	    scan_value(&u->scan, s.p, first) < 0) {
		check(u, s);
		got = refuse_scan(u, e);
	} else {
		u->rest = s;
		got = next_glued(u, e);
	}
	u->cut = got < 0 && u->in->cut;
	/* of a document, not of a record that is still being written */
	if (u->cut && u->elements && give_whole(u, u->json)) {
		u->again = line;
		return 1;
	}
	return got;
}

/* ---- values ---- */

/* Drop what is between values; true if a value begins. */
static bool
at_value(struct value_reader *u)
{
	struct slice raw = rec_unread(u->in);
	size_t i = 0;

	for (; i < raw.n; i++) {
		char c = raw.p[i];

		if (c == '\n')
			u->now++;
		else if (c == '[' && u->elements && !u->in_array) {
			u->in_array = true;
			u->after = u->comma = false;
		} else if (c == ']' && u->in_array && !u->comma)
			u->in_array = false;
		else if (c == ',' && u->in_array && u->after) {
			u->after = false;
			u->comma = true;
		} else if (!is_whitespace(c))
			break;
	}
	rec_unread_drop(u->in, i);
	return i < raw.n;
}

static void
pass_value(struct value_reader *u, struct slice s)
{
	u->used = s.n;
	u->line = u->now + 1;
	u->now += slice_newlines(s);
	u->after = true;
	u->comma = false;
	u->end = (struct scan_end){ .at = 0 };
}

static int
next_value(struct value_reader *u, bool wait, struct err *e)
{
	for (;;) {
		bool begun = u->end.at > 0 || at_value(u);
		struct slice raw = rec_unread(u->in);
		const char *why;

		if (begun && u->end.at == 0 && u->in_array &&
		    (u->after || *raw.p == ',' || *raw.p == ']')) {
			/* a comma is missing before this byte, or there is one
			 * too many: continue after it */
			why = u->after ? "no comma between the values of an "
			    "array" : "a comma where a value should be";
			u->line = u->now + 1;
			u->used = *raw.p == ',' || *raw.p == ']';
			u->in_array &= *raw.p != ']';
			u->after = u->comma = false;
			return err_set(e, ST_DATA, "%s:%zu: %s", u->in->name,
			    u->line, why);
		}
		size_t n = begun ? scan_end(&u->end, raw) : 0;
		if (n > 0) {
			raw.n = n;
			pass_value(u, raw);
			return check(u, raw) > 0 ? 1 : refuse_scan(u, e);
		}
		u->cut = u->in->eof && (begun || u->in_array);
		if (u->cut && u->end.at > 0 && give_whole(u, raw)) {
			u->line = u->now + 1;
			return 1;
		}
		if (u->cut || raw.n > BUF_RECORD_MAX ||
		    (begun && u->end.at == 0)) {
			/* no value begins here, or none that ends */
			why = u->end.at > 0 ? "value longer than 448 MiB" :
			    "not a JSON value";
			pass_value(u, raw);
			u->in_array = false;
			return u->cut ? err_set(e, ST_DATA, "%s:%zu: cut short "
			    "at byte %zu: its end is missing", u->in->name,
			    u->line, raw.n + 1) : err_set(e, ST_DATA,
			    "%s:%zu: %s", u->in->name, u->line, why);
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
value_reader_next(struct value_reader *u, bool wait, struct err *e)
{
	struct slice line = u->again;

	u->cut = false;
	u->mended.max = BUF_RECORD_MAX * 2;
	if (u->rest.n > 0)
		return next_glued(u, e);
	rec_unread_drop(u->in, u->used);
	u->used = 0;
	if (!u->begun && slice_starts(rec_unread(u->in), "\xef\xbb\xbf"))
		rec_unread_drop(u->in, 3);
	u->begun = true;
	if (!u->lines)
		return next_value(u, wait, e);
	u->again.n = 0;
	if (line.n > 0)
		return take_line(u, line, e);
	for (;;) {
		int got = rec_line(u->in, &line, e);

		if (got > 0)
			got = take_line(u, line, e);
		else if (got == 0 && (u->in->eof || !wait))
			return u->in->eof ? 0 : 2;
		else if (got == 0)
			got = rec_fill(u->in, e) < 0 ? -1 : 0;
		if (got != 0)
			return got;
	}
}

void
value_reader_release(struct value_reader *u)
{
	scan_release(&u->scan);
	bufs_release(BUFS(&u->mended, &u->whole));
}
