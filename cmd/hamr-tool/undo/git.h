/* git.h - git as a child, on a repository of ours only.
 *
 * git obeys what it finds in a repository's configuration, so no git process of
 * ours ever sees one that is not ours (5.3): GIT_DIR names .hamr/snap.git,
 * nothing of the user's or the system's configuration is read, no protocol is
 * allowed, git's own variables are not passed on.  As root, in a folder of
 * another owner, git runs as that owner.  It ends with its deadline, and when
 * we do, however that is.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct git {
	int rootfd;		/* its working directory */
	const char *root;	/* its path: a git that lies there is not run */
	const char *dir;	/* the repository of ours */
	int ms;			/* it is ended after so long */
	/* asked now and then, true ends it; may be NULL */
	bool (*stop)(void *);
	void *stop_arg;
};

#define GIT_OUT_MAX ((size_t)256 << 20)

/* Its exit status, its output appended to out (NULL: to nowhere); -1 when it
 * could not be run to its end.  in is its stdin. */
int git_run(const struct git *g, const char *const *args, struct slice in,
    struct buf *out);
