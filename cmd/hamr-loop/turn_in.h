/* turn_in.h - the inside of a turn; of turn*.c, limits.c, recover.c and
 * verify.c only.
 */
#ifndef HAMR_LOOP_TURN_IN_H
#define HAMR_LOOP_TURN_IN_H

#include "turn.h"

/* ---- turn_say.c ---- */

/* The turn ends so, unless something is found that goes on. */
void turn_ends(struct turn *t, enum ending e, const char *reason);

/* Commit a message of the loop; rule (or NULL) is told in its meta. */
int turn_say(struct turn *t, const char *text, const char *rule);

/* ---- limits.c ---- */

/* The limit that is reached, or NULL. */
const char *limits_reached(const struct turn *t);

/* Calls that may still be started; -1: no limit. */
int64_t limits_calls_left(const struct turn *t);

/* When max_wall_seconds is over, in ms of file_now_ms; 0: never. */
long long limits_wall_end(const struct turn *t);

#endif
