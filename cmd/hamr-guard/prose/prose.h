/* prose.h - answers that are not really answers (chapter 3.4): plans, claims
 * without proof, a mere status.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* All of these need VOLATILE_MARGIN readable bytes after text. */

/* The score of the last paragraph as a plan; it is one from 2 on.  A call that
 * is written as text, in a fence at the end, is one. */
int prose_plan(struct slice text);

/* Does a sentence say that tests or a verification passed? */
bool prose_claims_pass(struct slice text);

/* The whole trimmed text is at most two short lines, each a status, compared
 * without case, without marks of Markdown, and without what is neither letter
 * nor digit at its ends (punctuation, emoji). */
bool prose_is_status(struct slice text);
