/* state.h - where a repository's sessions, memory and outputs live.
 *
 * They live in .hamr beneath the root, created with its own .gitignore (all
 * but config.toml, commands/ and skills/ is ignored).  A repository is
 * untrusted: if git tracks anything in .hamr but these and .gitignore, if .hamr
 * is a link or not the user's, or if it cannot be written, they live in
 * $XDG_STATE_HOME/hamr/REPO-ID instead, and nothing in .hamr is read, but for
 * the memory in one that is only not writable (state_read_only).
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Make the .gitignore of .hamr at this path, unless there is one.  0, or -1
 * with errno. */
int state_ignore(int at, const char *path);

/* The folder's path, whether or not it exists; the caller frees it.  NULL with
 * e if neither place can be used. */
char *state_where(const char *root, struct err *e);

/* Root's .hamr, if it would be used but cannot be written; the caller frees it.
 * Else NULL. */
char *state_read_only(const char *root);

/* The folder's absolute path, which the caller frees; create: make it if it is
 * missing.  NULL with e if neither place can be used, or (without create) if
 * it does not exist: e->status is then ST_NOINPUT. */
char *state_dir(const char *root, bool create, struct err *e);

/* The same for a folder name in it. */
char *state_folder(const char *root, const char *name, bool create,
    struct err *e);
