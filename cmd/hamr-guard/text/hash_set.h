/* hash_set.h - a bounded set of 64-bit hashes, forgotten by generation.
 *
 * Two generations of half the bound each: when the young one is full, the old
 * one is dropped and the young one takes its place.  A hash added again moves
 * to the young one.  Zero it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_SET_MAX 65536

struct generation {
	uint64_t *slot;		/* 0: free */
	size_t n, cap;		/* taken; a power of two, or 0 */
};

struct hash_set {
	struct generation young, old;
};

/* Add h; true if it was not in the set. */
bool hash_set_add(struct hash_set *s, uint64_t h);
bool hash_set_has(const struct hash_set *s, uint64_t h);
void hash_set_clear(struct hash_set *s);	/* keeps little memory */
void hash_set_release(struct hash_set *s);	/* none; usable again */
