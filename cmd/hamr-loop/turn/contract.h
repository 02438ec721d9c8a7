/* contract.h - what a finished turn must have done (chapter 7.2).
 *
 * Which contract a task carries is decided when it is written down, in its
 * meta.contract; whether it is met is judged from the committed records alone.
 * So a resumed session is judged the same.
 */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"
#include "session/track.h"
#include "turn.h"

/* The meta.contract of a task given in this mode: "hard" when the person asked
 * for changes by an option or a setting (never in a chat), "soft" when the task
 * itself does, else NULL. */
const char *contract_of(const struct conf *c, const char *mode, bool chat,
    const char *task);

/* The turn is over without a change, and that stands: what a person is told,
 * or NULL. */
const char *contract_remark(const struct track *k, const struct conf *c);

/* The model has answered: whether the work is done is found out, by running the
 * verification where there is one to run.  True: something is missing, and the
 * model was told; false: the turn ends, as t->end and t->reason say. */
bool contract_pursue(struct turn *t);

/* Run the verification with this profile, at most until then (as of hub_go);
 * false: none came (the hub failed, was interrupted, its time is over, or the
 * tool stage does not verify). */
bool verify_now(struct hub *h, const char *profile, long long until);
