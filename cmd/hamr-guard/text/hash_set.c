/* hash_set.c - a bounded set of 64-bit hashes that forgets by generation. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "hash_set.h"

#define SMALL 64		/* slots: most turns are short */

/* The slot of h, or the free one where it belongs. */
static uint64_t *
place(const struct generation *g, uint64_t h)
{
	size_t i = (size_t)(h >> 20) & (g->cap - 1);

	while (g->slot[i] != 0 && g->slot[i] != h)
		i = (i + 1) & (g->cap - 1);
	return &g->slot[i];
}

static bool
is_in(const struct generation *g, uint64_t h)
{
	return g->n > 0 && *place(g, h) == h;
}

bool
hash_set_has(const struct hash_set *s, uint64_t h)
{
	h += h == 0;
	return is_in(&s->young, h) || is_in(&s->old, h);
}

bool
hash_set_add(struct hash_set *s, uint64_t h)
{
	struct generation *g = &s->young;

	h += h == 0;
	/* at most half of the slots are ever taken */
	if (2 * (g->n + 1) > g->cap) {
		struct generation big = {
			.cap = num_min(g->cap != 0 ? 8 * g->cap : SMALL,
			HASH_SET_MAX), .n = g->n };

		big.slot = xcalloc(big.cap, sizeof *big.slot);
		/* pack them first, so that no branch has to be predicted */
		for (size_t i = g->n = 0; i < g->cap; i++) {
			g->slot[g->n] = g->slot[i];
			g->n += g->slot[i] != 0;
		}
		for (size_t i = 0; i < g->n; i++)
			*place(&big, g->slot[i]) = g->slot[i];
		free(g->slot);
		*g = big;
	}
	uint64_t *p = place(g, h);
	if (*p == h)
		return false;
	bool is_new = !is_in(&s->old, h);
	*p = h;
	if (++g->n >= HASH_SET_MAX / 2) {
		free(s->old.slot);
		s->old = *g;
		*g = (struct generation){ .n = 0 };
	}
	return is_new;
}

void
hash_set_clear(struct hash_set *s)
{
	struct generation *g = &s->young;

	if (g->cap > SMALL || s->old.slot != NULL)
		hash_set_release(s);
	else if (g->n > 0)
		memset(g->slot, 0, g->cap * sizeof *g->slot);
	g->n = 0;
}

void
hash_set_release(struct hash_set *s)
{
	free(s->young.slot);
	free(s->old.slot);
	*s = (struct hash_set){ .young.n = 0 };
}
