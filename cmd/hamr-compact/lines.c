/* lines.c - sets of lines: 1-200, 400-480. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "lines.h"

static void
insert(struct lines *r, size_t at, struct stretch new)
{
	r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
	memmove(r->v + at + 1, r->v + at, (r->n - at) * sizeof *r->v);
	r->v[at] = new;
	r->n++;
}

static void
take_out(struct lines *r, size_t at, size_t count)
{
	memmove(r->v + at, r->v + at + count,
	    (r->n - at - count) * sizeof *r->v);
	r->n -= count;
}

void
lines_add(struct lines *r, long first, long last)
{
	size_t i = 0, end;

	if (first > last)
		return;
	while (i < r->n && r->v[i].last < first - 1)
		i++;
	for (end = i; end < r->n && r->v[end].first <= last + 1; end++) {
		if (r->v[end].first < first)
			first = r->v[end].first;
		if (r->v[end].last > last)
			last = r->v[end].last;
	}
	if (end > i)
		take_out(r, i, end - i);
	insert(r, i, (struct stretch){ first, last });
}

void
lines_drop(struct lines *r, long first, long last)
{
	for (size_t i = 0; i < r->n; ) {
		struct stretch had = r->v[i];

		if (had.last < first || had.first > last) {
			i++;
			continue;
		}
		take_out(r, i, 1);
		if (had.first < first)
			insert(r, i++, (struct stretch){ had.first, first - 1 });
		if (had.last > last)
			insert(r, i++, (struct stretch){ last + 1, had.last });
	}
}

void
lines_add_all(struct lines *r, const struct lines *more)
{
	for (size_t i = 0; i < more->n; i++)
		lines_add(r, more->v[i].first, more->v[i].last);
}

void
lines_drop_all(struct lines *r, const struct lines *less)
{
	for (size_t i = 0; i < less->n; i++)
		lines_drop(r, less->v[i].first, less->v[i].last);
}

void
lines_release(struct lines *r)
{
	free(r->v);
	*r = (struct lines){ 0 };
}

void
lines_print(const struct lines *r, size_t most, struct buf *out)
{
	for (size_t i = 0; i < r->n && i < most; i++) {
		buf_fmt(out, "%s%ld", i > 0 ? ", " : "", r->v[i].first);
		if (r->v[i].last > r->v[i].first)
			buf_fmt(out, "-%ld", r->v[i].last);
	}
	if (r->n > most)
		buf_fmt(out, " and %zu more", r->n - most);
}
