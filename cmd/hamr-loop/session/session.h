/* session.h - the session file: one writer, whole lines, durable when asked.
 *
 * .hamr/sessions/ID.ndjson below the root, or in the state folder.  ID.lock
 * beside it holds the writer's pid, negative once it is ending, under an flock
 * that the stages inherit.  So the lock of a loop that was killed stays taken
 * until its last stage notices; lock_take waits for that.
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
	bool fresh;		/* created by this run */
	off_t size;		/* bytes committed */
	bool dirty;		/* something is not durable yet */
	bool sync_all;		/* durability = "all" */
};

/* A new session with a fresh id. */
int session_create(struct session *s, const char *dir, struct err *e);

/* Open ID (sessions_find).  -1 with e: ST_NOINPUT: no such session; ST_POLICY:
 * not a regular file of the user; ST_TEMP: another loop, whose pid is named,
 * has it. */
int session_open(struct session *s, const char *dir, const char *id,
    struct err *e);

/* Its whole lines have been read: cut off a torn last one, with one warning. */
int session_truncate(struct session *s, off_t whole, struct err *e);

/* Append whole lines (each with its LF) in one write. */
int session_append(struct session *s, struct slice lines, struct err *e);

/* fdatasync, if anything was appended since the last one. */
int session_sync(struct session *s, struct err *e);

/* Close and release it.  A fresh one is removed unless it is to be kept and
 * has a record. */
void session_close(struct session *s, bool keep);

/* Take the lock of session id in dir within ms; unless ms is 0, wait some
 * seconds more if its holder is dead or about to end.  Returns the descriptor,
 * or -1 with e: ST_TEMP names the holder's pid. */
int lock_take(const char *dir, const char *id, int ms, struct err *e);

/* We are about to end: have the next one wait for that. */
void lock_leave(int fd);
