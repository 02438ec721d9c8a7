/* strip.h - a transcript at a glance: its steps from left to right.
 *
 * A dash is a step, w one with a warning, b with a block, H with a halt; a dot
 * is one that would not have come about.
 */
#ifndef HAMR_GUARD_STRIP_H
#define HAMR_GUARD_STRIP_H

#include "firing.h"
#include "table.h"

/* Zero it, clear it. */
struct strip {
	char *step;		/* a letter each */
	size_t n, cap;
};

void strip_step(struct strip *s, bool saved);	/* the next step */
/* Something was said in step number n, from 1. */
void strip_mark(struct strip *s, size_t n, enum action a);
void strip_print(const struct strip *s, const struct sheet *o);
void strip_clear(struct strip *s);

#endif
