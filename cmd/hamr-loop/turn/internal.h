/* internal.h - the inside of a turn. */
#pragma once

#include "turn.h"

/* The turn ends so, unless something is found that goes on. */
void turn_set_ending(struct turn *t, enum ending e, const char *reason);

/* Commit a message of the loop; rule (or NULL) is told in its meta. */
int turn_message(struct turn *t, const char *text, const char *rule);

/* An action did not return: if it was its time that ran out, it is stopped and
 * what is open answered. */
void turn_out_of_time(struct turn *t);

/* When max_wall_seconds is over, in ms of file_now_ms; 0: never. */
long long turn_wall_end(const struct turn *t);

/* ---- recover.c: failures a turn survives, each with its own count ---- */

/* Commit the recovery record and tell the model.  False when this scenario,
 * or all of them, happened too often (or the hub has failed): the turn ends as
 * it would have. */
bool recover(struct turn *t, enum scenario s);

/* An error stands whose recovery a crash prevented: the same, if the model is
 * to be told of it. */
bool recover_resumed(struct turn *t);

/* Asking the model has failed, with t->end and t->reason set: is there a
 * recovery for it?  May wait. */
bool recover_asking(struct turn *t);
