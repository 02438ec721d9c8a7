/* volatile.h - a line without what changes by itself (chapter 3.1): clock
 * times, dates, durations, process numbers, addresses, temporary paths, and
 * members of JSON objects that tell times or name requests.
 *
 * All other digits are data and stay.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* How many bytes after a line must be readable, as lines are read in blocks;
 * their contents do not matter. */
#define VOLATILE_MARGIN 64

/* Does anything in the line change by itself?  If so, out is set to the line
 * without it; else out is not changed.  json: the line is JSON, and members of
 * objects are examined, too. */
bool volatile_drop(struct slice line, bool json, struct buf *out);

/* The same of every hexadecimal id, UUID and run of digits, whatever it
 * means: for comparisons that only warn.  Or only of the long ids and the
 * handles of elements of a page, or of lines and columns: a.c:12:5,
 * a.ts(12,5), line 12, In [3], attempt 4.  Or only of fractions, as the scores
 * of hits: 0.8123. */
enum mask { MASK_NUMBERS, MASK_IDS, MASK_PLACES, MASK_SCORES };
bool volatile_mask(struct slice line, enum mask what, struct buf *out);

/* How far along something is, according to the text: for 12 of 40, 12/40, 12 %
 * and "percent": 12 it is 12001, one more than the number in thousandths; for
 * "remaining": "88%" too.  0: it does not say. */
uint64_t volatile_progress(struct slice text);

/* The sum of the numbers in a text, except those in a word with letters or
 * after the word id. */
uint64_t volatile_sum(struct slice text);
