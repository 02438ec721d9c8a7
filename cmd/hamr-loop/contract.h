/* contract.h - what a finished turn must have done (chapter 7.2).
 *
 * Judged from the committed records alone, so that a resumed session is
 * judged the same.
 */
#ifndef HAMR_LOOP_CONTRACT_H
#define HAMR_LOOP_CONTRACT_H

#include <stdbool.h>

#include "conf.h"
#include "track.h"

enum lack {
	LACK_NOTHING,
	LACK_CHANGE,		/* patch mode: no file was changed */
	LACK_VERIFICATION	/* verify mode: not run since, or it failed */
};

/* Does this task ask for a change of files?  It holds a verb of change as a
 * word, and is no question. */
bool contract_wants_change(const char *task);

enum lack contract_lacks(const struct track *k, const struct conf *c);

/* The reason of an end record: "no_change", "verification". */
const char *contract_reason(enum lack l);

/* What the model is told; yours. */
char *contract_text(enum lack l, const struct conf *c);

#endif
