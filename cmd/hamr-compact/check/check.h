/* check.h - what hamr-compact prints for people: counts, budgets, views, and
 * whether these are legal.
 */
#pragma once

#include "epoch/compact.h"

/* --check: append one sentence, and what was elided with hashes.  True:
 * legal. */
bool legality_print(struct compact *c, bool fits, struct buf *out);

/* --count: the estimate of all that stands in the files (none: stdin). */
int print_count(const char *const *files, size_t n, enum token_family f,
    struct err *e);

/* --budget: the configuration and every derived cap; with a transcript, where
 * it stands. */
void print_budget(const struct compact *c, struct buf *out);

/* --view: the messages of the view, one a line. */
void print_view(struct compact *c, struct buf *out);
