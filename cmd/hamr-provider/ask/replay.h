/* replay.h - answers from a file instead of a server (chapter 4.5).
 *
 * The file is a script (NDJSON of assistant messages and error records), a
 * transcript (its assistant messages and the provider's errors), or a
 * cassette (exchanges as --record wrote them; those that were retried are
 * skipped).  The whole file is read and checked (rec.h) when opened: a refused
 * line is "FILE:LINE: why".  In a transcript an error of another stage does
 * not count; an error without "stage" (a script's) does.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "record/rec.h"
#include "server/provider.h"

/* speed: tokens (4 bytes of text) per second, 0: all at once.  The caller
 * frees it with replay_free.  NULL with e. */
struct replay *replay_open(const char *path, double speed, struct err *e);
void replay_free(struct replay *r);

/* Does this record of stdin count as an earlier answer, that is, an assistant
 * message or an error with stage "provider"? */
bool replay_counts(const struct rec *r);

/* Is the file a cassette? */
bool replay_has_tapes(const struct replay *r);

/* Put answer number p->answers as if a server had sent it. */
void replay_answer(struct provider *p, const struct ask *ask);
