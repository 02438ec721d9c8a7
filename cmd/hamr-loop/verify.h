/* verify.h - the project's own check of the work, and what the model is told
 * when the contract is not met (chapter 7.2).
 *
 * All set t->end and t->reason for the case that the turn ends here, and
 * return true when it goes on.
 */
#ifndef HAMR_LOOP_VERIFY_H
#define HAMR_LOOP_VERIFY_H

#include <stdbool.h>

#include "contract.h"
#include "turn.h"

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

#endif
