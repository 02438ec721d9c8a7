/* arena.c - many small things that live and die together. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "mem.h"

#define BLOCK ((size_t)64 << 10)
#define LARGE (BLOCK / 4)	/* gets a block of its own */

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char bytes[];
};

static char *
new_block(struct arena *a, size_t n)
{
	struct arena_block *b = xmalloc(sizeof *b + n);

	b->next = a->blocks;
	a->blocks = b;
	return b->bytes;
}

/* n bytes, not zeroed, aligned for anything. */
static void *
take(struct arena *a, size_t n)
{
	size_t want = (n + alignof(max_align_t) - 1) /
	    alignof(max_align_t) * alignof(max_align_t);
	char *p;

	if (want >= LARGE)
		return new_block(a, want);
	if (want > a->left) {
		a->p = new_block(a, BLOCK);
		a->left = BLOCK;
	}
	p = a->p;
	a->p += want;
	a->left -= want;
	return p;
}

void *
arena_take(struct arena *a, size_t n)
{
	return memset(take(a, n), 0, n);
}

char *
arena_dup(struct arena *a, const char *p, size_t n)
{
	char *s = take(a, n + 1);

	if (n > 0)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

char *
arena_join(struct arena *a, struct slice x, struct slice y)
{
	char *s = take(a, x.n + y.n + 1);

	if (x.n > 0)
		memcpy(s, x.p, x.n);
	if (y.n > 0)
		memcpy(s + x.n, y.p, y.n);
	s[x.n + y.n] = '\0';
	return s;
}

void
arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct arena){ NULL, NULL, 0 };
}
