/* edit.c - literal replacements in a text: find, check, apply. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "json/scan.h"

#include "diff.h"
#include "edit.h"
#include "internal.h"

#define LINES_NAMED 8		/* listed for an ambiguous match */
#define COMPARE_MAX 400		/* bytes of a line that are compared */
#define WORK_MAX 1000000	/* lines compared, or places in a line */
#define OLD_LINES 40		/* lines of old that are compared */
#define ALIKE 40		/* percent alike to be worth showing */
#define SAME 95			/* percent: only white space differs */
#define NEAR 3			/* lines that old may leave out, or add */
#define PART 8			/* fewer equal bytes may be chance */
#define SHOWN 160		/* bytes of a line shown */

/* ---- the arguments ---- */

/* Take a text without its BOM: that of the file, which read shows, stays as it
 * is, whether old or new starts with one or not. */
static void
take(struct slice args, const char *key, struct buf *text)
{
	scan_str(scan_get(args, key), text);
	if (slice_starts(buf_view(text), BOM))
		buf_drop(text, strlen(BOM));
}

static int
add(struct edits *e, struct slice args, struct fault *f)
{
	struct edit x = { .old = BUF_INIT(BUF_RECORD_MAX),
		.new = BUF_INIT(BUF_RECORD_MAX),
		.all = scan_true(scan_get(args, "all")) };

	take(args, "old", &x.old);
	take(args, "new", &x.new);
	GROW(e->v, e->n, e->cap);
	e->v[e->n++] = x;
	if (x.old.len == 0)
		return fault_set(f, "bad_arguments", "old is empty; give the "
		    "exact text to replace, or make a new file with write");
	if (slice_eq(buf_view(&x.old), buf_view(&x.new)))
		return fault_set(f, "bad_arguments",
		    "old and new are the same text");
	return 0;
}

int
edits_parse(struct edits *e, struct slice args, struct fault *f)
{
	struct slice val;
	int r = 0;

	*e = (struct edits){ 0 };
	for (struct walk w = walk_elements(scan_get(args, "edits"));
	    r == 0 && walk_next(&w, NULL, &val); )
		r = add(e, val, f);
	return r < 0 || e->n > 0 ? r : add(e, args, f);
}

void
edits_release(struct edits *e)
{
	for (size_t i = 0; i < e->n; i++)
		bufs_release(BUFS(&e->v[i].old, &e->v[i].new));
	free(e->v);
	*e = (struct edits){ 0 };
}

void
text_to_crlf(struct buf *b)
{
	struct buf out = BUF_INIT(b->max);

	for (size_t i = 0; i < b->len; i++) {
		if (b->p[i] == '\n' && (i == 0 || b->p[i - 1] != '\r'))
			buf_addc(&out, '\r');
		buf_addc(&out, b->p[i]);
	}
	buf_release(b);
	*b = out;
}

long
text_line(struct slice text, size_t at)
{
	return 1 + (long)slice_newlines((struct slice){ text.p, at });
}

#define NOWHERE ((size_t)-1)

static size_t
find(struct slice text, struct slice old, size_t from)
{
	const char *hit = from <= text.n ? memmem(text.p + from,
	    text.n - from, old.p, old.n) : NULL;

	return hit != NULL ? (size_t)(hit - text.p) : NOWHERE;
}

/* ---- the nearest text ---- */

/* Copy the start of a line, which the caller has trimmed (models get white
 * space wrong most), with one space for each run of blanks, and ASCII in place
 * of the characters that keyboards and word processors put there instead.  The
 * length. */
static size_t
fold(struct slice s, char out[COMPARE_MAX])
{
	static const struct { const char *bytes; char plain; } table[] = {
		{ "\xc2\xa0", ' ' }, { "\xe2\x80\xaf", ' ' },
		{ "\xe2\x80\x98", '\'' }, { "\xe2\x80\x99", '\'' },
		{ "\xe2\x80\x9c", '"' }, { "\xe2\x80\x9d", '"' },
		{ "\xe2\x80\x90", '-' }, { "\xe2\x80\x91", '-' },
		{ "\xe2\x80\x93", '-' }, { "\xe2\x80\x94", '-' },
	};
	size_t n = 0, k;

	for (size_t i = 0; i < s.n && n < COMPARE_MAX; i += k) {
		struct slice rest = { s.p + i, s.n - i };
		size_t t = sizeof table / sizeof table[0];

		k = 1;
		while (((unsigned char)*rest.p & 0x80) != 0 && t > 0 &&
		    !slice_starts(rest, table[t - 1].bytes))
			t--;
		if (t > 0 && ((unsigned char)*rest.p & 0x80) != 0)
			k = strlen(table[t - 1].bytes);
		char c = k > 1 ? table[t - 1].plain : *rest.p;
		if (c == '\t')
			c = ' ';
		if (c != ' ' || n == 0 || out[n - 1] != ' ')
			out[n++] = c;
	}
	return n;
}

/* How alike two lines are, in percent: what they share at their starts and
 * ends. */
static long
alike(struct slice a, struct slice b)
{
	char x[COMPARE_MAX], y[COMPARE_MAX];
	size_t head = 0, tail = 0;

	if (slice_eq(a, b))
		return 100;
	a = slice_trim(a);
	b = slice_trim(b);
	if (slice_eq(a, b))
		return a.n > 0 ? SAME : 10;
	size_t nx = fold(a, x);
	size_t ny = fold(b, y);
	size_t least = nx < ny ? nx : ny;
	size_t most = nx < ny ? ny : nx;
	while (head < least && x[head] == y[head])
		head++;
	while (tail < least - head && x[nx - 1 - tail] == y[ny - 1 - tail])
		tail++;
	return head == most ? SAME : (long)((head + tail) * 90 / most);
}

/* Line i without its LF. */
static struct slice
get(const struct lines *l, long i)
{
	return slice_trim_end(lines_get(l, i), "\n");
}

/* The line of the file (from 0) where old fits best; -1: nowhere well
 * enough. */
static long
best(const struct lines *file, const struct lines *old)
{
	long k = old->n < OLD_LINES ? old->n : OLD_LINES;
	long top = 0, where = -1, most = file->n;

	if (k > 1 && file->n > WORK_MAX / k)
		k = WORK_MAX / file->n > 0 ? WORK_MAX / file->n : 1;
	if (most > WORK_MAX)
		most = WORK_MAX;
	for (long i = 0; i < most; i++) {
		long sum = 0;

		for (long j = 0; j < k && i + j < file->n; j++)
			sum += alike(get(file, i + j), get(old, j));
		if (sum > top) {
			top = sum;
			where = i;
		}
	}
	/* old may leave out most of the lines in between, or have one too
	 * many: look for any one of its lines */
	for (long j = 0; top < ALIKE * k && j < k && k > 1; j++)
		for (long i = 0; slice_trim(get(old, j)).n >= PART &&
		    i < most; i++)
			if (alike(get(file, i), get(old, j)) >= SAME)
				return i > j ? i - j : 0;
	if (top < ALIKE * k)
		return -1;
	/* if old leaves out a line, or has one too many, most of it may fit a
	 * few lines off: start where its first line is */
	for (long d = 0; d <= NEAR; d++)
		for (long i = where - d; i <= where + d; i += d > 0 ? 2 * d : 1)
			if (i >= 0 && i < file->n &&
			    alike(get(file, i), get(old, 0)) >= SAME)
				return i;
	return where;
}

/* How long a start of old, or (end) an end of it, occurs in text; and where. */
static size_t
longest(struct slice text, struct slice old, bool end, size_t *where)
{
	size_t n = 0, most = old.n;

	while (n < most) {
		size_t k = most - (most - n) / 2;
		size_t at = find(text, (struct slice){ end ? old.p + old.n - k :
		    old.p, k }, 0);

		if (at == NOWHERE) {
			most = k - 1;
		} else {
			n = k;
			*where = at;
		}
	}
	return n;
}

/* The line (from 0) with the longest start or end of old, which is part of a
 * long line, or longer than its line; -1: none. */
static long
part(struct slice text, struct slice old)
{
	size_t at = 0, at_end = 0;

	old = slice_trim(old);
	size_t start = longest(text, old, false, &at);
	size_t end = longest(text, old, true, &at_end);
	return start < PART && end < PART ? -1 :
	    text_line(text, end > start ? at_end : at) - 1;
}

/* Append the line, or the part of a long one around at. */
static void
put_quoted(struct buf *out, struct slice s, size_t at)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	size_t from = at > SHOWN / 2 ? utf8_cut(s.p, s.n, at - 40) : 0;
	size_t n = utf8_cut(s.p + from, s.n - from, SHOWN);

	utf8_clean(&clean, s.p + from, n);
	scan_put(out, "@", buf_view(&clean));
	if (from + n < s.n)
		buf_adds(out, "...");
	buf_release(&clean);
}

/* Append "U+0009 (tab)", or "the end of the line". */
static void
put_char(struct buf *out, struct slice s, size_t at)
{
	struct utf8_char c = utf8_at(s, at);

	if (c.n == 0)
		buf_adds(out, "the end of the line");
	else if (!c.valid)
		buf_fmt(out, "the byte 0x%02lX", c.cp);
	else
		buf_fmt(out, "U+%04lX%s", c.cp, c.cp == '\t' ? " (tab)" :
		    c.cp == ' ' ? " (space)" : c.cp == '\r' ?
		    " (carriage return)" : c.cp == 0xa0 ?
		    " (no-break space)" : "");
}

static size_t
run(struct slice a, struct slice b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

/* Does line i of old match the file's line?  The first may start in the middle
 * of it, and the last may end there. */
static bool
fits(const struct lines *old, long i, struct slice file)
{
	struct slice s = get(old, i);
	bool first = i == 0, last = i == old->n - 1 &&
	    old->text.p[old->text.n - 1] != '\n';

	if (slice_eq(s, file))
		return true;
	if (s.n > file.n)
		return false;
	if (first && last)
		return memmem(file.p, file.n, s.p, s.n) != NULL;
	if (first)
		return memcmp(file.p + file.n - s.n, s.p, s.n) == 0;
	return last && memcmp(file.p, s.p, s.n) == 0;
}

/* Where old, which ends with a NUL, is found without the line numbers that read
 * puts before each line; NOWHERE: it has none. */
static size_t
find_unnumbered(struct slice text, struct slice old)
{
	struct buf plain = BUF_INIT(BUF_RECORD_MAX);
	struct slice line;
	bool good = true;

	while (good && slice_line(&old, &line)) {
		size_t blank = strspn(line.p, " ");
		size_t n = blank + strspn(line.p + blank, "0123456789");

		good = n > blank && line.p[n] == '\t';
		if (good)
			buf_slice(&plain, slice_from(line, n + 1));
		if (good && line.p + line.n < old.p)
			buf_addc(&plain, '\n');
	}
	size_t at = good && plain.len > 0 ? find(text, buf_view(&plain), 0) :
	    NOWHERE;
	buf_release(&plain);
	return at;
}

void
edit_nearest(struct slice text, struct slice old_text, struct buf *out)
{
	size_t plain = find_unnumbered(text, old_text);
	struct lines file, old;
	long i = 0;

	if (plain != NOWHERE) {
		buf_fmt(out, "it does at line %ld without the line numbers "
		    "that read shows: leave them out, in new too",
		    text_line(text, plain));
		return;
	}
	lines_of(&file, text);
	lines_of(&old, old_text);
	long where = best(&file, &old);
	if (where < 0 && old.n == 1)
		where = part(text, old_text);
	if (where < 0) {
		buf_adds(out, "nothing in it is similar; read the file "
		    "again and copy the text exactly");
		goto out;
	}
	buf_fmt(out, "the nearest text is at line %ld:", where + 1);
	while (i < old.n && where + i < file.n &&
	    fits(&old, i, get(&file, where + i)))
		i++;
	if (i == old.n) {
		buf_adds(out, "\nonly the end differs: the file has no "
		    "newline there");
	} else if (where + i == file.n) {
		buf_fmt(out, "\nthe file ends before line %ld of old",
		    i + 1);
	} else {
		/* the first difference, and the two lines */
		struct slice a = get(&old, i), b = get(&file, where + i);
		size_t begin = 0;

		/* the first line may be a part of the file's, unless it is
		 * indented */
		if (i == 0 && a.n > 0 && a.p[0] != ' ' && a.p[0] != '\t')
			longest(b, slice_part(a, 0, num_min(a.n, COMPARE_MAX)),
			    false, &begin);
		size_t at = utf8_cut(a.p, a.n, run(a, slice_from(b, begin)));

		buf_fmt(out, "\nold line %ld:  ", i + 1);
		put_quoted(out, a, at);
		buf_fmt(out, "\nfile line %ld: ", where + i + 1);
		put_quoted(out, b, begin + at);
		buf_adds(out, "\ndifferent from here: ");
		put_char(out, a, at);
		buf_adds(out, " in old, ");
		put_char(out, b, begin + at);
		buf_adds(out, " in the file");
	}
out:
	FREE(file.at, old.at);
}

/* ---- the places ---- */

/* Report that edit i matches nowhere (none), or more than once: "old occurs 3
 * times in f, lines 1, 5, 9".  Overlaps count: "aa" occurs twice in "aaa", and
 * we cannot tell which is meant.  -1. */
static int
misplaced(const struct edits *e, size_t i, struct slice text,
    const char *name, bool none, struct fault *f)
{
	struct slice old = buf_view(&e->v[i].old);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct buf lines = BUF_INIT(BUF_RECORD_MAX);
	size_t at = 0, n = 0, from = 0;
	long line = 1, said = 0, named = 0;

	if (e->n > 1)
		buf_fmt(&b, "edit %zu: ", i + 1);
	if (none) {
		buf_fmt(&b, "old does not occur in %s; ", name);
		edit_nearest(text, old, &b);
		fault_set(f, "no_match", "%s", b.p);
		goto out;
	}
	for (; (at = find(text, old, at)) != NOWHERE; at++, n++) {
		line += text_line(slice_from(text, from), at - from) - 1;
		from = at;
		if (line != said && ++named <= LINES_NAMED)
			buf_fmt(&lines, "%s%ld", named > 1 ? ", " : "", line);
		said = line;
	}
	fault_set(f, "ambiguous", "%sold occurs %zu times in %s, line%s %s%s; "
	    "add the lines around it to old, or set all", b.len > 0 ? b.p : "",
	    n, name, named == 1 ? "" : "s", lines.p, named > LINES_NAMED ?
	    ", ..." : "");
out:
	bufs_release(BUFS(&lines, &b));
	return -1;
}

const struct edit *
edits_next(struct edits *e, struct slice text, size_t *at)
{
	struct edit *top = NULL;

	for (size_t i = 0; i < e->n; i++)
		if (e->v[i].next != NOWHERE && (top == NULL ||
		    e->v[i].next < top->next))
			top = &e->v[i];
	for (size_t i = 0; i < e->n && top == NULL; i++)
		e->v[i].next = e->v[i].first;
	if (top == NULL)
		return NULL;
	*at = top->next;
	top->next = top->all ? find(text, buf_view(&top->old), *at +
	    top->old.len) : NOWHERE;
	return top;
}

int
edits_make(struct edits *e, struct slice text, const char *name,
    struct buf *out, struct fault *f)
{
	const struct edit *x, *last = NULL;
	size_t at;

	for (size_t i = 0; i < e->n; i++) {
		struct edit *one = &e->v[i];

		one->first = one->next = find(text, buf_view(&one->old), 0);
		if (one->first == NOWHERE)
			return misplaced(e, i, text, name, true, f);
	}
	for (size_t i = 0; i < e->n; i++)
		if (!e->v[i].all && find(text, buf_view(&e->v[i].old),
		    e->v[i].first + 1) != NOWHERE)
			return misplaced(e, i, text, name, false, f);
	for (e->places = e->end = 0; (x = edits_next(e, text, &at)) != NULL;
	    last = x) {
		if (e->end > at)
			return fault_set(f, "bad_arguments", "edits %zu and "
			    "%zu overlap at line %ld; make them one",
			    (size_t)((last < x ? last : x) - e->v) + 1,
			    (size_t)((last < x ? x : last) - e->v) + 1,
			    text_line(text, at));
		buf_slice(out, slice_part(text, e->end, at));
		buf_slice(out, buf_view(&x->new));
		e->at = e->places++ == 0 ? at : e->at;
		e->end = at + x->old.len;
	}
	buf_slice(out, slice_from(text, e->end));
	return 0;
}
