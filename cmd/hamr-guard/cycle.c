/* cycle.c - the last outcomes in order, and the period they repeat with. */
#include <stdlib.h>

#include "mem.h"
#include "cycle.h"

void
cycle_init(struct cycle *c, size_t cap)
{
	*c = (struct cycle){ .cap = cap };
	c->ring = xcalloc(cap, sizeof *c->ring);
	c->back = xcalloc(cap, sizeof *c->back);
	c->fail = xcalloc(cap + 1, sizeof *c->fail);
}

void
cycle_push(struct cycle *c, uint64_t pair)
{
	c->ring[c->next] = pair;
	c->next = (c->next + 1) % c->cap;
	if (c->n < c->cap)
		c->n++;
}

void
cycle_clear(struct cycle *c)
{
	c->n = c->next = 0;
}

void
cycle_release(struct cycle *c)
{
	free(c->ring);
	free(c->back);
	free(c->fail);
	*c = (struct cycle){ .n = 0 };
}

bool
cycle_find(struct cycle *c, size_t *period, size_t *laps)
{
	size_t k = 0, best = 0;

	for (size_t i = 0; i < c->n; i++)
		c->back[i] = c->ring[(c->next + c->cap - 1 - i) % c->cap];
	c->fail[0] = c->fail[1] = 0;
	/* Knuth, Morris, Pratt: fail[len] is the longest border of the first
	 * len pairs, so len - fail[len] is their smallest period. */
	for (size_t len = 2; len <= c->n; len++) {
		while (k > 0 && c->back[k] != c->back[len - 1])
			k = c->fail[k];
		if (c->back[k] == c->back[len - 1])
			k++;
		c->fail[len] = k;
		if (2 * (len - k) <= len)
			best = len;
	}
	if (best == 0)
		return false;
	*period = best - c->fail[best];
	*laps = best / *period;
	return true;
}
