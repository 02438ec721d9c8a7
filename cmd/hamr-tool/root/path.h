/* path.h - names beneath the root: what a path means, and how it is opened.
 *
 * A path from outside is first resolved: its links are followed by hand,
 * beneath the root only, which yields the one true name (relative, without
 * links, "." or "..").  Policy judges that name, proofs are kept under it, and
 * it is what we open; the kernel refuses it (openat2) if somebody has put a
 * link in its way meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

#define PATH_TEXT_MAX 4096	/* bytes of a path from outside */

/* Why a call failed: a code of the closed list, and one line of words. */
struct fault {
	const char *code;	/* NULL: it did not */
	struct err err;		/* the words */
};

/* Fill *f, which may be NULL, and return -1. */
int fault_set(struct fault *f, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same from errno: storage_full, denied, not_found... */
int fault_sys(struct fault *f, const char *what, const char *rel);

struct root {
	int fd;			/* O_PATH of the folder */
	char *real;		/* without links */
};

int root_open(struct root *r, const char *dir, struct err *e);
void root_close(struct root *r);
/* Does its name still lead to this folder?  Tools use the open folder, commands
 * its name. */
bool root_is_there(const struct root *r);

/* Open .hamr of the root, never through a link; it, its .gitignore and out/ are
 * made if needed.  An fd, or -1 with errno. */
int root_hamr(int rootfd);
/* Open a folder in dirfd, never through a link: made if needed, or an existing
 * one only.  An fd, or -1 with errno. */
int root_folder(int dirfd, const char *name);
int root_open_folder(int dirfd, const char *name);

struct path {
	char *rel;		/* the true name; "" is the root itself */
	char *name;		/* the same as people read it (path_name) */
	bool exists;
	struct stat st;		/* when it exists; never a link */
	struct texts links;	/* true names of those that led to it */
};

/* What text means.  0, or -1 with f: bad_arguments (too long), denied
 * (outside), not_found (a / after what is not a folder).  A last part that
 * does not exist is not an error: exists is false. */
int path_find(const struct root *r, struct slice text, struct path *p,
    struct fault *f);
void path_release(struct path *p);

/* Open a true name; no link is followed, not even in the middle.  A
 * descriptor (close-on-exec, never blocking), or -1 with errno. */
int path_open(const struct root *r, const char *rel, int flags);
/* Open the folder that holds a true name; *base is the name's last part. */
int path_open_parent(const struct root *r, const char *rel, const char **base);

/* Change the mode of a true name; a link has none.  0, or -1. */
int path_chmod(const struct root *r, const char *rel, mode_t mode);

/* Are these the same inode on the same device? */
static inline bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* A time in ns.  Files may have a time in any year: it wraps, by unsigned
 * arithmetic. */
static inline int64_t
time_ns(struct timespec t)
{
	return (int64_t)((uint64_t)t.tv_sec * 1000000000 +
	    (uint64_t)t.tv_nsec);
}

/* When the file name in dir ("": dir itself) was made; 0: unknown. */
int64_t file_birth_time(int dir, const char *name);

/* Remember a file by what it keeps when it is renamed: its inode, which may be
 * reused, and when it was made.  Is the one with this inode remembered? */
void file_remember(struct map *m, int dir, const char *name);
bool file_is_known(const struct map *m, int dir, const char *name, ino_t ino);

/* A name as people read it: itself, or a JSON string when it holds control
 * bytes or bad UTF-8; "." for the root.  The caller frees it. */
char *path_name(const char *rel);
/* The same, appended; and a true name as a JSON string, as UTF-8. */
void path_show(struct buf *out, const char *rel);
void path_quote(struct buf *out, const char *rel);
