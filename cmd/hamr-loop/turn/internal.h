/* internal.h - private to turn/. */
#pragma once

#include "turn.h"

/* Set how the turn ends, unless something is found that continues it.  Returns
 * false, for the caller to return. */
bool turn_set_ending(struct turn *t, enum ending e, const char *reason);

/* Commit a message to the model and have it judged; by ("loop", "verify") and
 * rule (or NULL) go into its meta. */
bool turn_message(struct turn *t, const char *by, const char *text,
    const char *rule);

/* An action did not return: if its time ran out, stop it and answer the open
 * calls.  Returns false. */
bool turn_out_of_time(struct turn *t);

/* When max_wall_seconds are over, in ms of file_now_ms; 0: never. */
long long turn_wall_end(const struct turn *t);

/* ---- recover.c: failures a turn survives, each with its own count ---- */

/* Commit the recovery record and tell the model.  False: this scenario, or all
 * together, happened too often, or the hub has failed; the turn then ends as it
 * would have without recovery. */
bool recover(struct turn *t, enum scenario s);

/* Do the recovery that a crash prevented, if the last error has one that tells
 * the model.  False as for recover, or there is none. */
bool recover_resumed(struct turn *t);

/* Asking the model has failed, with t->end and t->reason set: try to recover.
 * May wait.  False: there is no recovery. */
bool recover_asking(struct turn *t);
