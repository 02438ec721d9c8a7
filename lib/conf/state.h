/* state.h - where a repository's sessions, memory and outputs live.
 *
 * .hamr beneath the root, made with a .gitignore of its own (everything but
 * config.toml is ignored).  A repository is untrusted: if git tracks anything
 * in .hamr but config.toml, if .hamr is a link or not the user's, or if it
 * cannot be written, it is $XDG_STATE_HOME/hamr/REPO-ID instead and nothing
 * that was found is read.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* What .hamr/.gitignore says. */
extern const char state_ignore[];

/* Where it is or would be, yours; NULL with e when neither place can be. */
char *state_where(const char *root, struct err *e);

/* The folder's absolute path, yours; make it when create is set.  NULL with e
 * when neither place can be used, or (create not set) when it is not there:
 * then e->status is ST_NOINPUT. */
char *state_dir(const char *root, bool create, struct err *e);

/* The same, and a folder NAME in it. */
char *state_folder(const char *root, const char *name, bool create,
    struct err *e);
