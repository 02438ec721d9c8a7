/* gitignore.h - what git ignores, by its own rules and without git.
 *
 * The rules are those of gitignore(5): .gitignore of each folder, info/exclude
 * of the repository, the user's own list; and, before all of them, one rule of
 * ours, "__pycache__/".  Tracked files are never ignored.  Only regular files
 * are read.
 */
#pragma once

#include <stdbool.h>

#include "gitindex.h"

struct gitignore;
struct map;

/* For the folder root (an absolute path), in a repository or not.  own: the
 * user's own list counts, too.  e says what could not be read; never returns
 * NULL. */
struct gitignore *gitignore_new(const char *root, bool own, struct err *e);
void gitignore_free(struct gitignore *g);

/* The index; empty where there is no repository. */
const struct gitindex *gitignore_index(const struct gitignore *g);

/* The other folders whose files decide: the git directory's and those above
 * the root, but not the user's own list. */
const struct texts *gitignore_folders(const struct gitignore *g);

/* Is this file beneath the root (open as rootfd) ignored?  It need not
 * exist. */
bool gitignore_path(struct gitignore *g, int rootfd, const char *rel);

/* ---- all there is ---- */

struct gitignore_seen {
	const char *rel;	/* beneath the root */
	int dirfd;		/* its folder */
	const char *base;	/* its name there; NULL: it is a folder that
				 * could not be read to its end */
	const struct stat *st;	/* NULL: it could not be examined, */
	int error;		/* for this reason (an errno) */
};

enum gitignore_next { GITIGNORE_ENTER, GITIGNORE_PASS, GITIGNORE_STOP };
typedef enum gitignore_next gitignore_visit(void *arg,
    const struct gitignore_seen *s);

/* Record the paths that walks skip as ignored in m (NULL: do not). */
void gitignore_note(struct gitignore *g, struct map *m);

/* Call see for everything beneath the root that is not ignored, except .git.
 * A folder comes before its contents, which are walked if see answers ENTER.
 * True: see stopped it. */
bool gitignore_walk(struct gitignore *g, int rootfd, gitignore_visit *see,
    void *arg);

/* The same beneath the folder rel, open as fd, which this closes.  If git
 * ignores rel itself, nothing beneath it counts as ignored: whoever names it
 * wants to see it. */
bool gitignore_walk_in(struct gitignore *g, int rootfd, int fd,
    const char *rel, gitignore_visit *see, void *arg);

/* Is this folder the top level of a repository of its own? */
bool gitignore_is_nested(int dirfd, const char *base);
