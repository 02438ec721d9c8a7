/* prose.h - answers that are none: plans, and claims without proof (3.4). */
#ifndef HAMR_GUARD_PROSE_H
#define HAMR_GUARD_PROSE_H

#include <stdbool.h>

#include "buf.h"

/* The score of the last paragraph as a plan; it is one from 2 on. */
int prose_plan(struct slice text);

/* Does a sentence say that tests or a verification passed? */
bool prose_claims_pass(struct slice text);

#endif
