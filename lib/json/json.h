/* json.h - the records we author, built with cJSON (this file's only use).
 *
 * A struct json owns its children.  Values of others are carried as raw
 * slices that the scanner has passed, byte for byte.  key is NULL in arrays; a
 * text that is NULL is null.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct json;

struct json *json_object(void);
struct json *json_array(void);
void json_str(struct json *o, const char *key, const char *utf8);
void json_slice(struct json *o, const char *key, struct slice utf8);
void json_int(struct json *o, const char *key, long long v);
void json_double(struct json *o, const char *key, double v);
void json_bool(struct json *o, const char *key, bool v);
void json_null(struct json *o, const char *key);
void json_raw(struct json *o, const char *key, struct slice checked);
void json_add(struct json *o, const char *key, struct json *child);

/* Append the compact text to out. */
void json_print(const struct json *o, struct buf *out);
void json_free(struct json *o);
