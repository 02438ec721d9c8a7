/* code.h - a text of a program without what does not run: comments and empty
 * lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct code {
	uint64_t exact;		/* hash of what is left, never 0 */
	uint64_t shape;		/* and with all its numbers alike */
};

/* The text ends in VOLATILE_MARGIN (volatile.h). */
struct code code_of(struct slice text, struct buf *scratch);
