/* secret.h - the lists of chapter 5.2: what is never read, never written, what
 * mode docs may write, and what other programs obey.  All names are true names
 * (path.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The user's additions, borrowed: patterns of fnmatch(3), where * matches /
 * too.  A pattern without a slash, other than at its end, matches any part of a
 * path; one with a slash matches from the root.  Everything in a matched folder
 * is matched. */
struct lists {
	const char *const *secret, *const *no_write, *const *docs;
	const char *const *allow_write;		/* below */
	size_t nsecret, nno_write, ndocs, nallow_write;
	/* files that are secrets by a name they had, which a command may have
	 * changed (file_remember); NULL: none are known */
	struct map *known;
};

/* Neither read nor written, nor shown. */
bool lists_secret(const struct lists *l, const char *rel);
/* Does only the user's own list secret match it (exceptions to the others)? */
bool lists_matches(const struct lists *l, const char *rel);
/* Not written by edit and write: lock files and the user's own list. */
bool lists_no_write(const struct lists *l, const char *rel);
/* Is some part of it a build folder (node_modules, build, dist, target, out,
 * coverage)?  It is not written if git ignores it. */
bool lists_built(const char *rel);
/* May mode docs write it?  Documents anywhere, pictures in docs/ and doc/. */
bool lists_docs(const struct lists *l, const char *rel);

/* Names that other programs obey when somebody enters, opens or builds the
 * folder: shells, direnv, editors, git, agents.  Edit and write refuse them,
 * and the sandbox quarantines those that a command made; both use one table. */

/* Is any part of this name one of them?  Case does not matter: some file
 * systems fold it. */
bool protected_base(const char *base);
/* Does the user's list allow_write exempt rel? */
bool protected_allowed(const struct lists *l, const char *rel);
