/* mark.h - may a place in a text change by itself?  A cheap look at what stands
 * around a run of digits, a slash or a colon, so that few lines need be read
 * by norm_line.
 *
 * The text is the inside of a JSON string as it is spelled, with escapes; base
 * is its first byte and a quote stands before it.  A yes may be wrong, a no
 * is right: norm_line leaves nothing out that begins here.
 */
#ifndef HAMR_GUARD_MARK_H
#define HAMR_GUARD_MARK_H

#include <stdbool.h>

#include "buf.h"

/* The first digit of a run is at p. */
bool mark_digits(const char *base, const char *p, const char *end);
/* A slash is at p. */
bool mark_slash(const char *p, const char *end);
/* A colon is at p, in a text that is JSON. */
bool mark_colon(const char *base, const char *p);
/* May such a name end at end?  Two bytes before it can be read. */
bool mark_may_be_volatile(const char *end);
/* Is a member of this name one that tells a time or names a request? */
bool mark_is_volatile(struct slice name);

#endif
