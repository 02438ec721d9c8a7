/* gitignore.h - what git ignores, by its own rules and without git.
 *
 * The rules are gitignore(5): .gitignore of each folder, info/exclude of the
 * repository, the user's own list.  What is tracked is never ignored.  A folder
 * is entered before its entries are asked about, and left after them.  Only
 * regular files are read.
 */
#pragma once

#include <stdbool.h>

#include "gitindex.h"

struct gitignore;
struct map;

/* For the folder root (absolute, open as rootfd), in a repository or not.  own:
 * the user's own list counts, too.  e says what could not be read; NULL is
 * never returned. */
struct gitignore *gitignore_new(const char *root, bool own, struct err *e);
void gitignore_free(struct gitignore *g);

/* The index; empty where there is no repository. */
const struct gitindex *gitignore_index(const struct gitignore *g);

/* Folders whose own files decide too, but the user's own list: the git
 * directory's, those above the root.  Each is ended by NUL. */
const struct buf *gitignore_folders(const struct gitignore *g);

/* Enter the folder rel ("" first), open as dirfd, which is not kept. */
void gitignore_enter(struct gitignore *g, int dirfd, const char *rel);
void gitignore_leave(struct gitignore *g);

/* Is this path beneath the root (open as rootfd) ignored?  It need not be
 * there; a folder that holds something tracked is not.  The folder "" only is
 * entered. */
bool gitignore_path(struct gitignore *g, int rootfd, const char *rel,
    bool is_dir);

/* ---- all there is ---- */

struct gitignore_seen {
	const char *rel;	/* beneath the root */
	int dirfd;		/* its folder */
	const char *base;	/* its name there; NULL: it is a folder that
				 * was not read to its end */
	const struct stat *st;	/* NULL: it could not be looked into, */
	int error;		/* for this reason */
};

enum gitignore_next { GITIGNORE_ENTER, GITIGNORE_PASS, GITIGNORE_STOP };
typedef enum gitignore_next gitignore_see(void *arg,
    const struct gitignore_seen *s);

/* What walks pass over because it is ignored is put into m (NULL: nowhere). */
void gitignore_note(struct gitignore *g, struct map *m);

/* Everything beneath the root that is not ignored, but .git: folders before
 * what is in them, which is walked when see answers ENTER.  No folder may be
 * entered before.  True: it was stopped. */
bool gitignore_walk(struct gitignore *g, int rootfd, gitignore_see *see,
    void *arg);

/* The same beneath the folder rel, open as fd, which is closed.  If git ignores
 * rel itself nothing beneath it counts as ignored: who names it wants to see
 * it. */
bool gitignore_walk_in(struct gitignore *g, int rootfd, int fd,
    const char *rel, gitignore_see *see, void *arg);

/* Is this folder the top level of a repository of its own? */
bool gitignore_is_nested(int dirfd, const char *base);
