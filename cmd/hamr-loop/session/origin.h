/* origin.h - was a session file written here, by this user's hamr-loop?
 *
 * A repository may contain session files of its own.  The header of ours has a
 * mark: a hash of its id, folder and time with a key that only the user has
 * ($XDG_STATE_HOME/hamr/key, created on demand).
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Create $XDG_STATE_HOME/hamr and return its path, which the caller frees.
 * NULL: it cannot be created. */
char *origin_dir(void);

/* Begin the header of a session that is created now in root.  Returns the mark
 * that it is to have, which the caller frees; NULL: there is no key, and none
 * can be stored. */
char *origin_begin(struct buf *out, const char *id, const char *root);

/* The folder as records spell it, with bytes that are not UTF-8 replaced; the
 * caller frees it. */
char *origin_cwd(const char *cwd);

/* Is fd a regular file of ours with one link, and its header that of session id
 * in root, with a valid mark?  Moves its offset. */
bool origin_is_here(int fd, const char *id, const char *root);
