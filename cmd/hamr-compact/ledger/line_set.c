/* line_set.c - sets of lines: 1-200, 400-480. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "line_set.h"

void
line_set_add(struct line_set *r, long first, long last)
{
	size_t i = r->n, end;

	if (first > last)
		return;
	while (i > 0 && r->v[i - 1].last >= first - 1)
		i--;
	for (end = i; end < r->n && r->v[end].first <= last + 1; end++) {
		if (r->v[end].first < first)
			first = r->v[end].first;
		if (r->v[end].last > last)
			last = r->v[end].last;
	}
	GROW(r->v, r->n, r->cap);
	memmove(r->v + i + 1, r->v + end, (r->n - end) * sizeof *r->v);
	r->v[i] = (struct stretch){ first, last };
	r->n = r->n + 1 - (end - i);
}

void
line_set_drop(struct line_set *r, long first, long last)
{
	struct line_set left = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		struct stretch had = r->v[i];

		line_set_add(&left, had.first,
		    had.last < first ? had.last : first - 1);
		line_set_add(&left, had.first > last ? had.first : last + 1,
		    had.last);
	}
	line_set_release(r);
	*r = left;
}

void
line_set_release(struct line_set *r)
{
	free(r->v);
	*r = (struct line_set){ 0 };
}

void
line_set_print(const struct line_set *r, size_t most, struct buf *out)
{
	for (size_t i = 0; i < r->n && i < most; i++) {
		buf_fmt(out, "%s%ld", i > 0 ? ", " : "", r->v[i].first);
		if (r->v[i].last > r->v[i].first)
			buf_fmt(out, "-%ld", r->v[i].last);
	}
	if (r->n > most)
		buf_fmt(out, " and %zu more", r->n - most);
}
