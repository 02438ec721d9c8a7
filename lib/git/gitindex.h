/* gitindex.h - git's index read, and written, as a file: what is tracked.
 *
 * Versions 2, 3 and 4, names of 20 or 32 bytes, split and sparse indexes.  The
 * bytes are not trusted: anything inconsistent is an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/mem.h"
#include "base/buf.h"
#include "base/err.h"

#define GITINDEX_MAX ((size_t)512 << 20)

struct gitindex_entry {
	const char *path;	/* ends with / for a folder (sparse index) */
	const unsigned char *oid;
	struct timespec mtime, ctime;	/* 32 bits of each number */
	uint32_t ino, mode, uid, gid, size;
	bool plain;		/* merged, and git compares it with the file */
};

struct gitindex {
	struct gitindex_entry *v;	/* by the bytes of their paths */
	size_t n, cap;
	size_t oid_len;		/* 20 or 32 */
	struct buf bytes, base;	/* of the file, and of the shared index it is
				 * split from */
	struct arena names;
};

/* Read DIR/index.  0: done (all zero if there is no such file); -1 with e: what
 * is tracked is unknown.  Release ix in either case. */
int gitindex_read(struct gitindex *ix, const char *dir, struct err *e);
/* The same for the bytes of an index that is not split.  Takes them over, and
 * leaves *bytes empty. */
int gitindex_parse(struct gitindex *ix, struct buf *bytes);
void gitindex_release(struct gitindex *ix);

/* Sort n plain entries, and append them as an index of version 2.  The caller
 * adds the hash of these bytes, which ends the file. */
void gitindex_print(struct gitindex_entry *v, size_t n, size_t oid_len,
    struct buf *out);

/* The path's own entry, or NULL. */
struct gitindex_entry *gitindex_find(const struct gitindex *ix,
    const char *path);
/* Is the path tracked, or, if it is a folder, anything in it? */
bool gitindex_has(const struct gitindex *ix, const char *path);
