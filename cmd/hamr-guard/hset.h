/* hset.h - a bounded set of 64-bit hashes, forgotten by generation.
 *
 * Two generations of half the bound each: when the young one is full, the old
 * one is dropped and the young one takes its place.  What is asked for again
 * moves to the young one.  Zero it and set max.
 */
#ifndef HAMR_GUARD_HSET_H
#define HAMR_GUARD_HSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hgen {
	uint64_t *slot;		/* 0: free */
	uint32_t *put;		/* which n of them are not */
	size_t n, cap;		/* cap: a power of two, or 0 */
};

struct hset {
	size_t max;		/* of both generations */
	struct hgen young, old;
};

/* Take h in; true when it was not there. */
bool hset_add(struct hset *s, uint64_t h);
bool hset_has(const struct hset *s, uint64_t h);
void hset_clear(struct hset *s);	/* costs what was put in, not max */
void hset_release(struct hset *s);

#endif
