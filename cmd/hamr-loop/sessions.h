/* sessions.h - the sessions of a repository: listed, found, branched. */
#ifndef HAMR_LOOP_SESSIONS_H
#define HAMR_LOOP_SESSIONS_H

#include <stdbool.h>

#include "buf.h"
#include "session.h"

/* Append what there is in dir, newest first: a table for people, or with json
 * one object a line: session, task, status, steps, created, age_s.  status is
 * that of the last end record, "running" (somebody holds its lock), or
 * "unfinished". */
int sessions_list(const char *dir, bool json, struct buf *out, struct err *e);

/* The path of session ID in dir, of the newest when id is NULL; yours.  NULL
 * with ST_NOINPUT or, for what is no id, ST_USAGE. */
char *sessions_path(const char *dir, const char *id, struct err *e);

/* A new session that begins with the first at lines of session id (0: all of
 * them), under a header of its own. */
int sessions_fork(struct session *s, const char *dir, const char *id,
    long at, struct err *e);

#endif
