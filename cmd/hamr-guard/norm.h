/* norm.h - a line without what changes by itself (chapter 3.1): clock times,
 * dates, durations, process numbers, addresses, temporary paths, and members
 * of JSON objects that tell times or name requests.
 *
 * All other digits are data and stay.  Of a plain text only lines that hold a
 * digit or a slash need be given.
 */
#ifndef HAMR_GUARD_NORM_H
#define HAMR_GUARD_NORM_H

#include <stdbool.h>

#include "buf.h"

/* In JSON members of objects are looked at, too. */
enum norm_text { NORM_PLAIN, NORM_JSON };
enum norm_text norm_kind(struct slice text);


/* Does anything in the line change by itself?  Then out, emptied first, is
 * the line without it; else out is left alone. */
bool norm_line(struct slice line, enum norm_text text, struct buf *out);

/* The same of every run of digits, hexadecimal id and UUID, whatever it
 * means: for comparisons that only warn. */
bool norm_mask(struct slice line, struct buf *out);

#endif
