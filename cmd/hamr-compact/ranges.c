/* ranges.c - lines of files, to see whether one call shows what another did. */
#include <limits.h>
#include <stdlib.h>

#include "mem.h"

#include "epoch.h"

static struct slice
key_of(const struct fact *f)
{
	return (struct slice){ (const char *)&f->file, sizeof f->file };
}

static struct range
range_of(const struct fact *f)
{
	struct range r = { f->first > 0 ? f->first : 1, f->last, 0 };

	if (f->last <= 0 || (r.first == 1 && f->last == f->lines))
		r.last = LONG_MAX;
	return r;
}

void
ranges_add(struct ranges *s, const struct fact *f)
{
	uint64_t *at = map_put(&s->by_file, key_of(f), NULL);

	s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n] = range_of(f);
	s->v[s->n++].next = *at;
	*at = s->n;
}

bool
ranges_cover(const struct ranges *s, const struct fact *f)
{
	const uint64_t *at = map_get(&s->by_file, key_of(f));
	struct range want = range_of(f);
	size_t looks = 64;	/* that many are worth looking at */

	for (size_t i = at != NULL ? *at : 0; i > 0 && looks-- > 0;
	    i = s->v[i - 1].next)
		if (s->v[i - 1].first <= want.first &&
		    s->v[i - 1].last >= want.last)
			return true;
	return false;
}

void
ranges_release(struct ranges *s)
{
	map_release(&s->by_file);
	free(s->v);
	*s = (struct ranges){ .n = 0 };
}
