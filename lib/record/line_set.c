/* line_set.c - lines of a file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "line_set.h"

#define LAST_MAX (LONG_MAX / 4)	/* so that no sum overflows */

void
line_set_add(struct line_set *s, long first, long last)
{
	size_t i = s->n, end;

	first = first < 1 ? 1 : first;
	last = last > LAST_MAX ? LAST_MAX : last;
	if (first > last)
		return;
	while (i > 0 && s->v[i - 1].last >= first - 1)
		i--;
	for (end = i; end < s->n && s->v[end].first <= last + 1; end++) {
		if (s->v[end].first < first)
			first = s->v[end].first;
		if (s->v[end].last > last)
			last = s->v[end].last;
	}
	GROW(s->v, s->n, s->cap);
	memmove(s->v + i + 1, s->v + end, (s->n - end) * sizeof *s->v);
	s->v[i] = (struct stretch){ first, last };
	s->n = s->n + 1 - (end - i);
}

void
line_set_drop(struct line_set *s, long first, long last, long more)
{
	struct line_set left = { 0 };

	first = first < 1 ? 1 : first;
	last = last > LAST_MAX ? LAST_MAX : last;
	for (size_t i = 0; i < s->n; i++) {
		struct stretch had = s->v[i];

		line_set_add(&left, had.first,
		    had.last < first ? had.last : first - 1);
		line_set_add(&left, (had.first > last ? had.first :
		    last + 1) + more, had.last + more);
	}
	line_set_release(s);
	*s = left;
}

/* Is the wanted stretch before, within or after this one? */
static int
place_of(const void *wanted, const void *one)
{
	const struct stretch *w = wanted, *s = one;

	return w->first < s->first ? -1 : w->last > s->last;
}

bool
line_set_has(const struct line_set *s, long first, long last)
{
	struct stretch wanted = { first, last };

	return s->n > 0 && bsearch(&wanted, s->v, s->n, sizeof *s->v,
	    place_of) != NULL;
}

void
line_set_release(struct line_set *s)
{
	free(s->v);
	*s = (struct line_set){ 0 };
}
