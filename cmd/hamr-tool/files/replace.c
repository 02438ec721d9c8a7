/* replace.c - replace a file atomically: it is old or new. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "replace.h"

#define XATTR_MAX 65536		/* the kernel's own limits */
#define CHUNK ((size_t)1 << 16)

void
replace_name(char name[REPLACE_NAME])
{
	unsigned long long id = 0;

	/* so few bytes it gives at once, and whole */
	(void)!getrandom(&id, sizeof id, 0);
	snprintf(name, REPLACE_NAME, "%s%016llx", REPLACE_PREFIX, id);
}

int
replace_temporary(int dir, char name[REPLACE_NAME])
{
	struct stat st;

	for (;;) {
		replace_name(name);
		int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		/* tells a sweep that its maker is alive */
		flock(fd, LOCK_EX | LOCK_NB);
		if (fstat(fd, &st) == 0 && st.st_nlink > 0)
			return fd;
		close(fd);	/* it was swept before we locked it */
	}
}

bool
replace_is_temporary(const char *base)
{
	return strncmp(base, REPLACE_PREFIX, sizeof REPLACE_PREFIX - 1) == 0;
}

void
replace_sweep(int dir, bool alone)
{
	DIR *d = file_opendir(dir, ".");
	struct dirent *e;

	while ((e = file_readdir(d)) != NULL) {
		if (!replace_is_temporary(e->d_name))
			continue;
		int fd = openat(dir, e->d_name, O_RDONLY | O_NOFOLLOW |
		    O_NONBLOCK | O_CLOEXEC);
		/* is its maker gone? */
		if ((fd >= 0 ? flock(fd, LOCK_EX | LOCK_NB) == 0 : alone &&
		    (errno == ELOOP || errno == EACCES)) &&
		    unlinkat(dir, e->d_name, 0) < 0 && errno == EISDIR && alone)
			unlinkat(dir, e->d_name, AT_REMOVEDIR);
		file_close(fd);
	}
	file_closedir(d);
}

static const char owner_lost[] = "the owner or group of the file cannot be "
    "kept; it was not changed";

/* Owner first: a change of owner clears set-uid bits.  The system itself sets
 * its own extended attributes (labels, capabilities), so copying those may
 * fail; all others must be kept. */
const char *
replace_copy_metadata(int from, int to, const struct stat *was)
{
	char *names;
	struct stat st;

	if (fstat(to, &st) < 0 || ((st.st_uid != was->st_uid ||
	    st.st_gid != was->st_gid) &&
	    fchown(to, was->st_uid, was->st_gid) < 0))
		return owner_lost;
	/* the one that it has from the folder's default */
	fremovexattr(to, "system.posix_acl_access");
	if (fchmod(to, was->st_mode & 07777) < 0)
		return "its mode cannot be kept";
	const char *name = names = xmalloc(XATTR_MAX);
	char *value = xmalloc(XATTR_MAX);
	ssize_t n = flistxattr(from, names, XATTR_MAX);
	int r = n < 0 && errno != ENOTSUP ? -1 : 0;
	for (; name < names + n && r == 0; name += strlen(name) + 1) {
		ssize_t len = fgetxattr(from, name, value, XATTR_MAX);
		if (len < 0 ? errno != ENODATA :
		    fsetxattr(to, name, value, (size_t)len, 0) < 0)
			r = strncmp(name, "security.", 9) == 0 ||
			    strncmp(name, "trusted.", 8) == 0 ? 0 : -1;
	}
	FREE(names, value);
	return r < 0 ? "its extended attributes cannot be kept" : NULL;
}

int
replace_chown(const struct root *root, int dir, const char *name)
{
	struct stat st;

	if (geteuid() != 0 || fstat(root->fd, &st) < 0 || st.st_uid == 0)
		return 0;
	return fchownat(dir, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
}

/* Remove the last n folders above rel, unless someone uses them by now. */
static void
drop_folders(const struct root *root, const char *rel, int n)
{
	char *dir = xstrdup(rel), *slash;
	const char *base;

	for (; n > 0 && (slash = strrchr(dir, '/')) != NULL; n--) {
		*slash = '\0';
		int up = path_open_parent(root, dir, &base);
		if (up >= 0)
			unlinkat(up, base, AT_REMOVEDIR);
		file_close(up);
	}
	free(dir);
}

int
replace_folders(const struct root *root, const char *rel, struct fault *f)
{
	const char *slash = rel;
	int made = 0;

	while ((slash = strchr(slash, '/')) != NULL) {
		char *dir = xmemdup0(rel, (size_t)(slash - rel));
		const char *base;
		int up = path_open_parent(root, dir, &base);
		int r = up < 0 ? -1 : mkdirat(up, base, 0777);

		if (r == 0)
			r = replace_chown(root, up, base);
		int no = errno;
		made += r == 0;
		if (r == 0)
			fsync(up);
		file_close(up);
		errno = no;
		if (r < 0 && errno != EEXIST) {
			fault_sys(f, "cannot create the folder", dir);
			drop_folders(root, dir, made);
			free(dir);
			return -1;
		}
		free(dir);
		slash++;
	}
	return made;
}

/* Does the name still lead to what was read?  Compares the content too, as two
 * writes in one clock tick have the same mtime. */
static bool
is_unchanged(int dir, const char *base, int fd, const struct stat *was,
    struct slice old)
{
	char *chunk = xmalloc(CHUNK);
	struct stat st;
	size_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, CHUNK, (off_t)at)) > 0) {
		if ((size_t)n > old.n - at ||
		    memcmp(chunk, old.p + at, (size_t)n) != 0)
			break;
		at += (size_t)n;
	}
	free(chunk);
	return n == 0 && at == old.n &&
	    fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_same_file(&st, was) && st.st_size == was->st_size &&
	    time_ns(st.st_mtim) == time_ns(was->st_mtim);
}

/* Rename the temporary to the new file, unless the name exists; by a link if
 * the file system does not support such a rename. */
static int
settle(const struct root *root, int dir, const char *name, const char *base,
    int tmp, const char *rel, struct fault *f)
{
	mode_t mask = umask(0);

	umask(mask);
	if (replace_chown(root, dir, name) < 0 ||
	    fchmod(tmp, 0666 & ~mask) < 0 || fsync(tmp) < 0)
		return fault_sys(f, "cannot be made", rel);
	int r = renameat2(dir, name, dir, base, RENAME_NOREPLACE);
	if (r < 0 && (errno == EINVAL || errno == ENOSYS)) {
		r = linkat(dir, name, dir, base, 0);
		if (r == 0)
			unlinkat(dir, name, 0);
	}
	return r == 0 ? 0 : errno == EEXIST ? fault_set(f, "exists",
	    "the file was made by somebody else meanwhile") :
	    fault_sys(f, "cannot be made", rel);
}

int
replace_file(const struct root *root, const char *rel, int fd,
    const struct stat *was, struct slice old, struct slice text,
    struct fault *f)
{
	const char *fails = fd >= 0 ? "cannot be written" : "cannot be made";
	int made = fd < 0 ? replace_folders(root, rel, f) : 0;
	const char *base;
	char name[REPLACE_NAME];
	int tmp = -1, r = -1;

	if (made < 0)
		return -1;
	int dir = path_open_parent(root, rel, &base);
	if (dir >= 0 && (fd < 0 || faccessat(dir, base, W_OK, AT_EACCESS) == 0))
		tmp = replace_temporary(dir, name);
	if (tmp < 0 || file_write_all(tmp, text.p, text.n) < 0) {
		fault_sys(f, fails, rel);
	} else if (fd < 0) {
		r = settle(root, dir, name, base, tmp, rel, f);
	} else {
		const char *lost = replace_copy_metadata(fd, tmp, was);
		if (lost == owner_lost)
			fault_set(f, "denied", "%s", lost);
		else if (lost != NULL || fsync(tmp) < 0)
			fault_sys(f, lost != NULL ? lost : fails, rel);
		else if (!is_unchanged(dir, base, fd, was, old))
			fault_set(f, "not_read", "the file was changed by "
			    "somebody else meanwhile; read it again, then "
			    "edit");
		else
			r = renameat(dir, name, dir, base) == 0 ? 0 :
			    fault_sys(f, fails, rel);
	}
	if (tmp >= 0 && r < 0)
		unlinkat(dir, name, 0);
	/* The folder's sync may take long.  A snapshot leaves out a file that
	 * is open for writing, and with it what a command wrote meanwhile. */
	file_close(tmp);
	if (r == 0)
		fsync(dir);
	file_close(dir);
	if (r < 0)
		drop_folders(root, rel, made);
	return r;
}
