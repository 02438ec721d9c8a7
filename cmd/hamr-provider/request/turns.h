/* turns.h - messages as strict templates want them.
 *
 * Some servers take any legal messages, others refuse them by the order of
 * their roles (quirks.h learns it).  What comes is made to fit; what fits stays
 * as it is.
 */
#pragma once

#include "base/buf.h"

/* Append messages (a checked JSON array of legal messages) as these quirks
 * want them. */
void turns_fit(unsigned quirks, struct slice messages, struct buf *out);
