/* recover.h - failures that a turn survives, each with its own count
 * (chapter 7.3).
 */
#ifndef HAMR_LOOP_RECOVER_H
#define HAMR_LOOP_RECOVER_H

#include <stdbool.h>

#include "turn.h"

/* Commit the recovery record and tell the model.  False when this scenario,
 * or all of them, happened too often (or the hub has failed): the turn ends as
 * it would have. */
bool recover(struct turn *t, enum scenario s);

/* Asking the model has failed, with t->end and t->reason set: is there a
 * recovery for it?  May wait. */
bool recover_asking(struct turn *t);

#endif
