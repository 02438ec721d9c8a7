/* when.h - times: ISO 8601 on the wire, milliseconds since 1970 inside. */
#ifndef MEM_WHEN_H
#define MEM_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

#define WHEN_NONE INT64_MIN
#define WHEN_SIZE 32

/* YYYY-MM-DD, or with THH:MM, THH:MM:SS or THH:MM:SS.fff and Z or +HH:MM
 * behind it (UTC when absent). */
bool when_parse(const char *s, int64_t *ms);
/* 2026-11-20T10:15:00Z, with .fff only when there are any. */
void when_print(int64_t ms, char out[WHEN_SIZE]);
/* As a member, null for WHEN_NONE. */
void when_json(struct json *o, const char *key, int64_t ms);
int64_t when_now(void);

#endif
