/* cycle.h - the last outcomes in order, and the period they repeat with. */
#ifndef HAMR_GUARD_CYCLE_H
#define HAMR_GUARD_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cycle {
	uint64_t *ring;		/* (signature, outcome) pairs, hashed */
	size_t cap;		/* loop_guard.window_size */
	size_t n, next;
	size_t *fail;		/* scratch, one a pair */
	uint64_t *back;		/* the same, newest first */
};

void cycle_init(struct cycle *c, size_t cap);
void cycle_push(struct cycle *c, uint64_t pair);
void cycle_clear(struct cycle *c);
void cycle_release(struct cycle *c);

/* The longest suffix that is at least two laps of its smallest period: false
 * when there is none. */
bool cycle_find(struct cycle *c, size_t *period, size_t *laps);

#endif
