/* turns.h - messages as strict templates want them.
 *
 * Some servers accept any legal messages, others refuse some orders of roles
 * (quirks.h learns which).  Messages that do not fit are adapted; the others
 * stay as they are.
 */
#pragma once

#include "base/buf.h"

/* Append messages (a checked JSON array of legal messages), adapted to these
 * quirks. */
void turns_fit(unsigned quirks, struct slice messages, struct buf *out);
