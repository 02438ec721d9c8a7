/* session.c - the session file: one writer, whole lines, durable when asked. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "session.h"

#define LOCK_MS 250		/* another loop may be about to end */
#define ENDS_MS 5000	/* for an ending loop, or a killed one's stages */

/* ---- the lock ---- */

/* The pid in the lock file, negative: it is about to end; 0: there is none. */
static long
holder(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	int64_t pid;

	text[n > 0 ? n : 0] = '\0';
	return num_i64(text, strcspn(text, "\n"), &pid) && pid >= -INT32_MAX &&
	    pid <= INT32_MAX ? (long)pid : 0;
}

static bool
put_holder(int fd, long pid)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%ld\n", pid);

	/* in this order a full disk has room where a pid was */
	return pwrite(fd, text, (size_t)n, 0) == n && ftruncate(fd, n) == 0;
}

void
lock_leave(int fd)
{
	put_holder(fd, -(long)getpid());
}

int
lock_take(const char *dir, const char *id, int ms, struct err *e)
{
	char *path = xasprintf("%s/%s.lock", dir, id);
	int fd = file_create(AT_FDCWD, path, O_RDWR | O_NONBLOCK, 0600);
	struct stat st;
	/* writing into it must not change another file */
	bool plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1;
	bool ours = plain && file_lock(fd, ms) == 0;

	if (plain && !ours && ms > 0 && errno == EWOULDBLOCK) {
		/* a zombie has no executable, nor a negative pid */
		char *exe = xasprintf("/proc/%ld/exe", holder(fd)), c;

		if (readlink(exe, &c, 1) <= 0 && errno != EACCES)
			ours = file_lock(fd, ENDS_MS) == 0;
		free(exe);
	}
	if (fd >= 0 && !plain)
		err_set(e, ST_POLICY, "%s is not a lock file (a link, or not "
		    "a file); remove it", path);
	else if (!ours && fd >= 0 && errno == EWOULDBLOCK)
		err_set(e, ST_TEMP, "session %s is in use by process %ld; "
		    "wait until it has ended, or start a new one", id,
		    labs(holder(fd)));
	else if (!ours)
		err_sys(e, ST_SYSTEM, "%s", path);
	if (ours) {
		ours = put_holder(fd, (long)getpid());
		if (!ours)
			err_sys(e, ST_SYSTEM, "%s", path);
		if (!ours && st.st_size == 0)
			unlink(path);
	}
	if (!ours) {
		file_close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

/* ---- the file ---- */

static int
open_file(struct session *s, const char *dir, int flags, struct err *e)
{
	struct stat st;

	s->path = xasprintf("%s/%s.ndjson", dir, s->id);
	s->fd = open(s->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK | flags, 0600);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return err_sys(e, errno == ENOENT ? ST_NOINPUT :
		    errno == EEXIST ? ST_TEMP : ST_SYSTEM, "%s", s->path);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    (st.st_uid != geteuid() && geteuid() != 0))
		return err_set(e, ST_POLICY, "%s is not a session file of "
		    "yours (a link, another user's, or not a file)", s->path);
	s->size = st.st_size;
	return 0;
}

int
session_create(struct session *s, const char *dir, struct err *e)
{
	*s = (struct session){ .fd = -1, .lock = -1 };
	for (int tries = 0; ; tries++) {
		unsigned char rnd[2] = { 0, 0 };
		time_t now = time(NULL);
		struct tm tm;
		char at[32];

		if (getrandom(rnd, sizeof rnd, 0) < 0)
			rnd[0] = (unsigned char)getpid();
		gmtime_r(&now, &tm);
		strftime(at, sizeof at, "%Y%m%dT%H%M%SZ", &tm);
		s->id = xasprintf("%s-%02x%02x", at, rnd[0], rnd[1]);
		s->lock = lock_take(dir, s->id, 0, e);
		if (s->lock >= 0) {
			int r = open_file(s, dir, O_CREAT | O_EXCL, e);

			s->fresh = r == 0 || e->status != ST_TEMP;
			if (r == 0)
				return 0;
		}
		session_close(s, false);
		/* another one may have this id */
		if (e->status != ST_TEMP || tries == 8)
			return -1;
	}
}

int
session_open(struct session *s, const char *dir, const char *id,
    struct err *e)
{
	*s = (struct session){ .fd = -1, .lock = -1 };
	s->id = xstrdup(id);
	if (open_file(s, dir, 0, e) < 0)
		return -1;
	s->lock = lock_take(dir, s->id, LOCK_MS, e);
	if (s->lock < 0)
		return -1;
	/* its size, now that nobody else writes it */
	s->size = lseek(s->fd, 0, SEEK_END);
	return s->size >= 0 ? 0 : err_sys(e, ST_SYSTEM, "%s", s->path);
}

int
session_truncate(struct session *s, off_t whole, struct err *e)
{
	if (s->size == whole)
		return 0;
	err_say("%s: last line was cut short by a crash; its %lld bytes are "
	    "dropped", s->path, (long long)(s->size - whole));
	s->size = whole;
	return ftruncate(s->fd, whole) == 0 ? 0 :
	    err_sys(e, ST_SYSTEM, "%s", s->path);
}

/* A write that failed half-way (disk full) must not leave part of a line before
 * the next one. */
int
session_append(struct session *s, struct slice lines, struct err *e)
{
	if (file_write_all(s->fd, lines.p, lines.n) < 0) {
		err_sys(e, ST_SYSTEM, "%s", s->path);
		if (ftruncate(s->fd, s->size) < 0)
			return -1;	/* resume cuts it off */
		return -1;
	}
	s->size += (off_t)lines.n;
	s->dirty = true;
	return s->sync_all ? session_sync(s, e) : 0;
}

int
session_sync(struct session *s, struct err *e)
{
	if (!s->dirty)
		return 0;
	if (fdatasync(s->fd) < 0)
		return err_sys(e, ST_SYSTEM, "%s", s->path);
	s->dirty = false;
	return 0;
}

void
session_close(struct session *s, bool keep)
{
	if (s->fresh && (s->size == 0 || !keep)) {
		/* We still hold the lock: nobody else has written to it. */
		size_t n = strlen(s->path) - strlen(".ndjson");
		char *lock = xasprintf("%.*s.lock", (int)n, s->path);

		unlink(s->path);
		unlink(lock);
		free(lock);
	}
	file_close(s->fd);
	file_close(s->lock);
	FREE(s->id, s->path);
	s->id = s->path = NULL;
	s->fd = s->lock = -1;
	s->fresh = false;
}
