/* legality.h - --check: is the view legal, what was left out, what must not
 * be.
 */
#pragma once

#include "epoch/compact.h"

/* Append one sentence, and what was elided with hashes.  True: legal. */
bool legality_print(struct compact *c, bool fits, struct buf *out);
