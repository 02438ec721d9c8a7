/* folders.c - temporary folders, of one process and of one session. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/sha.h"

#include "internal.h"

#define TEMP_PREFIX "hamr-box-"
#define SESSION_PREFIX "hamr-tmp-"
#define IDLE_S (24 * 60 * 60)	/* a session's /tmp is kept this long */
#define TRIES 10
#define DEPTH_MAX 4096
#define LEVELS 256		/* removed at once */

/* ---- remove, recursively ---- */

/* Remove name in at.  True: what is too deep went to the folder top. */
static bool
remove_levels(int top, int at, const char *name, int depth)
{
	bool moved = false;
	struct dirent *e;
	struct stat st;

	if (unlinkat(at, name, 0) == 0 ||
	    unlinkat(at, name, AT_REMOVEDIR) == 0)
		return false;
	DIR *d = file_opendir(at, name);
	if (d == NULL && errno == EACCES &&
	    fchmodat(at, name, 0700, 0) == 0)
		d = file_opendir(at, name);
	if (d == NULL)
		return false;
	(void)!fchmod(dirfd(d), 0700);	/* not ours: at worst it stays */
	if (depth < LEVELS) {
		while ((e = file_readdir(d)) != NULL)
			moved |= remove_levels(top, dirfd(d), e->d_name,
			    depth + 1);
	} else if (fstat(dirfd(d), &st) == 0) {
		char *away = xasprintf("deep.%ju", (uintmax_t)st.st_ino);

		moved = renameat(at, name, top, away) == 0;
		free(away);
	}
	file_closedir(d);
	unlinkat(at, name, AT_REMOVEDIR);
	return moved;
}

/* Every level takes a descriptor, so not all are entered at once. */
void
folders_remove(int at, const char *name)
{
	int top = root_open_folder(at, name);

	while (remove_levels(top, at, name, 0))
		;
	file_close(top);
}

/* Is there anything but folders?  A folder that cannot be read counts. */
static bool
holds_files(int at, const char *name, int depth)
{
	DIR *d = depth < DEPTH_MAX ? file_opendir(at, name) : NULL;
	struct dirent *e;
	bool found = d == NULL;

	while (!found && (e = file_readdir(d)) != NULL)
		found = holds_files(dirfd(d), e->d_name, depth + 1);
	file_closedir(d);
	return found;
}

/* ---- our own folders ---- */

/* TMPDIR, /tmp or /var/tmp: the first that we can write.  Not a folder where a
 * command, or another user (who can write or owns it and it is not sticky),
 * could replace what bubblewrap binds by a link. */
static const char *
base_folder(struct sandboxes *bs)
{
	const char *const places[] = { getenv("TMPDIR"), "/tmp", "/var/tmp" };

	for (size_t i = 0; i < 3 && bs->base == NULL; i++) {
		const char *place = places[i];
		char *real = place != NULL && place[0] == '/' ?
		    realpath(place, NULL) : NULL;
		struct stat st;

		if (real != NULL && stat(real, &st) == 0 &&
		    S_ISDIR(st.st_mode) && ((st.st_mode & S_ISVTX) != 0 ||
		    ((st.st_mode & 02) == 0 &&
		    (st.st_uid == geteuid() || st.st_uid == 0))) &&
		    access(real, W_OK) == 0 &&
		    !sandboxes_may_change(bs, real))
			bs->base = real;
		else
			free(real);
	}
	if (bs->base == NULL)
		bs->base = xstrdup("/tmp");
	return bs->base;
}

/* The user we work for must be able to pass through, not to list it. */
static mode_t
folder_mode(const struct sandboxes *bs)
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
give(const struct sandboxes *bs, int dirfd, const char *name)
{
	return !bs->switched || fchownat(dirfd, name, bs->uid, bs->gid,
	    AT_SYMLINK_NOFOLLOW) == 0;
}

char *
folders_make(const struct sandboxes *bs, const char *name)
{
	char *path = xasprintf("%s/%s", bs->temp, name);

	if ((mkdir(path, 0700) < 0 && errno != EEXIST) ||
	    !give(bs, AT_FDCWD, path)) {
		free(path);
		return NULL;
	}
	return path;
}

/* Make name in dirfd a folder (or a file) of the user we work for, and not a
 * link.  Whatever else is in its place is removed.  An O_PATH fd, or -1. */
static int
make_own(const struct sandboxes *bs, int dirfd, const char *name, bool folder)
{
	for (int i = 0; i < 2; i++) {
		int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		struct stat st;
		char self[64];

		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == bs->uid &&
		    (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode))) {
			snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
			if (folder)	/* the command finds out */
				(void)!chmod(self, 0700);
			return fd;
		}
		if (fd >= 0) {
			close(fd);
			folders_remove(dirfd, name);
		}
		if (i > 0)
			break;
		fd = folder ? mkdirat(dirfd, name, 0700) : openat(dirfd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
		if (fd >= 0 && !folder)
			close(fd);
		if (fd < 0 || !give(bs, dirfd, name))
			break;
	}
	return -1;
}

bool
folders_make_path(const struct sandboxes *bs, const char *path)
{
	int at = open(bs->tmp, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool folder = stat(path, &st) != 0 || S_ISDIR(st.st_mode);

	path += strspn(path + strlen("/tmp"), "/") + strlen("/tmp");
	while (at >= 0 && *path != '\0') {
		size_t n = strcspn(path, "/");
		char *name = xmemdup0(path, n);

		path += n + strspn(path + n, "/");
		int next = make_own(bs, at, name, *path != '\0' || folder);
		free(name);
		close(at);
		at = next;
	}
	file_close(at);
	return at >= 0;
}

/* Make, open and lock a folder: an fd with a shared lock, or -1 if it is not
 * ours, or another process that starts removes it as left over. */
static int
open_locked(const struct sandboxes *bs, const char *path)
{
	struct stat st, now;

	if (mkdir(path, folder_mode(bs)) < 0 && errno != EEXIST)
		return -1;
	int fd = root_open_folder(AT_FDCWD, path);
	if (fd >= 0 && fstat(fd, &st) == 0 && is_ours(&st) &&
	    (flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
	    lstat(path, &now) == 0 && is_same_file(&now, &st) &&
	    fchmod(fd, folder_mode(bs)) == 0 && futimens(fd, NULL) == 0)
		return fd;
	file_close(fd);
	return -1;
}

static bool
make_temp(struct sandboxes *bs)
{
	for (int i = 0; i < TRIES && bs->lock < 0; i++) {
		free(bs->temp);
		bs->temp = xasprintf("%s/" TEMP_PREFIX "XXXXXX",
		    base_folder(bs));
		if (mkdtemp(bs->temp) == NULL)
			break;
		bs->lock = open_locked(bs, bs->temp);
	}
	/* bound over what is hidden: a file that nobody can read */
	int fd = openat(bs->lock, "none", O_WRONLY | O_CREAT | O_EXCL |
	    O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	close(fd);
	return mkdirat(bs->lock, "none.d", 0) == 0;
}

/* ---- the folder of a session ---- */

/* A hash of the root and the id, as the id may be any text. */
static char *
session_path(struct sandboxes *bs)
{
	char *all = xasprintf("%s\n%s", bs->root.real, bs->session);
	char hex[SHA_HEX], *path;

	sha256_hex(all, strlen(all), hex);
	path = xasprintf("%s/" SESSION_PREFIX "%.16s", base_folder(bs), hex);
	free(all);
	return path;
}

void
folders_open(struct sandboxes *bs)
{
	DIR *d = opendir(base_folder(bs));
	struct dirent *e;
	struct stat st;

	while ((e = file_readdir(d)) != NULL) {
		/* what a killed process left; a session may come back */
		bool session = slice_starts(slice_of(e->d_name),
		    SESSION_PREFIX);
		int old = session || slice_starts(slice_of(e->d_name),
		    TEMP_PREFIX) ? root_open_folder(dirfd(d), e->d_name) : -1;
		/* remove it if nobody holds its lock */
		if (old >= 0 && fstat(old, &st) == 0 && is_ours(&st) &&
		    (!session || llabs(time(NULL) - st.st_mtime) > IDLE_S) &&
		    flock(old, LOCK_EX | LOCK_NB) == 0)
			folders_remove(dirfd(d), e->d_name);
		file_close(old);
	}
	file_closedir(d);
	int fd = -1;
	bool good = make_temp(bs);
	if (good && bs->session != NULL) {
		char *path = session_path(bs);

		bs->session_fd = open_locked(bs, path);
		if (bs->session_fd >= 0)
			fd = make_own(bs, bs->session_fd, "tmp", true);
		if (fd >= 0) {
			bs->tmp = xasprintf("%s/tmp", path);
			close(fd);
		}
		free(path);
	}
	if (good && bs->tmp == NULL)
		bs->tmp = folders_make(bs, "tmp");
	if (bs->tmp == NULL && bs->temp != NULL) {
		folders_remove(AT_FDCWD, bs->temp);
		free(bs->temp);
		bs->temp = NULL;
	}
}

void
folders_close(struct sandboxes *bs)
{
	char *path = bs->session != NULL && bs->root.fd >= 0 ?
	    session_path(bs) : NULL;

	if (path != NULL && bs->session_fd < 0 && bs->ended &&
	    access(path, F_OK) == 0)
		bs->session_fd = open_locked(bs, path);
	if (path != NULL && bs->session_fd >= 0) {
		futimens(bs->session_fd, NULL);
		/* if no other process has it open, remove it once the session
		 * has ended, or if there are no files in it */
		if (flock(bs->session_fd, LOCK_EX | LOCK_NB) == 0 &&
		    (bs->ended || !holds_files(bs->session_fd, "tmp", 0)))
			folders_remove(AT_FDCWD, path);
		close(bs->session_fd);
		bs->session_fd = -1;
	}
	free(path);
	if (bs->temp != NULL)
		folders_remove(AT_FDCWD, bs->temp);
	file_close(bs->lock);
	bs->lock = -1;
	FREE(bs->temp, bs->tmp);
	bs->temp = bs->tmp = NULL;
}
