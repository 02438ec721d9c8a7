/* place.h - where things are: the repository, our data, the user's file. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* The root for dir: the git top level that it is in (found by walking up to a
 * .git of ours; no git is run), else dir itself, made absolute.  Yours to free;
 * NULL with e.  Otherwise e's text is "", or the line that says why a .git was
 * not taken. */
char *conf_root(const char *dir, struct err *e);

/* Is this root / or all of the home folder?  Nobody means that without
 * saying so. */
bool conf_root_is_too_broad(const char *root);

/* Path of an installed data file below share/hamr: $HAMR_SHARE, else
 * ../share/hamr beside the binary's folder, else the compiled-in place.
 * Yours to free. */
char *conf_share(const char *name);

/* name in the user's folder of a kind, by the XDG Base Directory Specification:
 * $variable/hamr, else hamr in the folder below of HOME; NULL without a home.
 * Yours to free. */
char *conf_home(const char *variable, const char *below, const char *name);

/* Path of the user's own configuration file, there or not; NULL without a home.
 * Yours to free. */
char *conf_user_path(void);
