/* streaks.c - for each signature, the streak of its outcome; cycles. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "streaks.h"

#define BUCKETS 2048

static unsigned
bucket_of(struct sig sig)
{
	return (sig.a ^ sig.b) % BUCKETS;
}

struct streak *
streaks_get(struct streaks *s, struct sig sig)
{
	for (unsigned i = s->n > 0 ? s->bucket[bucket_of(sig)] : 0; i != 0;
	    i = s->e[i].next)
		if (sig_is(s->e[i].sig, sig)) {
			s->e[i].used = ++s->uses;
			return &s->e[i];
		}
	return NULL;
}

static void
forget(struct streak *e)
{
	call_row_clear(&e->calls);
	call_row_clear(&e->checks);
	free(e->text);
}

struct streak *
streaks_put(struct streaks *s, struct sig sig)
{
	struct streak *e = streaks_get(s, sig);
	unsigned i = 1, *b;

	if (e != NULL)
		return e;
	if (s->e == NULL) {
		/* not cleared: each is set on first use, and most turns use
		 * few */
		s->e = xmalloc((STREAKS_MAX + 1) * sizeof *s->e);
		s->bucket = xcalloc(BUCKETS, sizeof *s->bucket);
	}
	if (s->n < STREAKS_MAX) {
		i = ++s->n;
	} else {		/* evict the least recently used */
		for (unsigned k = 2; k <= s->n; k++)
			if (s->e[k].used < s->e[i].used)
				i = k;
		b = &s->bucket[bucket_of(s->e[i].sig)];
		while (*b != i)
			b = &s->e[*b].next;
		*b = s->e[i].next;
		forget(&s->e[i]);
	}
	e = &s->e[i];
	b = &s->bucket[bucket_of(sig)];
	*e = (struct streak){ .sig = sig, .next = *b, .used = ++s->uses };
	*b = i;
	return e;
}

void
streaks_clear(struct streaks *s)
{
	for (unsigned i = 1; i <= s->n; i++) {
		forget(&s->e[i]);
		s->bucket[bucket_of(s->e[i].sig)] = 0;
	}
	s->n = 0;
}

void
streaks_release(struct streaks *s)
{
	streaks_clear(s);
	free(s->e);
	free(s->bucket);
	*s = (struct streaks){ .n = 0 };
}

/* ---- cycles ---- */

void
cycle_push(struct cycle *c, uint64_t pair)
{
	c->n += c->n < c->cap;
	memmove(c->back + 1, c->back, (c->n - 1) * sizeof *c->back);
	c->back[0] = pair;
}

bool
cycle_find(const struct cycle *c, size_t *period, size_t *laps)
{
	size_t fail[CYCLE_MAX + 1] = { 0 }, k = 0, best = 0;

	/* Knuth, Morris, Pratt: fail[len] is the longest border of the first
	 * len pairs, so len - fail[len] is their smallest period. */
	for (size_t len = 2; len <= c->n; len++) {
		while (k > 0 && c->back[k] != c->back[len - 1])
			k = fail[k];
		if (c->back[k] == c->back[len - 1])
			k++;
		fail[len] = k;
		if (2 * (len - k) <= len)
			best = len;
	}
	if (best == 0)
		return false;
	*period = best - fail[best];
	*laps = best / *period;
	return true;
}
