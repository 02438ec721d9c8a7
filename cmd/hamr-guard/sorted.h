/* sorted.h - arguments with sorted keys, as other systems compare them.
 *
 * Unlike canon.h nothing else is forgiven: null stays, 1.0 is not 1, no path
 * is folded and no key left out.
 */
#ifndef HAMR_GUARD_SORTED_H
#define HAMR_GUARD_SORTED_H

#include "buf.h"

/* Append val (checked) without white space and with keys in byte order. */
void sorted_json(struct slice val, struct buf *out);

#endif
