/* epoch.h - what epoch.c and epoch_rec.c share. */
#ifndef COMPACT_EPOCH_H
#define COMPACT_EPOCH_H

#include "compact.h"

/* The stages, mildest first: how much of the tail is kept, how long the
 * summary may be, whether all but the last tool step is shown slim. */
struct row {
	const char *stage;
	long tail;		/* percent */
	size_t summary_cap;
	bool slim_tail;
};

const struct row *epoch_row(size_t k);	/* NULL behind the last */

size_t epoch_system(const struct compact *c);	/* 1: node 0 is one */
/* The first node of the last tool step: stage 3 shows what is before it
 * slim. */
size_t epoch_last_step(const struct compact *c, size_t tail);
void epoch_show(struct compact *c, size_t fold, size_t thin, size_t cap);

#endif
