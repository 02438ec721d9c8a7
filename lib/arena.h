/* arena.h - many small things that live and die together.
 *
 * What is taken from an arena is given back all at once.
 */
#ifndef HAMR_ARENA_H
#define HAMR_ARENA_H

#include <stddef.h>

#include "buf.h"

struct arena_block;		/* private */

/* Zero it; use it; release it. */
struct arena {
	struct arena_block *blocks;
	char *p;
	size_t left;
};

void *arena_take(struct arena *a, size_t n);		/* zeroed */
char *arena_dup(struct arena *a, const char *p, size_t n);	/* and a NUL */
char *arena_join(struct arena *a, struct slice x, struct slice y);	/* too */
void arena_release(struct arena *a);

#endif
