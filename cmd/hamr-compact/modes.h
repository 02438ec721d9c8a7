/* modes.h - what hamr-compact prints for people: counts, budgets, proofs. */
#ifndef COMPACT_MODES_H
#define COMPACT_MODES_H

#include "compact.h"
#include "err.h"

/* --count: the estimate of all that stands in the files (none: stdin). */
int mode_count(const char *const *files, size_t n, enum token_family f,
    struct err *e);

/* --budget: the configuration and every derived cap; with a transcript, where
 * it stands.  (show_budget.c) */
void mode_budget(const struct compact *c, struct buf *out);

/* --view: the messages of the view, one a line. */
void mode_view(struct compact *c, struct buf *out);

/* --check: one sentence, and what was elided with hashes.  True: legal. */
bool mode_check(struct compact *c, bool fits, struct buf *out);

/* What breaks the rules of chapter 8.3 in a list of messages (checked JSON),
 * NULL when nothing does; *at is the index of the message. */
const char *check_messages(struct slice messages, size_t *at);

#endif
