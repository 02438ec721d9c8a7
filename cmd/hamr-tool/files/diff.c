/* diff.c - the lines that changed between two texts. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "root/path.h"
#include "base/utf8.h"
#include "term/term.h"

#include "diff.h"

#define CONTEXT 3
#define LCS_CELLS 4000000	/* beyond, the whole middle is one change */

void
lines_of(struct lines *l, struct slice text)
{
	size_t cap = 0, pos = 0;

	*l = (struct lines){ .text = text };
	for (;;) {
		GROW(l->at, (size_t)l->n, cap);
		l->at[l->n] = (uint32_t)pos;
		if (pos >= text.n)
			return;
		l->n++;
		const char *lf = memchr(text.p + pos, '\n', text.n - pos);
		pos = lf != NULL ? (size_t)(lf - text.p) + 1 : text.n;
	}
}

struct slice
lines_get(const struct lines *l, long i)
{
	return (struct slice){ l->text.p + l->at[i], l->at[i + 1] - l->at[i] };
}

static void
add(struct diff *d, long a, long an, long b, long bn)
{
	struct patch *last = d->n > 0 ? &d->v[d->n - 1] : NULL;

	if (an == 0 && bn == 0)
		return;
	d->removed += an;
	d->added += bn;
	if (last != NULL && last->a + last->an == a &&
	    last->b + last->bn == b) {
		last->an += an;
		last->bn += bn;
		return;
	}
	GROW(d->v, d->n, d->cap);
	d->v[d->n++] = (struct patch){ a, an, b, bn };
}

static bool
same(const struct diff *d, long i, long j)
{
	return slice_eq(lines_get(&d->old, i), lines_get(&d->new, j));
}

void
diff_make(struct diff *d, struct slice old, struct slice new)
{
	long at = 0, i, j;

	*d = (struct diff){ 0 };
	lines_of(&d->old, old);
	lines_of(&d->new, new);
	long an = d->old.n, bn = d->new.n;
	while (at < an && at < bn && same(d, at, at))
		at++;
	while (an > at && bn > at && same(d, an - 1, bn - 1))
		an--, bn--;
	an -= at;
	bn -= at;
	if (an == 0 || bn == 0 || an > LCS_CELLS / bn) {
		add(d, at, an, at, bn);
		return;
	}
	/* a longest common subsequence of the middle, by the full table */
	size_t wide = (size_t)bn + 1;
	uint32_t *t = xcalloc(((size_t)an + 1) * wide, sizeof *t);
	for (i = an - 1; i >= 0; i--) {
		uint32_t *row = t + (size_t)i * wide, *below = row + wide;

		for (j = bn - 1; j >= 0; j--) {
			if (same(d, at + i, at + j))
				row[j] = below[j + 1] + 1;
			else
				row[j] = below[j] >= row[j + 1] ?
				    below[j] : row[j + 1];
		}
	}
	for (i = 0, j = 0; i < an || j < bn; ) {
		uint32_t *row = t + (size_t)i * wide + j;

		if (i < an && j < bn && same(d, at + i, at + j))
			i++, j++;
		else if (i < an && (j == bn || row[wide] >= row[1])) {
			add(d, at + i, 1, at + j, 0);
			i++;
		} else {
			add(d, at + i, 0, at + j, 1);
			j++;
		}
	}
	free(t);
}

/* The number after mark in "@@ -12,3 +12,4 @@", as a line from 0. */
static long
hunk_at(struct slice s, char mark)
{
	const char *p = memchr(s.p, mark, s.n);
	char *end;

	if (p == NULL)
		return 0;
	long at = strtol(p + 1, &end, 10);
	/* no text has so many lines */
	if (at <= 0 || at > UINT32_MAX)
		return 0;
	/* ",0": no lines, and at is the line before. */
	return strncmp(end, ",0", 2) == 0 ? at : at - 1;
}

void
diff_parse(struct diff *d, struct slice text)
{
	struct slice line;
	long a = 0, b = 0;
	bool in = false;

	*d = (struct diff){ 0 };
	while (slice_line(&text, &line)) {
		char mark = line.n > 0 ? line.p[0] : '\0';

		if (slice_starts(line, "@@ ")) {
			a = hunk_at(line, '-');
			b = hunk_at(line, '+');
			in = true;
		} else if (in && mark == ' ')
			a++, b++;
		else if (in && mark == '-')
			add(d, a++, 1, b, 0);
		else if (in && mark == '+')
			add(d, a, 0, b++, 1);
	}
}

void
diff_release(struct diff *d)
{
	FREE(d->v, d->old.at, d->new.at);
	*d = (struct diff){ 0 };
}

/* ---- printing ---- */

/* Print n lines from line i on, until out is full. */
static void
put_lines(struct buf *out, char mark, const struct lines *l, long i, long n,
    size_t full)
{
	for (; n > 0 && out->len <= full; n--, i++) {
		struct slice line = lines_get(l, i);

		buf_addc(out, mark);
		utf8_clean(out, line.p, line.n);
		buf_adds(out, slice_ends(line, "\n") ? "" :
		    "\n\\ No newline at end of file\n");
	}
}

/* "12,3" as diff writes it; with no lines, the start is the line before. */
static void
put_range(struct buf *out, char mark, long at, long n)
{
	buf_fmt(out, "%c%ld", mark, n == 0 ? at : at + 1);
	if (n != 1)
		buf_fmt(out, ",%ld", n);
}

/* The name as git prints it: quoted as a whole or, if it has a space, ended by
 * a tab, for patch(1) to know where. */
static void
put_name(struct buf *out, const char *mark, const char *side, const char *name)
{
	char *path = xasprintf("%s%s", side, name);

	buf_adds(out, mark);
	path_show(out, path);
	if (strchr(path, ' ') != NULL && out->p[out->len - 1] != '"')
		buf_addc(out, '\t');
	buf_addc(out, '\n');
	free(path);
}

bool
diff_print(const struct diff *d, const char *name, bool made, size_t max,
    struct buf *out)
{
	static const char say[] = "[diff cut here]\n";
	size_t from = out->len, full = max < SIZE_MAX - from ? from + max :
	    SIZE_MAX, at = full - (sizeof say - 1);

	if (d->n == 0)
		return false;
	if (made)
		buf_adds(out, "--- /dev/null\n");
	else
		put_name(out, "--- ", "a/", name);
	put_name(out, "+++ ", "b/", name);
	for (size_t i = 0, end; i < d->n && out->len <= full; ) {
		/* the changes before end are near enough for one hunk */
		for (end = i + 1; end < d->n && d->v[end].a -
		    (d->v[end - 1].a + d->v[end - 1].an) <= 2 * CONTEXT; end++)
			;
		const struct patch *p = &d->v[i], *last = &d->v[end - 1];
		long before = p->a < CONTEXT ? p->a : CONTEXT;
		long left = d->old.n - last->a - last->an;
		long after = left < CONTEXT ? left : CONTEXT;
		long a = p->a - before, b = p->b - before;
		buf_adds(out, "@@ ");
		put_range(out, '-', a, last->a + last->an + after - a);
		buf_addc(out, ' ');
		put_range(out, '+', b, last->b + last->bn + after - b);
		buf_adds(out, " @@\n");
		for (; i < end; i++) {
			p = &d->v[i];
			put_lines(out, ' ', &d->old, a, p->a - a, full);
			put_lines(out, '-', &d->old, p->a, p->an, full);
			put_lines(out, '+', &d->new, p->b, p->bn, full);
			a = p->a + p->an;
		}
		put_lines(out, ' ', &d->old, a, after, full);
	}
	if (out->len <= full)
		return false;
	while (at > from && out->p[at - 1] != '\n')
		at--;
	out->len = at;
	buf_adds(out, say);
	return true;
}

void
diff_colour(struct slice text, bool colour, struct buf *out)
{
	static const struct { const char *start, *colour; } table[] = {
		{ "--- ", "\033[1m" }, { "+++ ", "\033[1m" },
		{ "@@", "\033[36m" }, { "+", "\033[32m" },
		{ "-", "\033[31m" }, { "", "" },
	};
	const char *end = text.p + text.n;
	struct slice line;
	bool diff = false;

	while (slice_line(&text, &line)) {
		size_t i = 0;

		diff |= slice_starts(line, "--- ");
		while (!slice_starts(line, table[i].start))
			i++;
		const char *c = diff && colour ? table[i].colour : "";
		buf_adds(out, c);
		term_escape(out, line);
		buf_adds(out, *c != '\0' ? "\033[0m" : "");
		if (line.p + line.n < end)
			buf_addc(out, '\n');
	}
}
