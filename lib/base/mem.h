/* mem.h - allocation that exits when memory runs out; arenas.
 *
 * Running out of memory prints one line on stderr and exits with status 71;
 * this is the only place that does so.  The functions never return NULL; the
 * caller frees the result with free().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

/* Report it and exit: for when a foreign library runs out of memory. */
void mem_exhausted(void) __attribute__((noreturn));

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xmemdup0(const char *p, size_t n);	/* n bytes and a NUL */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void xset(char **to, char *owned);		/* and free what was there */

/* free(3) for several: FREE(name, path).  Each may be NULL. */
#define FREE(...) mem_free((void *const[]){ __VA_ARGS__ }, \
	sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free(void *const *row, size_t n);

/* From now on return freed memory to the system soon: for a process that lives
 * as long as a session. */
void mem_return_freed(void);

/* Room for one more element in a growing array: when *cap == n, *p (elements
 * of size bytes) is doubled.  Returns the possibly moved array. */
void *xgrow(void *p, size_t n, size_t *cap, size_t size);
/* The same for an array v: GROW(l->v, l->n, l->cap). */
#define GROW(v, n, cap) ((v) = (n) < (cap) ? (v) : \
	xgrow((v), (n), &(cap), sizeof *(v)))

/* An array of strings that owns them.  Zero it; add; release. */
struct texts {
	char **v;
	size_t n, cap;
};

void texts_add(struct texts *t, char *text);	/* takes text over */
void texts_release(struct texts *t);	/* empty; usable again */

/* ---- many small things that are freed all at once ---- */

struct arena_block;		/* private */

/* Zero it; use it; release it. */
struct arena {
	struct arena_block *blocks;
	char *p;
	size_t left, taken;
	bool spills;		/* set by its owner: after the first megabytes,
				 * texts go to unnamed files, and take memory
				 * only while they are used */
	struct arena_block *spilled;	/* the last of these files, */
	size_t room;			/* and the bytes left in it */
};

void *arena_alloc(struct arena *a, size_t n);		/* zeroed */
char *arena_dup(struct arena *a, const char *p, size_t n);	/* and a NUL */
char *arena_concat(struct arena *a, struct slice x, struct slice y);
void arena_release(struct arena *a);
