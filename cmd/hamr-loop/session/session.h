/* session.h - the session file: one writer, whole lines, durable when asked.
 *
 * .hamr/sessions/ID.ndjson beneath the root, else the state folder; ID.lock
 * beside it says who writes it (lock.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct session {
	char *id, *path;
	int fd;			/* read and append */
	int lock;
	bool fresh;		/* of this run: closed empty, it is removed */
	bool used;		/* there is more in it than its opening */
	off_t size;		/* bytes committed */
	bool dirty;		/* something is not durable yet */
	bool sync_all;		/* durability = "all" */
};

/* A new session with a fresh id. */
int session_create(struct session *s, const char *dir, struct err *e);

/* Open ID (sessions_find).  ST_POLICY if it is not a plain file of the user's;
 * ST_TEMP with the pid of the loop
 * that has it after ms; what a killed one left over is given some seconds more.
 * A torn last line is cut off with one warning.  No session: ST_NOINPUT. */
int session_open(struct session *s, const char *dir, const char *id, int ms,
    struct err *e);

/* Append whole lines (each with its LF) in one write. */
int session_append(struct session *s, struct slice lines, struct err *e);

/* fdatasync, if anything was appended since the last one. */
int session_sync(struct session *s, struct err *e);

/* Read up to n bytes at off; bytes read, or -1. */
ssize_t session_read(const struct session *s, void *p, size_t n, off_t off);

/* A run that could not begin leaves no session behind. */
void session_close(struct session *s);
