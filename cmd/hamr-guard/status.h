/* status.h - answers that are none: a status and nothing else (3.4). */
#ifndef HAMR_GUARD_STATUS_H
#define HAMR_GUARD_STATUS_H

#include <stdbool.h>

#include "buf.h"

/* The whole trimmed text is one status line, or two. */
bool status_only(struct slice text);

#endif
