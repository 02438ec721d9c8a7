/* exhausted.h - stage 4: nothing fits, and why. */
#ifndef COMPACT_EXHAUSTED_H
#define COMPACT_EXHAUSTED_H

#include "compact.h"

/* Append the error record. */
void exhausted_error(const struct compact *c, struct buf *out);
/* Its sentence; yours to free. */
char *exhausted_text(const struct compact *c);

#endif
