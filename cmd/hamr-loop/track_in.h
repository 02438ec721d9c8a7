/* track_in.h - the inside of the tracker; of track*.c only.
 *
 * track.c takes a record in and knows the turn; track_call.c knows the calls of
 * the last answer, what they changed and which command failed.
 */
#ifndef HAMR_LOOP_TRACK_IN_H
#define HAMR_LOOP_TRACK_IN_H

#include "track.h"

/* Put owned into the place of what is there. */
void track_set(char **to, char *owned);
/* A JSON string's text, "" when it is none; yours. */
char *track_text(struct slice v);

/* An assistant message: its calls, its text. */
void track_asked(struct track *t, const struct rec *r);
/* A start record, a tool message. */
void track_started(struct track *t, const struct rec *r);
void track_result(struct track *t, const struct rec *r);
/* What a command ran in; the weakest of a turn counts. */
void track_sandbox(struct track *t, struct slice name);
void track_drop_calls(struct track *t);
/* No failed command is to be told of any more. */
void track_no_failure(struct track *t);

#endif
