/* map.h - a hash map from bytes to a number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct map_entry;		/* private */

struct map {
	struct map_entry *e;
	size_t n, cap;
};

/* The value stored under key, or NULL; valid until the next map_put. */
uint64_t *map_get(const struct map *m, struct slice key);

/* The place of key's value, which is 0 if the key is new (*fresh tells, and may
 * be NULL); valid until the next map_put.  The key's bytes are copied. */
uint64_t *map_put(struct map *m, struct slice key, bool *fresh);

/* The next key from place *at on, which starts at 0, and its value.  The key
 * ends with a NUL; its p is NULL at the end. */
struct slice map_next(const struct map *m, size_t *at, uint64_t *value);

/* The hash of a key; it differs from run to run. */
uint64_t map_hash(struct slice key);

void map_release(struct map *m);	/* none; usable again */
