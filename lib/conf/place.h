/* place.h - where things are: the repository, our data, the user's file. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* The root for dir: the git top level that it is in (found by walking up to a
 * .git that we own; git is not run), else dir itself, made absolute.  The
 * caller frees it; NULL with e.  On success e's text is "", or one line that
 * says why a .git was not used. */
char *conf_root(const char *dir, struct err *e);

/* Is this root / or the whole home folder?  Nobody means that unless they say
 * so. */
bool conf_root_is_too_broad(const char *root);

/* Path of an installed data file below share/hamr: $HAMR_SHARE, else
 * ../share/hamr beside the binary's folder, else the compiled-in place.
 * The caller frees it. */
char *conf_share(const char *name);

/* Path of name in the user's folder of a kind, by the XDG Base Directory
 * Specification: in $variable/hamr, else in $HOME/below/hamr; NULL without a
 * home.  The caller frees it. */
char *conf_home(const char *variable, const char *below, const char *name);

/* Path of the user's own configuration file, whether or not it exists; NULL
 * without a home.  The caller frees it. */
char *conf_user_path(void);
