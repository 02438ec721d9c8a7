/* overflow.h - the words servers have for "your context is too large".
 *
 * is_overflow of errors.h stands in overflow.c: the texts and where the
 * numbers are in them change often, the rest of errors.c does not.
 */
#ifndef PROVIDER_OVERFLOW_H
#define PROVIDER_OVERFLOW_H

#include <stdbool.h>

#include "buf.h"

/* Does text (any case) say that the request has more tokens than the window?
 * Rate limits do not.  *limit: the window it names, 0 when it names none. */
bool is_overflow(struct slice text, long long *limit);

#endif
