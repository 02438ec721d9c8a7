/* terms.h - words that are found within others. */
#ifndef MEM_TERMS_H
#define MEM_TERMS_H

#include "store.h"

/* Append an FTS5 expression of the terms of the stores' indexes that hold one
 * of these words (blanks between, small letters), the shortest ones first; not
 * more than 50, and those that a few milliseconds find. */
int terms_holding(struct store *st, size_t n, struct slice words,
    struct buf *expr, struct err *e);

#endif
