/* sessions.h - the sessions of a repository: listed, found, branched. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <time.h>

#include "base/buf.h"
#include "session.h"

/* The files of a folder (it is closed; NULL: none) whose names end so, without
 * that ending, those last written first. */
struct by_age {
	struct aged {
		char *id;
		struct timespec touched;
	} *v;
	size_t n, cap;
};

void by_age_read(struct by_age *l, DIR *d, const char *ending);
void by_age_release(struct by_age *l);

/* Where the sessions of root are; made when create is set.  NULL with
 * ST_NOINPUT when there are none. */
char *sessions_dir(const char *root, bool create, struct err *e);

/* Append what there is in dir, those last used first: a table for people, or
 * with json one object a line: session, task, status, steps, created, age_s.
 * status is that of the last end record, "running" (its lock is held), or
 * "unfinished". */
int sessions_list(const char *dir, bool json, struct buf *out, struct err *e);

/* The id of the session that is called so or is the only one that begins so;
 * of the one last used when id is NULL, but never of one that was not written
 * here (origin.h).  Yours; NULL with ST_NOINPUT, or ST_USAGE for what is no id
 * or begins several. */
char *sessions_find(const char *dir, const char *root, const char *id,
    struct err *e);
/* The path of its file. */
char *sessions_path(const char *dir, const char *root, const char *id,
    struct err *e);

/* Does the id of a session in dir begin so? */
bool sessions_any(const char *dir, const char *prefix);

/* A new session that begins with the first at lines of session id (0: all of
 * them), under a header of its own; *here: that one was written here. */
int sessions_fork(struct session *s, const char *dir, const char *root,
    const char *id, long at, bool *here, struct err *e);
