/* redact.h - replace secrets in texts with [redacted:KIND].
 *
 * share/hamr/secrets.txt says what a secret looks like.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct redact;

/* Load the installed list; the caller frees it with redact_free.  NULL with e:
 * it is missing (ST_NOINPUT) or a line has no three parts (ST_DATA). */
struct redact *redact_load(struct err *e);
void redact_free(struct redact *r);

/* Append text with its secrets replaced.  Where a pattern is malformed, stderr
 * is told once, and all from its start on is replaced. */
void redact_add(const struct redact *r, struct slice text, struct buf *out);
