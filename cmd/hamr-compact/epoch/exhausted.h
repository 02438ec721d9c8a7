/* exhausted.h - stage 4: nothing fits, and why. */
#pragma once

#include "compact.h"

/* Append the error record. */
void exhausted_error(const struct compact *c, struct buf *out);
/* Its sentence; yours to free. */
char *exhausted_text(const struct compact *c);
