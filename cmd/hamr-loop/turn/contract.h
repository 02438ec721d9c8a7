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

enum lack {
	LACK_NOTHING,
	LACK_CHANGE,		/* patch mode: no file was changed */
	LACK_VERIFICATION	/* verify mode: it has not passed */
};

enum lack contract_lacks(const struct track *k, const struct conf *c);

/* The turn is over without a change, and that stands: what a person is told,
 * or NULL. */
const char *contract_remark(const struct track *k, const struct conf *c);

/* ---- verification ----
 *
 * All set t->end and t->reason for the case that the turn ends here, and
 * return true when it goes on.
 */

/* The contract is not met: tell the model what is missing.  What a
 * verification has to say is found by running it. */
bool verify_contract(struct turn *t, enum lack lack);

/* Has the verification command to run now? */
bool verify_due(const struct turn *t);

/* Run it with this profile; false: no verification came (the hub failed, was
 * interrupted, or the tool stage does not verify). */
bool verify_now(struct hub *h, const char *profile);

/* Run it; if it fails, ask for repair. */
bool verify(struct turn *t);
