/* cache.c - reads of files in this turn, so that none is made twice. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem.h"

#include "cache.h"

#define TICK_NS 100000000LL	/* more than a tick of any file system's clock
				 * but FAT's */

static bool
fits(const struct cached *e, const char *rel, int64_t first, int64_t last)
{
	if (e->first != first || strcmp(e->rel, rel) != 0)
		return false;
	return e->last == last || (e->lines > 0 && e->last >= e->lines &&
	    last >= e->lines);
}

struct cached *
cache_find(const struct cache *c, const char *rel, int64_t first,
    int64_t last)
{
	for (size_t i = c->n; i-- > 0; )
		if (fits(&c->v[i], rel, first, last))
			return &c->v[i];
	return NULL;
}

static void
release(struct cached *e)
{
	free(e->rel);
	free(e->id);
	free(e->text);
}

static void
delete(struct cache *c, size_t i)
{
	release(&c->v[i]);
	c->n--;
	memmove(c->v + i, c->v + i + 1, (c->n - i) * sizeof *c->v);
}

struct cached *
cache_add(struct cache *c, const char *rel, const char *id, int64_t first,
    int64_t last)
{
	struct cached *old = cache_find(c, rel, first, last);

	if (old != NULL)
		delete(c, (size_t)(old - c->v));
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n] = (struct cached){ .rel = xstrdup(rel), .id = xstrdup(id),
		.first = first, .last = last, .bytes = -1 };
	return &c->v[c->n++];
}

void
cache_drop(struct cache *c, const char *rel)
{
	for (size_t i = c->n; i-- > 0; )
		if (strcmp(c->v[i].rel, rel) == 0)
			delete(c, i);
}

void
cache_elide(struct cache *c, const char *rel, long first, long last)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cached *e = &c->v[i];

		if (strcmp(e->rel, rel) == 0 && e->from <= last &&
		    e->to >= first)
			e->elided = true;
	}
}

void
cache_shown(struct cache *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].id, id) == 0)
			c->v[i].elided = false;
}

void
cache_reset(struct cache *c)
{
	for (size_t i = 0; i < c->n; i++)
		release(&c->v[i]);
	free(c->v);
	*c = (struct cache){ 0 };
}

static long long
ns(struct timespec t)
{
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void
cached_identity(struct cached *e, const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	e->st = *st;
	if (ns(now) - ns(st->st_ctim) < TICK_NS)
		e->st.st_ino = 0;
}

bool
cached_same(const struct cached *e, const struct stat *st)
{
	return e->st.st_ino != 0 && e->st.st_ino == st->st_ino &&
	    e->st.st_dev == st->st_dev && e->st.st_size == st->st_size &&
	    ns(e->st.st_mtim) == ns(st->st_mtim) &&
	    ns(e->st.st_ctim) == ns(st->st_ctim);
}
