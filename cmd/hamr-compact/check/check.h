/* check.h - prints counts, budgets and views for people, and checks whether
 * views are legal.
 */
#pragma once

#include "epoch/compact.h"

/* --check: append one sentence, and what was elided, with hashes.  True: the
 * view is legal. */
bool legality_print(struct compact *c, bool fits, struct buf *out);

/* --count: the estimate of everything in the files (none: stdin). */
int print_count(const char *const *files, size_t n, enum token_family f,
    struct err *e);

/* --budget: the configuration and every derived cap; with a transcript, how
 * much of these it uses. */
void print_budget(const struct compact *c, struct buf *out);
