/* redact.h - secrets in texts become [redacted:KIND].
 *
 * What a secret looks like stands in share/hamr/secrets.txt.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct redact;

/* The installed list.  NULL with e: it is missing (ST_NOINPUT) or wrong
 * (ST_DATA). */
struct redact *redact_load(struct err *e);
void redact_free(struct redact *r);

/* Append text, its secrets replaced. */
void redact_add(const struct redact *r, struct slice text, struct buf *out);
/* The text of a content value without them, yours; NULL when there is none. */
char *redact_value(const struct redact *r, struct slice val);
