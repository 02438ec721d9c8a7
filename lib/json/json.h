/* json.h - the records we author, built with cJSON (this file's only use).
 *
 * A struct json owns its members.
 */
#pragma once

#include "base/buf.h"

struct json;

struct json *json_object(void);
void json_int(struct json *o, const char *key, long long v);
void json_double(struct json *o, const char *key, double v);

/* Append the compact text to out. */
void json_print(const struct json *o, struct buf *out);
void json_free(struct json *o);
