/* conf_repo.c - the repository's own file, which is not trusted. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "file.h"
#include "mem.h"
#include "sha.h"
#include "conf_impl.h"

#define DEPTH_MAX 16		/* of folders in commands and skills */
#define ALL_MAX ((size_t)16 << 20)	/* of their names and hashes */

/* Why the file open at fd is not to be read, NULL if it is. */
static const char *
unfit(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "no regular file";
	if (geteuid() != 0 && st.st_uid != geteuid())
		return "it belongs to somebody else";
	return NULL;
}

/* Open .hamr/config.toml below root without following a link in either
 * place, and without waiting for a FIFO.  -1 with errno. */
static int
open_below(const char *root, int *dir)
{
	char *path = xasprintf("%s/.hamr", root);

	*dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (*dir < 0)
		return -1;
	return openat(*dir, "config.toml",
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int
conf_repo_open(struct repo_file *f, const char *dir, struct err *e)
{
	char *root = realpath(dir, NULL);
	int r = 0;

	*f = (struct repo_file){ .fd = -1, .dir = -1 };
	if (root == NULL)
		return err_sys(e, ST_CONFIG, "%s", dir);
	f->path = xasprintf("%s/.hamr/config.toml",
	    strcmp(root, "/") == 0 ? "" : root);
	f->fd = open_below(root, &f->dir);
	if (f->fd >= 0)
		f->why = unfit(f->fd);
	else if (errno == ELOOP)
		f->why = "it is a symbolic link";
	else if (errno == ENOTDIR)	/* what Linux says of a link, too */
		f->why = "its folder is a symbolic link or no folder";
	else if (errno != ENOENT)
		r = err_sys(e, ST_CONFIG, "%s", f->path);
	free(root);
	return r;
}

void
conf_repo_close(struct repo_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->path);
	*f = (struct repo_file){ .fd = -1, .dir = -1 };
}

/* ---- what is trusted ---- */

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Its path, and its content where it is a regular file. */
static void
add_file(struct buf *all, int dir, const char *name, const char *path)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	struct stat st;
	char hash[SHA_HEX] = "";

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    file_read_fd(fd, path, &text, NULL) == 0)
		sha256_hex(buf_view(&text).p, text.len, hash);
	buf_fmt(all, "%s %s", hash, path);
	buf_add(all, "", 1);
	if (fd >= 0)
		close(fd);
	buf_release(&text);
}

static void
add_folder(struct buf *all, int dir, const char *path, int depth)
{
	struct dirent **v = NULL;
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	int n = fd >= 0 ? scandirat(fd, ".", &v, NULL, by_name) : 0;

	for (int i = 0; i < n; i++) {
		const char *name = v[i]->d_name;
		char *sub = xasprintf("%s/%s", path, name);
		struct stat st;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			if (depth > 0 && fstatat(fd, name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
				add_folder(all, dir, sub, depth - 1);
			else
				add_file(all, fd, name, sub);
		}
		free(sub);
		free(v[i]);
	}
	free(v);
	if (fd >= 0)
		close(fd);
}

void
conf_repo_hash(const struct repo_file *f, struct slice text,
    char hash[SHA_HEX])
{
	struct buf all = BUF_INIT(ALL_MAX);

	add_folder(&all, f->dir, "commands", DEPTH_MAX);
	add_folder(&all, f->dir, "skills", DEPTH_MAX);
	sha256_hex(text.p, text.n, hash);
	if (all.len > 0) {
		buf_add(&all, hash, SHA_HEX - 1);
		sha256_hex(all.p, all.len, hash);
	}
	if (all.over)	/* more than can be told apart: never trusted */
		hash[0] = '\0';
	buf_release(&all);
}

static bool
is_trusted(const struct conf *c, const struct repo_file *f,
    const struct buf *text)
{
	const char *path = f->path;
	char hash[SHA_HEX];

	conf_repo_hash(f, buf_view(text), hash);
	for (size_t i = 0; i + 1 < c->trust.n; i += 2)
		if (hash[0] != '\0' && strcmp(c->trust.p[i], path) == 0 &&
		    strcmp(c->trust.p[i + 1], hash) == 0)
			return true;
	return false;
}

static int
read_repo(struct conf *c, const struct repo_file *f, bool quiet,
    struct err *e)
{
	const char *path = f->path;
	struct source at = { .c = c, .layer = LAYER_REPO, .file = path,
	    .ignored = BUF_INIT(900) };
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	int r;

	r = file_read_fd(f->fd, path, &text, e);
	if (r < 0) {
		if (e != NULL)
			e->status = ST_CONFIG;
	} else {
		c->untrusted = !is_trusted(c, f, &text);
		r = conf_parse(&at, &text, e);
	}
	if (r == 0 && at.ignored.len > 0 && !quiet)
		err_say("%s is not trusted (\"hamr-loop --trust\" there "
		    "trusts it as it is); ignored: %s%s", path, at.ignored.p,
		    at.ignored.over ? ", ..." : "");
	buf_release(&at.ignored);
	buf_release(&text);
	return r;
}

int
conf_load_repo(struct conf *c, const char *root, bool quiet, struct err *e)
{
	struct repo_file f;
	int r = conf_repo_open(&f, root, e);

	if (f.why != NULL && !quiet)
		err_say("%s is not read: %s", f.path, f.why);
	else if (f.fd >= 0 && f.why == NULL)
		r = read_repo(c, &f, quiet, e);
	conf_repo_close(&f);
	return r;
}
