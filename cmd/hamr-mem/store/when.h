/* when.h - times: ISO 8601 on the wire, milliseconds since 1970 inside. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/utc.h"

#define WHEN_NONE INT64_MIN

/* Parse YYYY-MM-DD, optionally followed by THH:MM, THH:MM:SS or
 * THH:MM:SS.fff and then Z or +HH:MM (UTC when absent).  False: invalid. */
bool when_parse(const char *s, int64_t *ms);
/* Read a JSON value; null or absent is WHEN_NONE.  False: it is not a time
 * before the year 9999, and *ms is WHEN_NONE. */
bool when_read(struct slice val, int64_t *ms);
/* Format a time as records write it, in out; p is NULL for WHEN_NONE. */
struct slice when_text(int64_t ms, char out[UTC_SIZE]);
