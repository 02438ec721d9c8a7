/* seen.c - what is known of each signature: the streak of its outcome. */
#include <stdlib.h>

#include "mem.h"
#include "seen.h"

#define BUCKETS 2048

static unsigned
bucket_of(struct sig sig)
{
	return (sig.a ^ sig.b) % BUCKETS;
}

static void
list_out(struct seen_set *s, unsigned i)
{
	struct seen *e = &s->e[i];

	if (e->newer != 0)
		s->e[e->newer].older = e->older;
	else
		s->newest = e->older;
	if (e->older != 0)
		s->e[e->older].newer = e->newer;
	else
		s->oldest = e->newer;
}

static void
list_in(struct seen_set *s, unsigned i)
{
	s->e[i].newer = 0;
	s->e[i].older = s->newest;
	if (s->newest != 0)
		s->e[s->newest].newer = i;
	else
		s->oldest = i;
	s->newest = i;
}

static void
bucket_out(struct seen_set *s, unsigned i)
{
	unsigned *p = &s->bucket[bucket_of(s->e[i].sig)];

	while (*p != i)
		p = &s->e[*p].next;
	*p = s->e[i].next;
}

struct seen *
seen_get(struct seen_set *s, struct sig sig)
{
	unsigned i;

	if (s->n == 0)
		return NULL;
	for (i = s->bucket[bucket_of(sig)]; i != 0; i = s->e[i].next)
		if (sig_is(s->e[i].sig, sig))
			break;
	if (i == 0)
		return NULL;
	if (i != s->newest) {
		list_out(s, i);
		list_in(s, i);
	}
	return &s->e[i];
}

void
seen_forget_checks(struct seen *e)
{
	if (e->checks != NULL)
		ids_clear(e->checks);
	free(e->checks);
	e->checks = NULL;
	e->fault = 0;
}

static void
forget(struct seen *e)
{
	ids_clear(&e->ids);
	seen_forget_checks(e);
}

/* A place for a new entry: a free one, or that of the oldest. */
static unsigned
vacate(struct seen_set *s)
{
	unsigned i = s->oldest;

	if (s->e == NULL) {
		s->e = xcalloc(SEEN_MAX + 1, sizeof *s->e);
		s->bucket = xcalloc(BUCKETS, sizeof *s->bucket);
	}
	if (s->n < SEEN_MAX)
		return ++s->n;
	list_out(s, i);
	bucket_out(s, i);
	forget(&s->e[i]);
	return i;
}

struct seen *
seen_put(struct seen_set *s, struct sig sig)
{
	struct seen *e = seen_get(s, sig);
	unsigned i, *b;

	if (e != NULL)
		return e;
	i = vacate(s);
	e = &s->e[i];
	b = &s->bucket[bucket_of(sig)];
	*e = (struct seen){ .sig = sig, .next = *b };
	*b = i;
	list_in(s, i);
	return e;
}

void
seen_clear(struct seen_set *s)
{
	for (unsigned i = 1; i <= s->n; i++) {
		forget(&s->e[i]);
		s->bucket[bucket_of(s->e[i].sig)] = 0;
	}
	s->n = s->newest = s->oldest = 0;
}

void
seen_release(struct seen_set *s)
{
	seen_clear(s);
	free(s->e);
	free(s->bucket);
	*s = (struct seen_set){ .n = 0 };
}
