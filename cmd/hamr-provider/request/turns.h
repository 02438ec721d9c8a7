/* turns.h - messages as strict templates want them.
 *
 * Some servers take any legal messages, others refuse them by the order of
 * their roles, the form of their ids, or the names of past calls that a model
 * made up (quirks.h learns it).  What comes is made to fit; what fits stays as
 * it is.
 */
#pragma once

#include "base/buf.h"

/* Append messages (a checked JSON array of legal messages) as these quirks
 * want them. */
void turns_fit(unsigned quirks, struct slice messages, struct buf *out);

/* Append a name or an id as APIs take them: a JSON string of letters, digits, _
 * (in place of anything else) and -, at most max. */
void put_word(struct slice word, size_t max, struct buf *out);
