/* origin.h - was a session file written here, by this user's hamr-loop?
 *
 * A repository may bring session files of its own.  The header of ours has a
 * mark: a hash of its id, folder and time with a key that is the user's alone
 * ($XDG_STATE_HOME/hamr/key, made when it is needed).
 */
#pragma once

#include <stdbool.h>

/* $XDG_STATE_HOME/hamr, made; yours.  NULL: it cannot be. */
char *origin_dir(void);

/* The mark of a header, yours; NULL where no key can be kept. */
char *origin_mark(const char *id, const char *cwd, const char *created);

/* Is the open file a plain one of ours with one name, and its header that of
 * session id in root, with its mark?  Its offset is moved. */
bool origin_is_here(int fd, const char *id, const char *root);
