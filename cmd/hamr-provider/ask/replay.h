/* replay.h - answers out of a file instead of a server (chapter 4.5).
 *
 * The file is a script (NDJSON of assistant messages and error records), a
 * transcript (its assistant messages and the provider's errors), or a
 * cassette (exchanges with a server as --record wrote them, but for those that
 * were tried again).  Read whole when opened, through the door (rec.h): a
 * refused line is "FILE:LINE: why".  In a transcript an error of another stage
 * does not count; an error without "stage" (a script's) does.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "record/rec.h"
#include "server/provider.h"

/* speed: tokens (4 bytes of text) a second, 0: all at once. */
struct replay *replay_open(const char *path, double speed, struct err *e);
void replay_free(struct replay *r);

/* Does this record of stdin count as an answer given before?  (An assistant
 * message, or an error with stage "provider".) */
bool replay_counts(const struct rec *r);

bool replay_has_tapes(const struct replay *r);

/* Put answer number p->answers, as if a server had sent it. */
void replay_answer(struct provider *p, const struct ask *ask);
