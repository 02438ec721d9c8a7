/* takeback.c - files put back as they were, all of them or none.
 *
 * What shall go is renamed aside; what shall be there otherwise is first
 * linked aside, then replaced by a rename, so that a name never leads to
 * half a file.  At the end what stands aside is removed, or put back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "sha.h"

#include "files_in.h"
#include "replace.h"
#include "takeback.h"

#define CHUNK ((size_t)1 << 16)

struct takeback_step *
takeback_add(struct takeback *tb, const char *path)
{
	tb->v = xgrow(tb->v, tb->n, &tb->cap, sizeof *tb->v);
	tb->v[tb->n] = (struct takeback_step){ .path = xstrdup(path),
		.oid = "" };
	return &tb->v[tb->n++];
}

void
takeback_release(struct takeback *tb)
{
	for (size_t i = 0; i < tb->n; i++) {
		free(tb->v[i].path);
		free(tb->v[i].aside);
	}
	free(tb->v);
	*tb = (struct takeback){ 0 };
}

/* ---- what is there ---- */

bool
takeback_same_mode(mode_t a, mode_t b)
{
	return (a & S_IFMT) == (b & S_IFMT) &&
	    (!S_ISREG(a) || (a & 0100) == (b & 0100));
}

static void
hash_fd(int fd, char hex[SHA_HEX])
{
	char *chunk = xmalloc(CHUNK);
	struct sha *sha = sha_new();
	ssize_t n;

	while ((n = read(fd, chunk, CHUNK)) > 0)
		sha_add(sha, chunk, (size_t)n);
	sha_hex(sha, hex);
	sha_free(sha);
	free(chunk);
}

bool
takeback_is(const struct files *f, const char *path, const char *sha,
    mode_t mode)
{
	int fd = path_open(&f->root, path, O_PATH | O_NOFOLLOW);
	char hex[SHA_HEX] = "", target[PATH_TEXT_MAX + 1];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return sha[0] == '\0' && (errno == ENOENT ||
		    errno == ENOTDIR || errno == ELOOP);
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode)) {
		close(fd);
		return sha[0] == '\0';
	}
	if (S_ISLNK(st.st_mode)) {
		n = readlinkat(fd, "", target, sizeof target);
		sha256_hex(target, n > 0 ? (size_t)n : 0, hex);
	}
	close(fd);
	fd = S_ISREG(st.st_mode) ? path_open(&f->root, path, O_RDONLY) : -1;
	if (fd >= 0) {
		hash_fd(fd, hex);
		close(fd);
	}
	return sha[0] != '\0' && strcmp(hex, sha) == 0 &&
	    takeback_same_mode(st.st_mode, mode);
}

/* ---- one step ---- */

static int
fail(const char *path, struct err *e)
{
	char *name = path_name(path);

	err_sys(e, errno == EACCES || errno == EPERM ? ST_POLICY : ST_SYSTEM,
	    "%s cannot be put back", name);
	free(name);
	return -1;
}

/* What nobody has changed since gets its old mode.  Else only x, the one bit that
 * was compared, is taken back; the other bits are somebody's. */
static mode_t
mode_for(const struct takeback_step *s, const struct stat *old)
{
	mode_t now = old->st_mode & 07777;

	if (old->st_ino == 0 || old->st_mode == s->left)
		return s->mode & 07777;
	if ((s->mode & 0100) == 0)
		return now & ~(mode_t)0111;
	return (now & 0111) != 0 ? now : now | (now & 0444) >> 2;
}

/* Make the new thing under the name tmp. */
static int
make_new(const struct root *root, struct takeback_step *s, int dir,
    const char *base, char *tmp)
{
	struct stat old = { .st_ino = 0 };
	int fd, from, r = 0;

	if (S_ISLNK(s->mode)) {
		char *target = xmemdup0(s->text.p, s->text.n);

		fd = replace_temporary(dir, tmp);
		if (fd >= 0) {
			unlinkat(dir, tmp, 0);
			close(fd);
			r = symlinkat(target, dir, tmp);
			if (r == 0)
				r = replace_give(root, dir, tmp);
		}
		free(target);
		return fd < 0 ? -1 : r;
	}
	fd = replace_temporary(dir, tmp);
	if (fd < 0)
		return -1;
	from = openat(dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (from >= 0 && (fstat(from, &old) < 0 || !S_ISREG(old.st_mode)))
		old.st_ino = 0;
	r = file_write_all(fd, s->text.p, s->text.n);
	if (r == 0)
		r = old.st_ino != 0 ? replace_dress(from, fd, &old) :
		    replace_give(root, dir, tmp);
	if (r == 0)
		r = fchmod(fd, mode_for(s, &old));
	if (r == 0)
		r = fsync(fd);
	if (from >= 0)
		close(from);
	close(fd);
	return r;
}

/* Is there nothing but folders in this one, and files that stand aside?  With
 * drop they are removed, and it too. */
static bool
only_folders(int dir, const char *name, bool drop)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool good = d != NULL;
	struct dirent *e;

	if (d == NULL && fd >= 0)
		close(fd);
	while (good && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		if (strncmp(e->d_name, REPLACE_PREFIX,
		    sizeof REPLACE_PREFIX - 1) != 0)
			good = only_folders(fd, e->d_name, drop);
		else if (drop && unlinkat(fd, e->d_name, 0) < 0)
			only_folders(fd, e->d_name, drop);
	}
	if (d != NULL)
		closedir(d);
	if (good && drop)
		unlinkat(dir, name, AT_REMOVEDIR);
	return good;
}

/* A free name beside, for what is there now. */
static char *
free_name(int dir)
{
	char name[REPLACE_NAME];
	int fd = replace_temporary(dir, name);

	if (fd < 0)
		return NULL;
	unlinkat(dir, name, 0);
	close(fd);
	return xstrdup(name);
}

static int
do_removal(struct takeback_step *s, int dir, const char *base)
{
	s->aside = free_name(dir);
	return s->aside == NULL ? -1 : renameat(dir, base, dir, s->aside);
}

static int
do_putting(const struct root *root, struct takeback_step *s, int dir,
    const char *base)
{
	char tmp[REPLACE_NAME] = "";
	struct stat st;
	int no, r = make_new(root, s, dir, base, tmp);

	if (r == 0 && fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode) && !only_folders(dir, base, false)) {
			errno = ENOTEMPTY;
			r = -1;
		} else {
			s->aside = free_name(dir);
			r = s->aside == NULL ? -1 : S_ISDIR(st.st_mode) ?
			    renameat(dir, base, dir, s->aside) :
			    linkat(dir, base, dir, s->aside, 0);
		}
	}
	if (r == 0)
		r = renameat(dir, tmp, dir, base);
	if (r < 0 && tmp[0] != '\0') {
		no = errno;
		unlinkat(dir, tmp, 0);
		errno = no;
	}
	return r;
}

static int
step(struct files *f, struct takeback_step *s, struct err *e)
{
	struct fault fault = { 0 };
	const char *base;
	size_t made = 0;
	int dir, r;

	if (s->oid[0] != '\0' &&
	    replace_folders(&f->root, s->path, &made, &fault) < 0)
		return err_set(e, ST_SYSTEM, "%s", fault.err.text);
	dir = path_open_parent(&f->root, s->path, &base);
	if (dir < 0)
		/* what shall go may lie beneath what is a file by now */
		return s->oid[0] == '\0' && (errno == ENOENT ||
		    errno == ENOTDIR || errno == ELOOP) ? 0 : fail(s->path, e);
	if (s->oid[0] != '\0')
		r = do_putting(&f->root, s, dir, base);
	else
		r = do_removal(s, dir, base);
	/* a folder, or nothing, stood where nothing shall */
	if (r < 0 && s->oid[0] == '\0' && errno == ENOENT)
		r = 0;
	s->done = r == 0;
	if (r < 0)
		fail(s->path, e);
	else
		fsync(dir);
	close(dir);
	return r;
}

/* ---- all of them ---- */

static void
put_back(struct files *f, struct takeback_step *s)
{
	const char *base;
	int dir = s->done ? path_open_parent(&f->root, s->path, &base) : -1;

	if (dir < 0)
		return;
	if (s->aside != NULL)
		renameat(dir, s->aside, dir, base);
	else if (s->oid[0] != '\0')
		unlinkat(dir, base, 0);
	close(dir);
}

static void
drop_folders(struct files *f, const struct takeback_step *s)
{
	char *dir = xstrdup(s->path), *slash;

	for (int i = 0; i < s->folders; i++) {
		const char *base;
		int up;

		slash = strrchr(dir, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
		up = path_open_parent(&f->root, dir, &base);
		if (up < 0)
			break;
		/* what is in it was made later, and other folders are no loss */
		if (unlinkat(up, base, AT_REMOVEDIR) < 0 &&
		    only_folders(up, base, false))
			only_folders(up, base, true);
		close(up);
	}
	free(dir);
}

static void
clear_away(struct files *f, struct takeback_step *s)
{
	const char *base;
	int dir = path_open_parent(&f->root, s->path, &base);

	if (dir >= 0 && s->aside != NULL &&
	    unlinkat(dir, s->aside, 0) < 0 && errno == EISDIR)
		only_folders(dir, s->aside, true);
	if (dir >= 0)
		close(dir);
	if (s->oid[0] == '\0')
		drop_folders(f, s);
}

/* What goes comes first, the deepest first, then what comes. */
static int
by_order(const void *a, const void *b)
{
	const struct takeback_step *x = a, *y = b;
	bool goes = x->oid[0] == '\0', too = y->oid[0] == '\0';

	if (goes != too)
		return goes ? -1 : 1;
	return goes ? strcmp(y->path, x->path) : strcmp(x->path, y->path);
}

/* One that was killed has left what stood aside: away with it, before there is
 * any of ours. */
static void
sweep(struct files *f, const struct takeback *tb)
{
	size_t len = SIZE_MAX;

	for (size_t i = 0; i < tb->n; i++) {
		const char *path = tb->v[i].path, *base;
		const char *slash = strrchr(path, '/');
		size_t n = slash != NULL ? (size_t)(slash - path) : 0;
		int dir;

		if (n == len && strncmp(path, tb->v[i - 1].path, n) == 0)
			continue;	/* the same folder as before */
		len = n;
		dir = path_open_parent(&f->root, path, &base);
		if (dir >= 0) {
			replace_sweep(dir);
			close(dir);
		}
	}
}

int
takeback_do(struct files *f, struct takeback *tb, struct err *e)
{
	size_t i = 0;
	int r = 0;

	if (tb->n > 0)
		qsort(tb->v, tb->n, sizeof *tb->v, by_order);
	sweep(f, tb);
	while (i < tb->n && r == 0)
		r = step(f, &tb->v[i++], e);
	if (r == 0) {
		for (i = 0; i < tb->n; i++)
			clear_away(f, &tb->v[i]);
		return 0;
	}
	while (i-- > 0)
		put_back(f, &tb->v[i]);
	return -1;
}
