/* file.c - files: read whole, replaced at once, appended under a lock. */
#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

int
file_read_fd(int fd, const char *name, struct buf *out, struct err *e)
{
	for (;;) {
		size_t room = out->max - out->len;
		char more;

		if (room > 65536)
			room = 65536;
		bool over = buf_reserve(out, room) < 0;
		/* at the ceiling: was that everything? */
		ssize_t n = over ? 0 : room == 0 ? read(fd, &more, 1) :
		    read(fd, out->p + out->len, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, ST_SYSTEM, "%s", name);
		if (over || buf_reserve(out, (size_t)n) < 0)
			return err_set(e, ST_DATA, "%s: larger than %zu bytes",
			    name, out->max);
		if (n == 0)
			break;
		out->len += (size_t)n;
	}
	out->p[out->len] = '\0';
	return 0;
}

int
file_read(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_open(e, path);
	int r = file_read_fd(fd, path, out, e);
	close(fd);
	return r;
}

int
file_open_regular(int dir, const char *name, struct stat *st)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);
	struct stat here;

	if (st == NULL)
		st = &here;
	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

char *
file_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return xstrdup(".");
	return xmemdup0(path, slash == path ? 1 : (size_t)(slash - path));
}

const char *
file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

void
file_close(int fd)
{
	int no = errno;

	if (fd >= 0)
		close(fd);
	errno = no;
}

int
file_write_all(int fd, const void *p, size_t n)
{
	const char *s = p;

	while (n > 0) {
		ssize_t k = write(fd, s, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN) {
			struct pollfd wait = { fd, POLLOUT, 0 };

			poll(&wait, 1, -1);
			continue;
		}
		if (k < 0)
			return -1;
		s += k;
		n -= (size_t)k;
	}
	return 0;
}

int
file_sync_folder(const char *path)
{
	char *dir = file_folder(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(dir);
	if (fd < 0)
		return -1;
	int r = fsync(fd);
	close(fd);
	return r;
}

int
file_replace(const char *path, const void *p, size_t n, mode_t mode,
    struct err *e)
{
	char *tmp = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	bool there = fd >= 0 && fchmod(fd, mode) == 0 &&
	    file_write_all(fd, p, n) == 0 && fsync(fd) == 0 &&
	    rename(tmp, path) == 0;
	int r = there ? file_sync_folder(path) : -1;

	if (r < 0)
		err_sys(e, ST_SYSTEM, "%s", path);
	if (fd >= 0 && !there)
		unlink(tmp);
	file_close(fd);
	free(tmp);
	return r;
}

int
file_unnamed(void)
{
	const char *const dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	char name[] = "/var/tmp/hamr.XXXXXX";
	int fd = -1;

	for (size_t i = 0; i < 3 && fd < 0; i++)
		if (dirs[i] != NULL && dirs[i][0] == '/')
			fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC,
			    0600);
	if (fd >= 0)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int
file_memory(const void *p, size_t n)
{
	int fd = memfd_create("hamr", MFD_CLOEXEC);

	if (fd >= 0 && (file_write_all(fd, p, n) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int
file_unblocked(int fd)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int ours = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (ours < 0)
		ours = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return ours < 0 ? fd : ours;
}

void
file_give_owner(int dir, int fd)
{
	struct stat st;

	if (geteuid() == 0 && fstat(dir, &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, st.st_gid) < 0)
		errno = 0;	/* it stays ours, which works, too */
}

/* The folder that path is in. */
static int
open_folder(int at, const char *path)
{
	char *folder = file_folder(path);
	int fd = openat(at, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	return fd;
}

int
file_create(int at, const char *path, int flags, mode_t mode)
{
	int dir = open_folder(at, path), fd = -1;
	const char *name = file_base(path);

	flags |= O_CREAT | O_NOFOLLOW | O_CLOEXEC;
	if (dir >= 0)
		fd = openat(dir, name, flags | O_EXCL, mode);
	if (fd >= 0)
		file_give_owner(dir, fd);	/* ours: it has no links */
	else if (dir >= 0 && errno == EEXIST && (flags & O_EXCL) == 0)
		fd = openat(dir, name, flags, mode);
	file_close(dir);
	return fd;
}

int
file_mkdir(int at, const char *path, mode_t mode)
{
	int dir = open_folder(at, path), r = -1;
	const char *name = file_base(path);

	if (dir >= 0)
		r = mkdirat(dir, name, mode);
	int fd = r < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		file_give_owner(dir, fd);
	file_close(fd);
	file_close(dir);
	return r;
}

int
file_mkdirs(const char *path, struct err *e)
{
	char *s = xstrdup(path);
	int r = 0;

	for (char *p = s + 1; ; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (mkdir(s, 0700) < 0 && errno != EEXIST) {
			r = err_sys(e, ST_SYSTEM, "%s", s);
			break;
		}
		*p = was;
		if (was == '\0')
			break;
	}
	free(s);
	return r;
}

DIR *
file_opendir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL)
		file_close(fd);
	return d;
}

struct dirent *
file_readdir(DIR *d)
{
	struct dirent *e = NULL;

	while (d != NULL && (e = readdir(d)) != NULL &&
	    (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
		;
	return e;
}

void
file_closedir(DIR *d)
{
	if (d != NULL)
		closedir(d);
}

int
file_lock(int fd, int ms)
{
	long long end = file_now_ms() + ms;
	const struct timespec nap = { 0, 20 * 1000 * 1000 };

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		if (file_now_ms() >= end) {
			errno = EWOULDBLOCK;
			return -1;
		}
		nanosleep(&nap, NULL);
	}
	return 0;
}

long long
file_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool
which_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

bool
is_beneath(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, n) == 0 && (path[n] == '/' ||
	    path[n] == '\0');
}

char *
which_program(const char *name, const char *root)
{
	const char *p = getenv("PATH");
	size_t n;

	if (p == NULL)
		p = "/usr/local/bin:/usr/bin:/bin";
	for (;; p += n + 1) {
		n = strcspn(p, ":");
		char *file = xasprintf("%.*s/%s", (int)n, p, name);
		if (*p == '/' && (root == NULL || strcmp(root, "/") == 0 ||
		    !is_beneath(file, root)) && which_is_program(file))
			return file;
		free(file);
		if (p[n] == '\0')
			return NULL;
	}
}

char *
which_beside(const char *name, const char *root)
{
	char exe[PATH_MAX] = "";

	if (readlink("/proc/self/exe", exe, sizeof exe - 1) > 0) {
		char *dir = file_folder(exe);
		char *path = xasprintf("%s/%s", dir, name);
		free(dir);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return which_program(name, root);
}
