/* mem.h - allocation that ends the process when there is none; arenas.
 *
 * Out of memory is one line on stderr and status 71, here and nowhere else.
 * What these return is never NULL and is freed with free().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

/* Say so and end: for what a foreign library could not get. */
void mem_none(void) __attribute__((noreturn));

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xmemdup0(const char *p, size_t n);	/* n bytes and a NUL */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on what is freed goes back to the system soon: for a process that
 * lives as long as a session. */
void mem_lean(void);

/* Room for one more element in a growing array: when *cap == n, *p (elements
 * of size bytes) is doubled.  Returns the possibly moved array. */
void *xgrow(void *p, size_t n, size_t *cap, size_t size);
/* The same of a row v: GROW(l->v, l->n, l->cap). */
#define GROW(v, n, cap) ((v) = xgrow((v), (n), &(cap), sizeof *(v)))

/* A row of texts, each of them its own.  Zero it; add; release. */
struct texts {
	char **v;
	size_t n, cap;
};

void texts_add(struct texts *t, char *text);	/* takes it */
void texts_release(struct texts *t);	/* empty; usable again */

/* ---- many small things that are given back all at once ---- */

struct arena_block;		/* private */

/* Zero it; use it; release it. */
struct arena {
	struct arena_block *blocks;
	char *p;
	size_t left, taken;
	bool spills;		/* set by its owner: past the first megabytes,
				 * texts lie in unnamed files, and take memory
				 * when they are looked at */
	struct arena_block *spilled;	/* the last of these; so much of it
					 * is left */
	size_t room;
};

void *arena_alloc(struct arena *a, size_t n);		/* zeroed */
char *arena_dup(struct arena *a, const char *p, size_t n);	/* and a NUL */
char *arena_concat(struct arena *a, struct slice x, struct slice y);
void arena_release(struct arena *a);
