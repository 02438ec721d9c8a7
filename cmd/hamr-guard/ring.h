/* ring.h - the last calls in order, for profiles that look for patterns. */
#ifndef HAMR_GUARD_RING_H
#define HAMR_GUARD_RING_H

#include <stddef.h>
#include <stdint.h>

/* Zero it, clear it. */
struct ring {
	uint64_t *call;		/* hashes, newest last */
	char **id;		/* JSON texts */
	size_t *line;		/* where those calls stand */
	size_t n, cap;
};

/* One more call, of which at most the last max are kept. */
void ring_push(struct ring *r, uint64_t call, const char *id, size_t line,
    size_t max);
void ring_clear(struct ring *r);

#endif
