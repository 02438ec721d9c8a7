/* hash_set.c - a bounded set of 64-bit hashes, forgotten by generation. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "hash_set.h"

#define SMALL 256

/* The slot of h, or the free one where it belongs. */
static uint64_t *
place(const struct generation *g, uint64_t h)
{
	size_t i = (size_t)(h >> 20) & (g->cap - 1);

	while (g->slot[i] != 0 && g->slot[i] != h)
		i = (i + 1) & (g->cap - 1);
	return &g->slot[i];
}

static void
put(struct generation *g, uint64_t *at, uint64_t h)
{
	*at = h;
	g->put[g->n++] = (uint32_t)(at - g->slot);
}

/* At most half of the slots are ever taken. */
static void
grow(struct generation *g)
{
	struct generation big = { .cap = g->cap != 0 ? 2 * g->cap : SMALL };

	big.slot = xcalloc(big.cap, sizeof *big.slot);
	big.put = xcalloc(big.cap / 2, sizeof *big.put);
	for (size_t i = 0; i < g->n; i++) {
		uint64_t h = g->slot[g->put[i]];

		put(&big, place(&big, h), h);
	}
	free(g->slot);
	free(g->put);
	*g = big;
}

/* A few among many are looked up, not swept. */
static void
empty(struct generation *g)
{
	if (g->n > g->cap / 8)
		memset(g->slot, 0, g->cap * sizeof *g->slot);
	else
		for (size_t i = 0; i < g->n; i++)
			g->slot[g->put[i]] = 0;
	g->n = 0;
}

bool
hash_set_add(struct hash_set *s, uint64_t h)
{
	struct generation *g = &s->young, gone = s->old;
	uint64_t *p;
	bool is_new;

	h += h == 0;
	if (2 * (g->n + 1) > g->cap)
		grow(g);
	p = place(g, h);
	if (*p == h)
		return false;
	is_new = s->old.n == 0 || *place(&s->old, h) != h;
	put(g, p, h);
	if (g->n >= s->max / 2) {
		s->old = s->young;
		s->young = gone;
		empty(&s->young);
	}
	return is_new;
}

void
hash_set_clear(struct hash_set *s)
{
	empty(&s->young);
	empty(&s->old);
}

void
hash_set_release(struct hash_set *s)
{
	free(s->young.slot);
	free(s->young.put);
	free(s->old.slot);
	free(s->old.put);
	*s = (struct hash_set){ .max = s->max };
}
