/* lock.c - who writes a session: its lock, and whether its holder lives. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "lock.h"
#include "base/mem.h"
#include "base/num.h"

#define NAP_MS 20
#define LIVES_MS 100	/* seen alive for so long, it is not about to end */
#define STAT_MAX ((size_t)1 << 16)
#define FLAG_EXITING 0x4u
#define KILL_PENDING (1u << 8)

/* Of /proc/PID/stat, counted from the state after the name (proc(5)). */
enum { FLAGS = 6, PENDING = 28 };

/* Field n after the state; 0 if missing. */
static unsigned long
field(const char *state, int n)
{
	for (; n > 0 && state != NULL; n--) {
		state = strchr(state, ' ');
		if (state != NULL)
			state++;
	}
	return state != NULL ? strtoul(state, NULL, 10) : 0;
}

/* It runs, and was not killed: a killed process stays listed until the kernel
 * gets to end it. */
static bool
is_running(long pid)
{
	char *path = xasprintf("/proc/%ld/stat", pid);
	struct buf b = BUF_INIT(STAT_MAX);
	const char *name_end = NULL, *state;
	bool yes = false;

	if (file_read(path, &b, NULL) == 0 && b.len > 0)
		name_end = strrchr(b.p, ')');
	if (name_end != NULL && name_end[1] == ' ') {
		state = name_end + 2;
		yes = strchr("ZX", *state) == NULL &&
		    (field(state, FLAGS) & FLAG_EXITING) == 0 &&
		    (field(state, PENDING) & KILL_PENDING) == 0;
	}
	buf_release(&b);
	free(path);
	return yes;
}

/* Is fd's file open in that process?  A number that was given to another
 * process since is told from its first owner by that. */
static bool
has_open(long pid, int fd)
{
	char *path = xasprintf("/proc/%ld/fd", pid);
	DIR *d = opendir(path);
	struct dirent *de;
	struct stat ours, st;
	bool yes = false;

	while (!yes && (de = file_readdir(d)) != NULL)
		yes = fstatat(dirfd(d), de->d_name, &st, 0) == 0 &&
		    fstat(fd, &ours) == 0 && st.st_dev == ours.st_dev &&
		    st.st_ino == ours.st_ino;
	file_closedir(d);
	free(path);
	return yes;
}

/* The pid in the lock file; 0: none that can be read. */
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

/* Have the lock within ms; else tell by errno, EWOULDBLOCK, that another has
 * it: at once when that is a loop that lives. */
static int
wait_for(int fd, int ms)
{
	long long end = file_now_ms() + ms, lives = 0;
	const struct timespec nap = { 0, NAP_MS * 1000 * 1000 };

	while (file_lock(fd, 0) < 0) {
		int why = errno;
		long long now = file_now_ms();
		long pid = holder(fd);

		if (pid == 0 || !is_running(pid) || !has_open(pid, fd))
			lives = 0;
		else if (lives == 0)
			lives = now;
		errno = why;
		if (why != EWOULDBLOCK || now >= end ||
		    (lives != 0 && now - lives >= LIVES_MS))
			return -1;
		nanosleep(&nap, NULL);
	}
	return 0;
}

int
lock_take(const char *dir, const char *id, int ms, struct err *e)
{
	char *path = xasprintf("%s/%s.lock", dir, id);
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC, 0600), n;
	struct stat st;
	/* what is written into it must not end up elsewhere */
	bool plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1;
	bool ours = plain && wait_for(fd, ms) == 0;
	char pid[32];

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
		n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
		if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)n, 0) != n)
			ours = err_sys(e, ST_SYSTEM, "%s", path) == 0;
	}
	if (!ours) {
		file_close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}
