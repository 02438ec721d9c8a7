/* prefix.h - what stands before the rows of a block: the marks of the quotes
 * and items it is in (block.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "block.h"

struct prefix {
	struct buf first, next;	/* before the first row, and others: an item's
				 * mark is drawn once */
	size_t columns;		/* of both */
};

/* Of text here, on rows of so many columns.  The outermost marks are left out
 * where they would take more than half of the row. */
void prefix_of(const struct place *at, size_t columns, bool colour,
    struct prefix *p);
void prefix_release(struct prefix *p);
