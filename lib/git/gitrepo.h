/* gitrepo.h - finds a git repository and reads it as files: never runs git.
 *
 * A repository may be hostile: its configuration can name programs, and any
 * of its files can be a FIFO.  Only regular files of bounded size are read,
 * and no read waits.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

struct gitrepo {
	char *dir;		/* the git directory, without links */
	char *common;		/* the directory all work trees share: objects,
				 * info */
};

/* Open the repository whose top level is the folder top.  1: opened; 0: there
 * is none; -1 with e: there is one that must not be used (another user's, or
 * not made of regular files).  Release g in each case. */
int gitrepo_open(struct gitrepo *g, const char *top, struct err *e);
void gitrepo_release(struct gitrepo *g);

/* The git directory that top's .git names, whoever owns it: absolute, without
 * links; the caller frees it.  NULL: none. */
char *gitrepo_dir(const char *top);
/* Does this git directory name top as its work tree, as it does once git
 * worktree or git submodule have made that?  Anybody can make a .git that names
 * a directory. */
bool gitrepo_is_of(const char *dir, const char *top);
/* The directory that dir shares with other work trees, which the caller frees;
 * NULL: it shares none. */
char *gitrepo_common(const char *dir);

/* Does the folder hold a .git that we may trust to be a repository's?  1 or 0;
 * -1 with e if it is another user's. */
int gitrepo_is_top(const char *top, struct err *e);
/* The top level that the absolute path dir is in, "" for "/"; the caller frees
 * it.  NULL: dir is in no repository or, with e set, in another user's. */
char *gitrepo_find(const char *dir, struct err *e);

/* Does it belong to us or, if we are root, to the owner of folder, as whom we
 * work there? */
bool gitrepo_is_owned(const struct stat *st, const struct stat *folder);

/* Append those lines of a configuration that name no program and no place. */
void gitrepo_plain(struct slice config, struct buf *out);

/* Append a regular file to out, unless it is larger than out may become; the
 * path's last part is not followed if it is a link.  0, or -1 with e
 * (ST_NOINPUT: no such file). */
int gitrepo_read(int dir, const char *path, struct buf *out, struct err *e);
