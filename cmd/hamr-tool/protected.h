/* protected.h - names that other programs obey when somebody enters, opens or
 * builds the folder: shells, direnv, editors, git, agents.
 *
 * One table for all that keeps them: edit and write refuse them, and the
 * sandbox moves away those that a command made.
 */
#ifndef HAMR_TOOL_PROTECTED_H
#define HAMR_TOOL_PROTECTED_H

#include <stdbool.h>

#include "secret.h"

/* Is this last part of a name one of them?  Case does not matter: some file
 * systems fold it. */
bool protected_base(const char *base);

/* Is any part of the true name rel one of them, and not taken out by the
 * user's own list allow_write? */
bool protected_name(const struct lists *l, const char *rel);

/* Does the user's own list allow_write take rel out? */
bool protected_allowed(const struct lists *l, const char *rel);

#endif
