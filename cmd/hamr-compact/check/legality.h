/* legality.h - --check: is the view legal, what was left out, what must not
 * be.
 */
#ifndef COMPACT_LEGALITY_H
#define COMPACT_LEGALITY_H

#include "epoch/compact.h"

/* Append one sentence, and what was elided with hashes.  True: legal. */
bool legality_print(struct compact *c, bool fits, struct buf *out);

#endif
