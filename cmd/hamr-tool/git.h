/* git.h - git as a child: the user's repository asked, or one of our own.
 *
 * A hostile repository must run nothing (chapter 5.3): on the user's only
 * rev-parse, ls-files, check-ignore and grep are run, which start no filter
 * and no diff driver; fsmonitor and hooks are off, and git's own variables are
 * not passed on.  As root, in a folder of another owner, git runs as he.
 */
#ifndef HAMR_TOOL_GIT_H
#define HAMR_TOOL_GIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "buf.h"

struct git {
	int rootfd;		/* its working directory */
	const char *root;	/* its path: git is none that lies there */
	const char *dir;	/* a repository of ours; NULL: the user's */
	int ms;			/* it is ended after so long */
	/* asked now and then, true ends it; may be NULL */
	bool (*stop)(void *);
	void *stop_arg;
};

#define GIT_MS 5000		/* for a question */
#define GIT_OUT_MAX ((size_t)256 << 20)

/* Its exit status, its output appended to out (NULL: to nowhere); -1 when it
 * could not be run to its end.  in is its stdin. */
int git_run(const struct git *g, const char *const *args, struct slice in,
    struct buf *out);

/* The same in two steps, so that another can run meanwhile.  What was begun must
 * be ended; it is no error to end what could not be begun. */
struct git_child {
	pid_t pid;		/* private */
	int fd;
};

void git_begin(const struct git *g, const char *const *args, struct slice in,
    struct git_child *c);
int git_end(const struct git *g, struct git_child *c, struct buf *out);

#endif
