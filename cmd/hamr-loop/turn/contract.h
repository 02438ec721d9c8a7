/* contract.h - what a finished turn must have done (chapter 7.2).
 *
 * The contract of a task is decided when the task is committed, in its
 * meta.contract.  Whether it is met depends on the committed records alone, so
 * a resumed session is judged as the live one was.
 */
#pragma once

#include <stdbool.h>

#include "conf/conf.h"
#include "session/track.h"
#include "turn.h"

/* The meta.contract of a task in the mode that is set: "hard" when the person
 * asked for changes by an option or a setting (never in a chat), "soft" when
 * the task itself asks for them, else NULL. */
const char *contract_of(const struct hub *h, const char *task);

/* What to tell a person about a turn that ended without the change that its
 * task asks for, or where nobody knows what it changed; or NULL. */
const char *contract_remark(const struct track *k, const struct conf *c);

/* The model has answered: check whether the work is done, running the
 * verification if there is one.  True: something is missing, and the model was
 * told.  False: the turn ends, with t->end and t->reason set. */
bool contract_check(struct turn *t);

/* Run the verification with this profile, at most until `until` (as for
 * hub_go).  False: there is no result, as the hub failed or was interrupted,
 * time ran out, or the tool stage does not verify. */
bool verify_now(struct hub *h, const char *profile, long long until);
