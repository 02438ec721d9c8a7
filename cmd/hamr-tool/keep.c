/* keep.c - .hamr/out: the whole of an output whose result was cut. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "sha.h"

#include "keep.h"

#define IGNORE "*\n!config.toml\n!commands/\n!commands/**\n!skills/\n!skills/**\n"
#define COPY_BYTES 65536
#define OLD_S (30L * 24 * 60 * 60)
#define ALL_MAX ((off_t)1 << 30)

/* In somebody's folder what root makes is his. */
static void
give(int in, int fd)
{
	struct stat st;

	if (geteuid() == 0 && fstat(in, &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, st.st_gid) < 0)
		errno = 0;	/* then it is ours, and good for us */
}

/* A folder of ours in dirfd, never through a link. */
static int
folder(int dirfd, const char *name)
{
	bool made = mkdirat(dirfd, name, 0700) == 0;
	int fd;

	if (!made && errno != EEXIST)
		return -1;
	fd = openat(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (made && fd >= 0)
		give(dirfd, fd);
	return fd;
}

static void
ignore_file(int hamr)
{
	int fd = openat(hamr, ".gitignore",
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	give(hamr, fd);
	file_write_all(fd, IGNORE, strlen(IGNORE));
	close(fd);
}

int
keep_hamr(int rootfd)
{
	int hamr = folder(rootfd, ".hamr"), out;

	if (hamr < 0)
		return -1;
	ignore_file(hamr);
	/* there before a sandbox is put up, to be seen in it */
	out = folder(hamr, "out");
	if (out >= 0)
		close(out);
	return hamr;
}

static int
open_out(int rootfd)
{
	int hamr = keep_hamr(rootfd), out;

	if (hamr < 0)
		return -1;
	out = folder(hamr, "out");
	close(hamr);
	return out;
}

/* ---- where the bytes go: into the hash, then into the file ---- */

struct sink {
	struct sha *sha;
	int fd;
	unsigned long long room;
	bool failed;
};

static void
put(struct sink *s, const char *p, size_t n)
{
	if (n > s->room)
		n = (size_t)s->room;
	s->room -= n;
	if (s->sha != NULL)
		sha_add(s->sha, p, n);
	else if (file_write_all(s->fd, p, n) < 0)
		s->failed = true;
}

static void
put_stream(struct sink *s, const struct output *o)
{
	struct buf b = BUF_INIT(2 * o->cap + COPY_BYTES);
	off_t at = 0;
	ssize_t n;

	if (o->spool < 0) {
		struct slice head = output_head(o);

		put(s, head.p, head.n);
		output_tail(o, &b);
		put(s, b.p != NULL ? b.p : "", b.len);
	} else {
		buf_reserve(&b, COPY_BYTES);
		while ((n = pread(o->spool, b.p, COPY_BYTES, at)) > 0) {
			put(s, b.p, (size_t)n);
			at += n;
		}
	}
	buf_release(&b);
}

static void
put_all(struct sink *s, const struct output *out, const struct output *err)
{
	s->room = OUTPUT_SPOOL_MAX;
	put_stream(s, out);
	if (err->total == 0)
		return;
	if (out->total > 0 && out->last != '\n')
		put(s, "\n", 1);
	put(s, "[stderr]\n", 9);
	put_stream(s, err);
}

/* ---- not for ever ---- */

/* The oldest file, and the size of all; false: there is none. */
static bool
oldest(int dir, off_t *total, time_t *when, char name[NAME_MAX + 1])
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;
	struct stat st;
	bool found = false;

	*total = 0;
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		*total += st.st_size;
		if (!found || st.st_mtime < *when) {
			*when = st.st_mtime;
			snprintf(name, NAME_MAX + 1, "%s", e->d_name);
		}
		found = true;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

/* Before another one: those go that are too old, or too much. */
static void
prune(int dir)
{
	char name[NAME_MAX + 1];
	off_t total;
	time_t when;

	while (oldest(dir, &total, &when, name) &&
	    (time(NULL) - when > OLD_S || total > ALL_MAX))
		if (unlinkat(dir, name, 0) < 0)
			break;
}

/* Written beside, then renamed; an equal one that is there is as good. */
static bool
store(int dir, const char *name, const struct output *out,
    const struct output *err)
{
	struct sink s = { .fd = -1 };
	char *tmp = xasprintf(".%s.part", name);
	/* the time of its last use counts */
	bool ok = faccessat(dir, name, R_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW) == 0;

	if (!ok) {
		unlinkat(dir, tmp, 0);
		s.fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (s.fd >= 0) {
		prune(dir);
		give(dir, s.fd);
		put_all(&s, out, err);
		ok = !s.failed && close(s.fd) == 0 &&
		    renameat(dir, tmp, dir, name) == 0;
		if (!ok)
			unlinkat(dir, tmp, 0);
	}
	free(tmp);
	return ok;
}

char *
keep_output(int rootfd, const struct output *out, const struct output *err)
{
	struct sink s = { .fd = -1 };
	char hex[SHA_HEX], *name, *path = NULL;
	int dir;

	if (out->failed || err->failed)
		return NULL;
	dir = open_out(rootfd);
	if (dir < 0)
		return NULL;
	s.sha = sha_new();
	put_all(&s, out, err);
	sha_hex(s.sha, hex);
	sha_free(s.sha);
	name = xasprintf("%.12s.txt", hex);
	if (store(dir, name, out, err))
		path = xasprintf(".hamr/out/%s", name);
	free(name);
	close(dir);
	return path;
}
