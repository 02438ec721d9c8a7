/* lock.c - a session's lock: one writer, and whether it is still alive. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "lock.h"
#include "base/mem.h"
#include "base/num.h"

#define ENDS_MS 5000	/* for an ending loop, or a killed one's stages */

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
