/* replace.c - a file's content exchanged at once: old or new. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "replace.h"
#include "sha.h"

#define XATTR_MAX 65536		/* the kernel's own ceilings */
#define CHUNK ((size_t)1 << 16)

/* A new file of ours in the folder, whatever stands there; -1 with errno.  Its
 * lock tells who sweeps that its maker lives. */
static int
open_new(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	flock(fd, LOCK_EX | LOCK_NB);
	if (fstat(fd, &st) == 0 && st.st_nlink > 0)
		return fd;
	close(fd);		/* swept before it was locked */
	errno = EEXIST;
	return -1;
}

int
replace_temporary(int dir, char name[REPLACE_NAME])
{
	for (int tries = 0; tries < 100; tries++) {
		unsigned long long id;
		int fd;

		if (getrandom(&id, sizeof id, 0) != sizeof id)
			return -1;
		snprintf(name, REPLACE_NAME, "%s%016llx", REPLACE_PREFIX, id);
		fd = open_new(dir, name);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Remove a temporary whose maker is gone. */
static void
sweep_one(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(dir, name, 0);
	close(fd);
}

/* The temporary of this file has one name, so that what a killed process left
 * is found without a look at the folder.  While somebody has that one, any. */
static int
temporary_for(int dir, const char *base, char name[REPLACE_NAME])
{
	char hex[SHA_HEX];
	int fd;

	sha256_hex(base, strlen(base), hex);
	snprintf(name, REPLACE_NAME, "%s%.16s", REPLACE_PREFIX, hex);
	sweep_one(dir, name);
	fd = open_new(dir, name);
	return fd >= 0 || errno != EEXIST ? fd : replace_temporary(dir, name);
}

void
replace_sweep(int dir)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *e;

	if (d == NULL) {
		if (again >= 0)
			close(again);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, REPLACE_PREFIX,
		    sizeof REPLACE_PREFIX - 1) == 0)
			sweep_one(dir, e->d_name);
	closedir(d);
}

/* Copy one extended attribute.  What the system keeps for itself (labels,
 * capabilities) is set by the system; all others must stay. */
static int
copy_xattr(int from, int to, const char *name)
{
	char *value = xmalloc(XATTR_MAX);
	ssize_t n = fgetxattr(from, name, value, XATTR_MAX);
	int r = 0;

	if (n < 0)
		r = errno == ENODATA ? 0 : -1;
	else if (fsetxattr(to, name, value, (size_t)n, 0) < 0)
		r = -1;
	free(value);
	if (r < 0 && (strncmp(name, "security.", 9) == 0 ||
	    strncmp(name, "trusted.", 8) == 0))
		r = 0;
	return r;
}

static int
copy_xattrs(int from, int to)
{
	char *names = xmalloc(XATTR_MAX);
	ssize_t n = flistxattr(from, names, XATTR_MAX);
	int r = n < 0 && errno != ENOTSUP ? -1 : 0;

	for (ssize_t i = 0; i < n && r == 0;
	    i += (ssize_t)strlen(names + i) + 1)
		r = copy_xattr(from, to, names + i);
	free(names);
	return r;
}

/* Owner first: a change of owner takes set-uid bits away. */
static int
keep_owner(int to, const struct stat *was)
{
	struct stat st;

	if (fstat(to, &st) < 0)
		return -1;
	return st.st_uid == was->st_uid && st.st_gid == was->st_gid ? 0 :
	    fchown(to, was->st_uid, was->st_gid);
}

int
replace_dress(int from, int to, const struct stat *was)
{
	return keep_owner(to, was) < 0 ||
	    fchmod(to, was->st_mode & 07777) < 0 ||
	    copy_xattrs(from, to) < 0 ? -1 : 0;
}

/* The same, in words. */
static int
dress(int from, int to, const struct stat *was, const char *rel,
    struct fault *f)
{
	if (keep_owner(to, was) < 0)
		return fault_set(f, "denied", "the owner or group of "
		    "the file cannot be kept; it was not changed");
	if (fchmod(to, was->st_mode & 07777) < 0)
		return fault_sys(f, "its mode cannot be kept", rel);
	if (copy_xattrs(from, to) < 0)
		return fault_sys(f, "its extended attributes cannot be kept",
		    rel);
	return 0;
}

static bool
same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Is the content at fd still old?  (Two writes in one tick of the clock have
 * one mtime, so that alone does not tell.) */
static bool
holds(int fd, struct slice old)
{
	char *chunk = xmalloc(CHUNK);
	size_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, CHUNK, (off_t)at)) > 0) {
		if ((size_t)n > old.n - at ||
		    memcmp(chunk, old.p + at, (size_t)n) != 0)
			break;
		at += (size_t)n;
	}
	free(chunk);
	return n == 0 && at == old.n;
}

/* The name still leads to what was read. */
static int
unchanged(int dir, const char *base, int fd, const struct stat *was,
    struct slice old, struct fault *f)
{
	struct stat st;

	if (holds(fd, old) &&
	    fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    same(&st, was))
		return 0;
	return fault_set(f, "not_read", "the file was changed by somebody "
	    "else meanwhile; read it again, then edit");
}

static int
fill(int fd, struct slice text, const char *rel, struct fault *f)
{
	if (file_write_all(fd, text.p, text.n) < 0 || fsync(fd) < 0)
		return fault_sys(f, "cannot be written", rel);
	return 0;
}

int
replace_file(const struct root *root, const char *rel, int fd,
    const struct stat *was, struct slice old, struct slice text,
    struct fault *f)
{
	char name[REPLACE_NAME];
	const char *base;
	int dir = path_open_parent(root, rel, &base), tmp = -1, r = -1;

	if (dir < 0)
		return fault_sys(f, "cannot be written", rel);
	if (faccessat(dir, base, W_OK, AT_EACCESS) < 0) {
		fault_sys(f, "cannot be written", rel);
		goto out;
	}
	tmp = temporary_for(dir, base, name);
	if (tmp < 0) {
		fault_sys(f, "cannot be written", rel);
		goto out;
	}
	r = fill(tmp, text, rel, f);
	if (r == 0)
		r = dress(fd, tmp, was, rel, f);
	if (r == 0 && fsync(tmp) < 0)
		r = fault_sys(f, "cannot be written", rel);
	if (r == 0)
		r = unchanged(dir, base, fd, was, old, f);
	if (r == 0 && renameat(dir, name, dir, base) < 0)
		r = fault_sys(f, "cannot be written", rel);
	if (r < 0)
		unlinkat(dir, name, 0);
	else
		fsync(dir);
out:
	if (tmp >= 0)
		close(tmp);
	close(dir);
	return r;
}

/* ---- new files ---- */

int
replace_give(const struct root *root, int dir, const char *name)
{
	struct stat st;

	if (geteuid() != 0 || fstat(root->fd, &st) < 0 || st.st_uid == 0)
		return 0;
	return fchownat(dir, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
}

/* Make every missing folder of rel; *made is the first made one's length in
 * rel, 0 when all were there. */
int
replace_folders(const struct root *root, const char *rel, size_t *made,
    struct fault *f)
{
	const char *slash = rel;

	*made = 0;
	while ((slash = strchr(slash, '/')) != NULL) {
		char *dir = xmemdup0(rel, (size_t)(slash - rel));
		const char *base;
		int up = path_open_parent(root, dir, &base);
		int r = up < 0 ? -1 : mkdirat(up, base, 0777);
		int no;

		if (r == 0)
			r = replace_give(root, up, base);
		no = errno;
		if (r == 0 && *made == 0)
			*made = (size_t)(slash - rel);
		if (r == 0)
			fsync(up);
		if (up >= 0)
			close(up);
		errno = no;
		if (r < 0 && errno != EEXIST) {
			fault_sys(f, "the folder cannot be made", dir);
			free(dir);
			return -1;
		}
		free(dir);
		slash++;
	}
	return 0;
}

/* Take back what replace_folders made; a folder somebody uses by now stays. */
static void
drop_folders(const struct root *root, const char *rel, size_t made)
{
	char *dir = xstrdup(rel);
	char *slash;

	while (made > 0 && (slash = strrchr(dir, '/')) != NULL) {
		const char *base;
		int up;

		*slash = '\0';
		if (strlen(dir) < made)
			break;
		up = path_open_parent(root, dir, &base);
		if (up < 0)
			continue;
		unlinkat(up, base, AT_REMOVEDIR);
		close(up);
	}
	free(dir);
}

/* Give the temporary its name unless something has it; where the file system
 * knows no such rename, by a link. */
static int
settle(int dir, const char *name, const char *base)
{
	if (renameat2(dir, name, dir, base, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (linkat(dir, name, dir, base, 0) < 0)
		return -1;
	unlinkat(dir, name, 0);
	return 0;
}

static int
make_file(const struct root *root, int dir, const char *base,
    struct slice text, const char *rel, struct fault *f)
{
	char name[REPLACE_NAME];
	mode_t mask = umask(0);
	int fd, r;

	umask(mask);
	fd = temporary_for(dir, base, name);
	if (fd < 0)
		return fault_sys(f, "cannot be made", rel);
	r = fill(fd, text, rel, f);
	if (r == 0 && (replace_give(root, dir, name) < 0 ||
	    fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0))
		r = fault_sys(f, "cannot be made", rel);
	if (r == 0 && settle(dir, name, base) < 0)
		r = errno == EEXIST ? fault_set(f, "exists",
		    "the file was made by somebody else meanwhile") :
		    fault_sys(f, "cannot be made", rel);
	if (r < 0)
		unlinkat(dir, name, 0);
	else
		fsync(dir);
	close(fd);
	return r;
}

int
replace_make(const struct root *root, const char *rel, struct slice text,
    struct fault *f)
{
	const char *base;
	size_t made;
	int dir, r;

	r = replace_folders(root, rel, &made, f);
	if (r == 0) {
		dir = path_open_parent(root, rel, &base);
		if (dir < 0)
			r = fault_sys(f, "cannot be made", rel);
		else {
			r = make_file(root, dir, base, text, rel, f);
			close(dir);
		}
	}
	if (r < 0)
		drop_folders(root, rel, made);
	return r;
}
