/* norm.h - a line without what changes by itself (chapter 3.1): clock times,
 * dates, durations, process numbers, addresses, temporary paths, and members
 * of JSON objects that tell times or name requests.
 *
 * All other digits are data and stay.
 */
#ifndef HAMR_GUARD_NORM_H
#define HAMR_GUARD_NORM_H

#include <stdbool.h>

#include "buf.h"

/* Does anything in the line change by itself?  Then out, emptied first, is
 * the line without it; else out is left alone. */
bool norm_line(struct slice line, struct buf *out);

#endif
