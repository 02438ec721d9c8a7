/* file.c - files: read whole, replaced at once, appended under a lock. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
		ssize_t n;

		if (room > 65536)
			room = 65536;
		if (buf_reserve(out, room != 0 ? room : 1) < 0)
			return err_set(e, ST_DATA, "%s: larger than %zu bytes",
			    name, out->max);
		n = read(fd, out->p + out->len, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, ST_SYSTEM, "%s", name);
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
	int fd, r;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ?
		    ST_NOINPUT : ST_SYSTEM, "%s", path);
	r = file_read_fd(fd, path, out, e);
	close(fd);
	return r;
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

static int
sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash == NULL ? xstrdup(".") :
	    xmemdup0(path, slash == path ? 1 : (size_t)(slash - path));
	int fd, r;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0)
		return -1;
	r = fsync(fd);
	close(fd);
	return r;
}

int
file_replace(const char *path, const void *p, size_t n, mode_t mode,
    struct err *e)
{
	char *tmp = xasprintf("%s.XXXXXX", path);
	int fd, r = -1;

	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, ST_SYSTEM, "%s", path);
		goto out;
	}
	if (fchmod(fd, mode) < 0 || file_write_all(fd, p, n) < 0 ||
	    fsync(fd) < 0 || rename(tmp, path) < 0) {
		err_sys(e, ST_SYSTEM, "%s", path);
		unlink(tmp);
		goto out;
	}
	if (sync_folder(path) < 0) {
		err_sys(e, ST_SYSTEM, "%s", path);
		goto out;
	}
	r = 0;
out:
	if (fd >= 0)
		close(fd);
	free(tmp);
	return r;
}

int
file_mkdirs(const char *path, mode_t mode, struct err *e)
{
	char *s = xstrdup(path);
	int r = 0;

	for (char *p = s + 1; ; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (mkdir(s, mode) < 0 && errno != EEXIST) {
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
