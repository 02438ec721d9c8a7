/* parallel.h - calls that only read, side by side.
 *
 * A run of consecutive calls of tools that change nothing: those that may take
 * long each get a process of their own, at most [tools] jobs at a time.  The
 * rest, and all that counts (budgets, proofs, results), stays in call order,
 * so what comes out is what one after the other would give.
 */
#ifndef HAMR_TOOL_PARALLEL_H
#define HAMR_TOOL_PARALLEL_H

#include "job.h"

/* How many calls from number i on are worth it; 0: none. */
size_t parallel_run(const struct tool *t, size_t i);

/* Do n calls from number i on.  False: stop, some have no answer. */
bool parallel_do(struct tool *t, size_t i, size_t n);

#endif
