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

#define KILLED_MS 5000	/* for the stages of a loop that was killed */

/* The pid in the lock file; 0: it has no readable one. */
static long
holder(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	int64_t pid;

	text[n > 0 ? n : 0] = '\0';
	return num_i64(text, strcspn(text, "\n"), &pid) && pid > 0 &&
	    pid <= INT32_MAX ? (long)pid : 0;
}

int
lock_take(const char *dir, const char *id, int ms, struct err *e)
{
	char *path = xasprintf("%s/%s.lock", dir, id);
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC, 0600);
	struct stat st;
	/* writing into it must not change another file */
	bool plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1;
	bool ours = plain && file_lock(fd, ms) == 0;
	char pid[32];

	if (plain && !ours && ms > 0 && errno == EWOULDBLOCK) {
		/* a zombie has no executable */
		char *exe = xasprintf("/proc/%ld/exe", holder(fd)), c;

		if (readlink(exe, &c, 1) <= 0 && errno != EACCES)
			ours = file_lock(fd, KILLED_MS) == 0;
		free(exe);
	}
	if (fd >= 0 && !plain)
		err_set(e, ST_POLICY, "%s is not a lock file (a link, or not "
		    "a file); remove it", path);
	else if (!ours && fd >= 0 && errno == EWOULDBLOCK)
		err_set(e, ST_TEMP, "session %s is in use by process %ld; "
		    "wait until it has ended, or start a new one", id,
		    holder(fd));
	else if (!ours)
		err_sys(e, ST_SYSTEM, "%s", path);
	if (ours) {
		int n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
		/* in this order a full disk has room where a pid was */
		ours = pwrite(fd, pid, (size_t)n, 0) == n &&
		    ftruncate(fd, n) == 0;
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
