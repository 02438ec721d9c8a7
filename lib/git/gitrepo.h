/* gitrepo.h - a git repository found and read as files: no git is run.
 *
 * A repository may be hostile: its configuration can name programs, and any
 * of its files can be a FIFO.  Only regular files of bounded size are read,
 * and nothing is waited for.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct gitrepo {
	char *dir;		/* the git directory, without links */
	char *common;		/* what all work trees share: objects, info */
};

/* The repository whose top level is the folder top.  1: it is there; 0: there
 * is none; -1 with e: there is something that must not be used (another's, or
 * not made of regular files).  Release it in each case. */
int gitrepo_open(struct gitrepo *g, const char *top, struct err *e);
void gitrepo_release(struct gitrepo *g);

/* The git directory that top's .git names, whoever owns it: absolute, without
 * links, yours.  NULL: none. */
char *gitrepo_dir(const char *top);
/* The directory it shares with other work trees; NULL: none but itself. */
char *gitrepo_common(const char *dir);

/* Is there a .git in the folder that we may trust to be a repository's?  1, or
 * 0; -1 with e when it is another user's. */
int gitrepo_is_top(const char *top, struct err *e);
/* The top level that the absolute path dir is in, "" for "/"; yours.  NULL: it
 * is in none, or (e is set) in another user's. */
char *gitrepo_find(const char *dir, struct err *e);

/* Append a regular file of at most max bytes, not through a link at its end.
 * 0, or -1 with e (ST_NOINPUT: there is none). */
int gitrepo_read(const char *path, size_t max, struct buf *out,
    struct err *e);
