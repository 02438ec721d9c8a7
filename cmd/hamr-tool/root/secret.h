/* secret.h - the lists of chapter 5.2: what is never read, never written, what
 * mode docs may write, and what other programs obey.  All names are true names
 * (path.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The user's additions, borrowed: patterns of fnmatch(3), where * matches /
 * too.  One without a slash, but at its end, is for any part of a path, one
 * with a slash counts from the root.  What lies in a folder that is matched is
 * matched. */
struct lists {
	const char *const *secret, *const *no_write, *const *docs;
	const char *const *allow_write;		/* below */
	size_t nsecret, nno_write, ndocs, nallow_write;
};

/* Neither read nor written, nor shown. */
bool lists_secret(const struct lists *l, const char *rel);
/* Does only the user's own list secret match it (exceptions to the others)? */
bool lists_matches(const struct lists *l, const char *rel);
/* Not written by edit and write: lock files and the user's own list. */
bool lists_no_write(const struct lists *l, const char *rel);
/* Has it a part that is made by builds, so that it is not written when git
 * ignores it (node_modules, build, dist, target, out, coverage)? */
bool lists_built(const char *rel);
/* May mode docs write it?  Documents anywhere, pictures in docs/ and doc/. */
bool lists_docs(const struct lists *l, const char *rel);

/* Names that other programs obey when somebody enters, opens or builds the
 * folder: shells, direnv, editors, git, agents.  One table for all that keeps
 * them: edit and write refuse them, and the sandbox moves away those that a
 * command made. */

/* Is any part of this name one of them?  Case does not matter: some file
 * systems fold it. */
bool protected_base(const char *base);
/* Does the user's own list allow_write take rel out? */
bool protected_allowed(const struct lists *l, const char *rel);
