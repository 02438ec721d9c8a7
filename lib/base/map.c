/* map.c - a hash map from bytes to a number: open addressing, a hash seeded by
 * an address of the process so that chosen keys do not collide from run to
 * run. */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "map.h"
#include "mem.h"

#define SMALL 16		/* entries of a map at first */

struct map_entry {
	char *key;		/* NULL: free */
	size_t n;
	uint64_t hash;
	uint64_t val;
};

uint64_t
map_hash(struct slice k)
{
	static int seed;	/* its address differs from run to run */

	return XXH3_64bits_withSeed(k.p, k.n, (uint64_t)(uintptr_t)&seed);
}

/* The place of key, or the free place where it belongs; cap > n always. */
static struct map_entry *
place(const struct map *m, struct slice k, uint64_t h)
{
	size_t i = (size_t)h & (m->cap - 1);

	for (;; i = (i + 1) & (m->cap - 1)) {
		struct map_entry *e = &m->e[i];

		if (e->key == NULL || (e->hash == h && e->n == k.n &&
		    memcmp(e->key, k.p, k.n) == 0))
			return e;
	}
}

uint64_t *
map_get(const struct map *m, struct slice key)
{
	if (m->n == 0 || key.p == NULL)
		return NULL;
	struct map_entry *e = place(m, key, map_hash(key));
	return e->key != NULL ? &e->val : NULL;
}

uint64_t *
map_put(struct map *m, struct slice key, bool *fresh)
{
	uint64_t h = map_hash(key);
	struct map_entry *e;

	if (m->n + 1 > m->cap / 4 * 3) {
		struct map big = { NULL, m->n,
			m->cap != 0 ? m->cap * 2 : SMALL };

		big.e = xcalloc(big.cap, sizeof *big.e);
		for (size_t i = 0; i < m->cap; i++) {
			e = &m->e[i];
			if (e->key != NULL)
				*place(&big, (struct slice){ e->key, e->n },
				    e->hash) = *e;
		}
		free(m->e);
		*m = big;
	}
	e = place(m, key, h);
	if (fresh != NULL)
		*fresh = e->key == NULL;
	if (e->key == NULL) {
		*e = (struct map_entry){ xmemdup0(key.p, key.n), key.n, h, 0 };
		m->n++;
	}
	return &e->val;
}

struct slice
map_next(const struct map *m, size_t *at, uint64_t *value)
{
	while (*at < m->cap) {
		const struct map_entry *e = &m->e[(*at)++];

		if (e->key == NULL)
			continue;
		*value = e->val;
		return (struct slice){ e->key, e->n };
	}
	return (struct slice){ NULL, 0 };
}

void
map_release(struct map *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->e[i].key);
	free(m->e);
	*m = (struct map){ NULL, 0, 0 };
}
