/* object.c - a content as one of git's objects, in a file of its own.
 *
 * git hash-object does the same, and takes a process for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "libc/so.h"

#include "internal.h"

#define TEMPORARY "tmp_obj_"	/* what is left of these is removed (prune.c) */

/* The bytes of the file. */
static int
compress_blob(struct slice content, struct buf *out)
{
	/* libz's function; NULL: it is not installed */
	static __typeof__(compress2) *compress;
	void *lib = compress == NULL ? SO_OPEN("libz.so.1") : NULL;
	struct buf whole = BUF_INIT(content.n + 64);
	uLongf n;
	int r = -1;

	if (lib != NULL)
		SO_FIND(compress, lib, compress2);
	errno = ELIBACC;
	buf_fmt(&whole, "blob %zu", content.n);
	buf_addc(&whole, '\0');
	buf_slice(&whole, content);
	/* zlib's compressBound */
	n = whole.len + (whole.len >> 12) + (whole.len >> 14) +
	    (whole.len >> 25) + 13;
	if (compress != NULL && buf_reserve(out, n) == 0 &&
	    compress((Bytef *)out->p, &n, (const Bytef *)whole.p, whole.len,
	    1) == Z_OK) {
		out->len = n;
		r = 0;
	}
	buf_release(&whole);
	return r;
}

/* A folder of ours in the folder at; made if need be. */
static int
open_folder(const struct snap *s, int at, const char *name, bool create)
{
	int fd;

	if (create && mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && create)
		snap_give(s, fd);
	return fd;
}

void
object_name(const struct snap *s, struct slice content,
    unsigned char oid[SHA_BYTES])
{
	sha_git(s->sha256, "blob", content.n > 0 ? content.p : "", content.n,
	    oid);
}

long long
object_size(const struct snap *s, const char *oid)
{
	char *path = xasprintf("objects/%.2s/%s", oid, oid[0] != '\0' ?
	    oid + 2 : "");
	struct stat st;
	bool there = fstatat(s->dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode);

	free(path);
	return there ? st.st_size : 0;
}

int
object_put(const struct snap *s, struct slice content,
    const unsigned char oid[SHA_BYTES])
{
	struct buf hex = BUF_INIT(SNAP_OID), bytes = BUF_INIT(GIT_OUT_MAX);
	char folder[3], tmp[64];
	int objects, dir = -1, fd = -1, r = -1;

	snap_hex(oid, snap_oid_len(s), &hex);
	snprintf(folder, sizeof folder, "%.2s", hex.p);
	objects = open_folder(s, s->dirfd, "objects", false);
	if (objects >= 0)
		dir = open_folder(s, objects, folder, true);
	if (dir >= 0 && faccessat(dir, hex.p + 2, F_OK, 0) == 0) {
		r = 0;
	} else if (dir >= 0 && compress_blob(content, &bytes) == 0) {
		snprintf(tmp, sizeof tmp, TEMPORARY "%ld", (long)getpid());
		unlinkat(dir, tmp, 0);
		fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0444);
	}
	/* the file whole, or not at all */
	if (fd >= 0) {
		snap_give(s, fd);
		r = file_write_all(fd, bytes.p, bytes.len);
		if (close(fd) < 0)
			r = -1;
		if (r == 0)
			r = renameat(dir, tmp, dir, hex.p + 2);
		if (r < 0)
			unlinkat(dir, tmp, 0);
	}
	file_close(dir);
	file_close(objects);
	bufs_release(BUFS(&hex, &bytes));
	return r;
}
