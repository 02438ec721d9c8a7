/* box_tmp.c - folders for temporary things: of one process, of one session. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"
#include "sha.h"

#include "box_in.h"

#define TEMP_PREFIX "hamr-box-"
#define SESSION_PREFIX "hamr-tmp-"
#define IDLE_S (24 * 60 * 60)	/* a session's /tmp waits so long for it */
#define FRESH_PREFIX "hamr-new-"	/* until it is locked */
#define FRESH_S 60		/* which takes less than that */

/* ---- folders of ours ---- */

static const char *
base_folder(void)
{
	const char *t = getenv("TMPDIR");

	return t != NULL && t[0] == '/' ? t : "/tmp";
}

/* Who we work for must get through, not look in. */
static mode_t
folder_mode(const struct boxes *bs)
{
	return bs->switched ? 0711 : 0700;
}

static bool
is_ours(const struct stat *st)
{
	mode_t others = geteuid() == 0 ? 066 : 077;

	return S_ISDIR(st->st_mode) && st->st_uid == geteuid() &&
	    (st->st_mode & others) == 0;
}

static bool
own(const struct boxes *bs, int dirfd, const char *name)
{
	return !bs->switched || fchownat(dirfd, name, bs->uid, bs->gid,
	    AT_SYMLINK_NOFOLLOW) == 0;
}

char *
place_folder(struct boxes *bs, const char *name)
{
	char *path = xasprintf("%s/%s", bs->temp, name);

	if ((mkdir(path, 0700) < 0 && errno != EEXIST) ||
	    !own(bs, AT_FDCWD, path)) {
		free(path);
		return NULL;
	}
	return path;
}

/* Is fd a folder (a file) of who we work for? */
static bool
is_his(const struct boxes *bs, int fd, bool folder)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == bs->uid &&
	    (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
}

static bool
make_new(const struct boxes *bs, int dirfd, const char *name, bool folder)
{
	int fd = folder ? mkdirat(dirfd, name, 0700) : openat(dirfd, name,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0 && !folder)
		close(fd);
	return fd >= 0 && own(bs, dirfd, name);
}

/* name in dirfd: a folder (a file) of who we work for, not a link.  Whatever
 * else is in its place goes.  An fd for its path, or -1. */
static int
make_own(const struct boxes *bs, int dirfd, const char *name, bool folder)
{
	char self[64];
	int fd;

	for (int i = 0; i < 2; i++) {
		fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && is_his(bs, fd, folder)) {
			snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
			if (folder && chmod(self, 0700) < 0)
				errno = 0;	/* who needs it will say */
			return fd;
		}
		if (fd >= 0) {
			close(fd);
			place_remove_in(dirfd, name);
		}
		if (i == 0 && !make_new(bs, dirfd, name, folder))
			return -1;
	}
	return -1;
}

/* How many seconds a folder of this name stays when nobody holds its lock; -1:
 * it is none of ours.  A session may want its own again. */
static long
stays(const char *name)
{
	static const struct {
		const char *prefix;
		long s;
	} rows[] = { { TEMP_PREFIX, 0 }, { FRESH_PREFIX, FRESH_S },
		{ SESSION_PREFIX, IDLE_S } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].s;
	return -1;
}

/* What was left by a kill goes. */
static void
sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		long s = stays(e->d_name);
		struct stat st;
		int fd;

		if (s < 0)
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && is_ours(&st) &&
		    (s == 0 || llabs(time(NULL) - st.st_mtime) > s) &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0)
			place_remove_in(dirfd(d), e->d_name);
		close(fd);
	}
	if (d != NULL)
		closedir(d);
}

/* ---- that of this process ---- */

/* What is bound over a thing that is hidden: nobody can read it. */
static bool
make_nothing(const struct boxes *bs)
{
	char *file = xasprintf("%s/none", bs->temp);
	char *dir = xasprintf("%s/none.d", bs->temp);
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	bool good = fd >= 0 && mkdir(dir, 0) == 0;

	if (fd >= 0)
		close(fd);
	free(file);
	free(dir);
	return good;
}

/* Locked before it has its name: others that start take one that is not for
 * left over. */
static bool
make_temp(struct boxes *bs)
{
	char *fresh = xasprintf("%s/" FRESH_PREFIX "XXXXXX", base_folder());
	char *named;

	if (mkdtemp(fresh) == NULL) {
		free(fresh);
		return false;
	}
	bs->lock = open(fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (bs->lock >= 0)
		flock(bs->lock, LOCK_SH | LOCK_NB);
	named = xasprintf("%s/" TEMP_PREFIX "%s", base_folder(),
	    fresh + strlen(fresh) - strlen("XXXXXX"));
	/* an overlay may refuse; then it goes by the name that it has */
	if (rename(fresh, named) < 0) {
		free(named);
		named = xstrdup(fresh);
	}
	free(fresh);
	bs->temp = named;
	if (chmod(bs->temp, folder_mode(bs)) < 0)
		errno = 0;
	return make_nothing(bs);
}

/* ---- that of a session ---- */

/* Of this root and this id, which is anybody's text. */
static char *
session_path(const struct boxes *bs)
{
	char *all = xasprintf("%s\n%s", bs->root.real, bs->session);
	char hex[SHA_HEX], *path;

	sha256_hex(all, strlen(all), hex);
	path = xasprintf("%s/" SESSION_PREFIX "%.16s", base_folder(), hex);
	free(all);
	return path;
}

/* An fd of it, with a shared lock on it, or -1: it is nobody else's work. */
static int
session_open(const struct boxes *bs, const char *path)
{
	struct stat st, now;
	int fd;

	if (mkdir(path, folder_mode(bs)) < 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && is_ours(&st) &&
	    flock(fd, LOCK_SH | LOCK_NB) == 0 && lstat(path, &now) == 0 &&
	    now.st_ino == st.st_ino && now.st_dev == st.st_dev &&
	    fchmod(fd, folder_mode(bs)) == 0 && futimens(fd, NULL) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static char *
session_tmp(struct boxes *bs)
{
	char *path, *tmp = NULL;
	int fd;

	if (bs->session == NULL)
		return NULL;
	path = session_path(bs);
	bs->session_fd = session_open(bs, path);
	fd = bs->session_fd >= 0 ? make_own(bs, bs->session_fd, "tmp", true) :
	    -1;
	if (fd >= 0) {
		tmp = xasprintf("%s/tmp", path);
		close(fd);
	}
	free(path);
	return tmp;
}

/* Nobody has it open but we: it goes when the session has ended, or when there
 * is nothing in it. */
static void
session_leave(struct boxes *bs)
{
	char *path;

	if (bs->session == NULL)
		return;
	path = session_path(bs);
	if (bs->session_fd < 0 && bs->ended && access(path, F_OK) == 0)
		bs->session_fd = session_open(bs, path);
	if (bs->session_fd >= 0) {
		futimens(bs->session_fd, NULL);
		if (flock(bs->session_fd, LOCK_EX | LOCK_NB) == 0 &&
		    (bs->ended || !place_holds_files(bs->session_fd, "tmp")))
			place_remove(path);
		close(bs->session_fd);
		bs->session_fd = -1;
	}
	free(path);
}

/* ---- both ---- */

void
tmp_open(struct boxes *bs)
{
	sweep(base_folder());
	if (make_temp(bs)) {
		bs->tmp = session_tmp(bs);
		if (bs->tmp == NULL)
			bs->tmp = place_folder(bs, "tmp");
	}
	if (bs->tmp == NULL && bs->temp != NULL) {
		place_remove(bs->temp);
		free(bs->temp);
		bs->temp = NULL;
	}
}

void
tmp_close(struct boxes *bs)
{
	session_leave(bs);
	if (bs->temp != NULL)
		place_remove(bs->temp);
	if (bs->lock >= 0)
		close(bs->lock);
	bs->lock = -1;
	free(bs->temp);
	free(bs->tmp);
	bs->temp = bs->tmp = NULL;
}

bool
tmp_way(const struct boxes *bs, const char *path)
{
	int at = open(bs->tmp, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool folder = stat(path, &st) != 0 || S_ISDIR(st.st_mode);

	path += strspn(path + strlen("/tmp"), "/") + strlen("/tmp");
	while (at >= 0 && *path != '\0') {
		size_t n = strcspn(path, "/");
		char *name = xmemdup0(path, n);
		int next;

		path += n + strspn(path + n, "/");
		next = make_own(bs, at, name, *path != '\0' || folder);
		free(name);
		close(at);
		at = next;
	}
	if (at >= 0)
		close(at);
	return at >= 0;
}
