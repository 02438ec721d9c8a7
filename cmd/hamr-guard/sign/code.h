/* code.h - program text without what does not run: comments and empty lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct code {
	uint64_t exact;		/* hash of what is left, never 0 */
	uint64_t shape;		/* and with all its numbers alike */
};

/* The texts end in VOLATILE_MARGIN (volatile.h); scratch NULL: no shape. */
struct code code_of(struct slice text, struct buf *scratch);

/* What differs between two texts. */
enum code_change { CODE_SAME, CODE_NUMBERS, CODE_OTHER };
enum code_change code_compare(struct slice old, struct slice new,
    struct buf *scratch);
