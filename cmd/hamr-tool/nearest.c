/* nearest.c - the text of a file most like one that is not in it. */
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "edit.h"

#define COMPARE_MAX 400		/* bytes of a line that count */
#define WORK_MAX 1000000	/* lines compared at most */
#define OLD_LINES 40		/* lines of old that count */
#define ALIKE 40		/* of 100, to be worth showing */
#define SHOWN 160		/* bytes of a line shown */

/* A line without the white space around it: indentation is what models get
 * wrong most. */
static struct slice
trim(struct slice s)
{
	while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]) != NULL &&
	    s.p[s.n - 1] != '\0')
		s.n--;
	while (s.n > 0 && (*s.p == ' ' || *s.p == '\t'))
		s.p++, s.n--;
	return s;
}

/* What people's keyboards and word processors put in place of ASCII. */
static char
plain_of(const unsigned char *p, size_t n)
{
	if (n == 2 && p[0] == 0xc2 && p[1] == 0xa0)
		return ' ';
	if (n != 3 || p[0] != 0xe2 || p[1] != 0x80)
		return '\0';
	switch (p[2]) {
	case 0x98: case 0x99: return '\'';
	case 0x9c: case 0x9d: return '"';
	case 0x90: case 0x91: case 0x93: case 0x94: return '-';
	case 0xaf: return ' ';
	default: return '\0';
	}
}

/* The beginning of a line, look-alikes made one. */
static size_t
fold(struct slice s, char out[COMPARE_MAX])
{
	size_t n = 0, k;

	for (size_t i = 0; i < s.n && n < COMPARE_MAX; i += k) {
		const unsigned char *p = (const unsigned char *)s.p + i;
		char c = '\0';

		k = 1;
		if (*p >= 0x80) {
			k = utf8_len(p, s.n - i);
			c = plain_of(p, k);
			k = c != '\0' ? k : 1;
		}
		out[n++] = c != '\0' ? c : s.p[i];
	}
	return n;
}

/* How alike two lines are, of 100: what they share at their beginnings and
 * ends. */
static long
alike(struct slice a, struct slice b)
{
	char x[COMPARE_MAX], y[COMPARE_MAX];
	size_t nx, ny, head = 0, tail = 0, least, most;

	if (slice_eq(a, b))
		return 100;
	a = trim(a);
	b = trim(b);
	if (slice_eq(a, b))
		return a.n > 0 ? 95 : 10;
	nx = fold(a, x);
	ny = fold(b, y);
	least = nx < ny ? nx : ny;
	most = nx < ny ? ny : nx;
	while (head < least && x[head] == y[head])
		head++;
	while (tail < least - head && x[nx - 1 - tail] == y[ny - 1 - tail])
		tail++;
	return most > 0 ? (long)((head + tail) * 90 / most) : 0;
}

struct lines {
	struct slice text;
	size_t *at;
	long n;
};

/* Line i without its LF. */
static struct slice
get(const struct lines *l, long i)
{
	struct slice s = { l->text.p + l->at[i], l->at[i + 1] - l->at[i] };

	if (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	return s;
}

/* The line of the file where old fits best; -1 when nowhere well enough. */
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
	return top >= ALIKE * k ? where : -1;
}

/* Bytes of the common beginning, on a character border. */
static size_t
common(struct slice a, struct slice b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return utf8_cut(a.p, a.n, n);
}

static void
put_quoted(struct buf *out, struct slice s, size_t from)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	size_t n = s.n - from;

	if (n > SHOWN)
		n = utf8_cut(s.p + from, n, SHOWN);
	utf8_clean(&clean, s.p + from, n);
	scan_quote(out, clean.p != NULL ? clean.p : "", clean.len);
	if (from + n < s.n)
		buf_adds(out, "...");
	buf_release(&clean);
}

/* "U+0009 (tab)", or "the end of the line". */
static void
put_char(struct buf *out, struct slice s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.p + at;
	size_t n = at < s.n ? utf8_len(p, s.n - at) : 0;
	unsigned long c;

	if (at >= s.n) {
		buf_adds(out, "the end of the line");
		return;
	}
	if (n == 0) {
		buf_fmt(out, "the byte 0x%02X", *p);
		return;
	}
	c = n == 1 ? *p : *p & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	buf_fmt(out, "U+%04lX%s", c, c == '\t' ? " (tab)" :
	    c == ' ' ? " (space)" : c == '\r' ? " (carriage return)" :
	    c == 0xa0 ? " (no-break space)" : "");
}

/* The one difference: a line of old beside the one of the file. */
static void
put_difference(struct buf *out, struct slice old, struct slice file,
    long i, long no)
{
	size_t at = common(old, file);
	size_t from = at > SHOWN / 2 ? utf8_cut(old.p, old.n, at - 40) : 0;

	buf_fmt(out, "\nold line %ld:  ", i + 1);
	put_quoted(out, old, from);
	buf_fmt(out, "\nfile line %ld: ", no);
	put_quoted(out, file, from);
	buf_adds(out, "\ndifferent from here: ");
	put_char(out, old, at);
	buf_adds(out, " in old, ");
	put_char(out, file, at);
	buf_adds(out, " in the file");
}

/* Line i of old may begin in the middle of its line when it is the first, and
 * end there when it is the last. */
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

void
nearest_say(struct slice text, struct slice old_text, struct buf *out)
{
	struct lines file = { .text = text }, old = { .text = old_text };
	long where, i;

	file.at = lines_index(text, &file.n);
	old.at = lines_index(old_text, &old.n);
	where = best(&file, &old);
	if (where < 0) {
		buf_adds(out, "nothing in it is like it; read the file "
		    "again and copy the text exactly");
		goto out;
	}
	buf_fmt(out, "the nearest text is at line %ld:", where + 1);
	for (i = 0; i < old.n && where + i < file.n; i++)
		if (!fits(&old, i, get(&file, where + i)))
			break;
	if (i < old.n && where + i < file.n)
		put_difference(out, get(&old, i), get(&file, where + i), i,
		    where + i + 1);
	else if (i < old.n)
		buf_fmt(out, "\nthe file ends before line %ld of old",
		    i + 1);
	else
		buf_adds(out, "\nonly the end differs: the file has no "
		    "newline there");
out:
	free(file.at);
	free(old.at);
}
