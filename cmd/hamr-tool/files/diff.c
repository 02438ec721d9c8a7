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

/* Add to d the changes between two texts that start at line `at': a longest
 * common subsequence by the full table, which the caller found small enough. */
static void
middle(struct diff *d, long at, struct slice old, struct slice new)
{
	struct lines o, w;
	long i, j;

	lines_of(&o, old);
	lines_of(&w, new);
	size_t wide = (size_t)w.n + 1;
	uint32_t *t = xcalloc(((size_t)o.n + 1) * wide, sizeof *t);
	for (i = o.n - 1; i >= 0; i--) {
		uint32_t *row = t + (size_t)i * wide, *below = row + wide;

		for (j = w.n - 1; j >= 0; j--) {
			if (slice_eq(lines_get(&o, i), lines_get(&w, j)))
				row[j] = below[j + 1] + 1;
			else
				row[j] = below[j] >= row[j + 1] ?
				    below[j] : row[j + 1];
		}
	}
	for (i = 0, j = 0; i < o.n || j < w.n; ) {
		uint32_t *row = t + (size_t)i * wide + j;

		if (i < o.n && j < w.n &&
		    slice_eq(lines_get(&o, i), lines_get(&w, j)))
			i++, j++;
		else if (i < o.n && (j == w.n || row[wide] >= row[1])) {
			add(d, at + i, 1, at + j, 0);
			i++;
		} else {
			add(d, at + i, 0, at + j, 1);
			j++;
		}
	}
	FREE(t, o.at, w.at);
}

/* Bytes of the lines that both texts start with. */
static size_t
head_of(struct slice a, struct slice b)
{
	size_t n = 0, most = a.n < b.n ? a.n : b.n;

	while (n < most && a.p[n] == b.p[n])
		n++;
	const char *lf = n > 0 ? memrchr(a.p, '\n', n) : NULL;
	return n == a.n && n == b.n ? n : lf != NULL ?
	    (size_t)(lf + 1 - a.p) : 0;
}

/* And of those that both end with. */
static size_t
tail_of(struct slice a, struct slice b)
{
	const char *x = a.p + a.n, *y = b.p + b.n;
	size_t n = 0, most = a.n < b.n ? a.n : b.n;

	while (n < most && x[-1 - (long)n] == y[-1 - (long)n])
		n++;
	if ((n == a.n || x[-1 - (long)n] == '\n') &&
	    (n == b.n || y[-1 - (long)n] == '\n'))
		return n;
	const char *lf = n > 0 ? memchr(x - n, '\n', n) : NULL;
	return lf != NULL ? (size_t)(x - lf - 1) : 0;
}

void
diff_make(struct diff *d, struct slice old, struct slice new)
{
	size_t head = head_of(old, new);
	long at = (long)slice_lines((struct slice){ old.p, head });

	*d = (struct diff){ 0 };
	old = slice_from(old, head);
	new = slice_from(new, head);
	size_t tail = tail_of(old, new);
	old.n -= tail;
	new.n -= tail;
	long an = (long)slice_lines(old), bn = (long)slice_lines(new);
	if (an > 0 && bn > 0 && an <= LCS_CELLS / bn)
		middle(d, at, old, new);
	else
		add(d, at, an, at, bn);
}

void
diff_release(struct diff *d)
{
	free(d->v);
	*d = (struct diff){ 0 };
}

/* ---- printing ---- */

/* What follows line no - 1 of a text. */
struct rest {
	struct slice text;
	long no;
};

/* Print n lines from line i on, which is not before those printed so far, until
 * out is full. */
static void
put_lines(struct buf *out, char mark, struct rest *r, long i, long n,
    size_t full)
{
	for (; r->no < i + n && out->len <= full; r->no++) {
		const char *lf = memchr(r->text.p, '\n', r->text.n);
		size_t len = lf != NULL ? (size_t)(lf + 1 - r->text.p) :
		    r->text.n;

		if (r->no >= i) {
			buf_addc(out, mark);
			utf8_clean(out, r->text.p, len);
			buf_adds(out, lf != NULL ? "" :
			    "\n\\ No newline at end of file\n");
		}
		r->text = slice_from(r->text, len);
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

void
diff_print(const struct diff *d, struct slice old, struct slice new,
    const char *name, bool made, size_t max, struct buf *out)
{
	static const char say[] = "[diff cut here]\n";
	size_t from = out->len, full = max < SIZE_MAX - from ? from + max :
	    SIZE_MAX, at = full - (sizeof say - 1);
	struct rest o = { old, 0 }, w = { new, 0 };
	long lines = (long)slice_lines(old);

	if (d->n == 0)
		return;
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
		long left = lines - last->a - last->an;
		long after = left < CONTEXT ? left : CONTEXT;
		long a = p->a - before, b = p->b - before;
		buf_adds(out, "@@ ");
		put_range(out, '-', a, last->a + last->an + after - a);
		buf_addc(out, ' ');
		put_range(out, '+', b, last->b + last->bn + after - b);
		buf_adds(out, " @@\n");
		for (; i < end; i++) {
			p = &d->v[i];
			put_lines(out, ' ', &o, a, p->a - a, full);
			put_lines(out, '-', &o, p->a, p->an, full);
			put_lines(out, '+', &w, p->b, p->bn, full);
			a = p->a + p->an;
		}
		put_lines(out, ' ', &o, a, after, full);
	}
	if (out->len <= full)
		return;
	while (at > from && out->p[at - 1] != '\n')
		at--;
	out->len = at;
	buf_adds(out, say);
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
