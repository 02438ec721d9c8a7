/* utc.h - points in time, in milliseconds since 1970, as records write them:
 * ISO 8601 in UTC.
 */
#pragma once

#include <stdint.h>

#define UTC_SIZE 32

int64_t utc_now(void);

/* 2026-11-20T10:15:00Z, with .fff before the Z where it is not zero. */
void utc_print(int64_t ms, char out[UTC_SIZE]);

/* Now, to the second. */
void utc_print_now(char out[UTC_SIZE]);
