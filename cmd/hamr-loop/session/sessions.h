/* sessions.h - list, find and fork the sessions of a repository. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <time.h>

#include "base/buf.h"
#include "session.h"

/* The files of a folder whose names have an ending, without that ending, the
 * last written first.  by_age_read closes d, which may be NULL. */
struct by_age {
	struct aged {
		char *id;
		struct timespec touched;
	} *v;
	size_t n, cap;
};

void by_age_read(struct by_age *l, DIR *d, const char *ending);
void by_age_release(struct by_age *l);

/* The folder of root's sessions, created if create is set; the caller frees it.
 * NULL with e: ST_NOINPUT when there are none. */
char *sessions_dir(const char *root, bool create, struct err *e);

/* Append the sessions in dir, the last used first: a table for people, its rows
 * cut at `columns`, or with columns 0 an object per line: session, task,
 * status, steps, created, age_s.  status is that of the last end record,
 * "running" (its lock is held), "unfinished", "unreadable" (another user's) or
 * "damaged".  Only as many as `most` behind the one named after (NULL: from
 * the first) are read.  -1 with ST_USAGE: no such one. */
int sessions_list(const char *dir, size_t columns, const char *after,
    size_t most, struct buf *out, struct err *e);

/* The id of the session named id, or of the only one whose id begins with it;
 * with id NULL, of the last used one that was written here (origin.h; root is
 * NULL: anywhere).  The caller frees it.  NULL with e: ST_NOINPUT: none;
 * ST_USAGE: not an id, or ambiguous. */
char *sessions_find(const char *dir, const char *root, const char *id,
    struct err *e);

/* Create a session with a header of its own and the first at lines (0: all) of
 * session id; the header's fork_at is the last line of the copy.  *here:
 * session id was written here. */
int sessions_fork(struct session *s, const char *dir, const char *root,
    const char *id, long at, bool *here, struct err *e);
