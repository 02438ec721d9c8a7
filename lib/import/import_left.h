/* import_left.h - what an importer left out, counted by what it was.
 *
 * An importer says so with {"_left": WHAT} in place of a record, or with a
 * member _left in a part of a content that it could not take.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"

struct import_left {
	struct import_left_kind {
		char *what;
		size_t n;
	} *kind;
	size_t n, cap;
};

/* what is a JSON string; many kinds are counted as one. */
void import_left_add(struct import_left *l, struct slice what, size_t n);
void import_left_merge(struct import_left *l, const struct import_left *more);
/* Append "type x (2), part y (1)"; nothing when there is nothing. */
void import_left_put(const struct import_left *l, struct buf *out);
void import_left_reset(struct import_left *l);
