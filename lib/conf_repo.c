/* conf_repo.c - the repository's own file, which is not trusted. */
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
open_below(const char *root)
{
	char *path = xasprintf("%s/.hamr", root);
	int dir, fd, saved;

	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (dir < 0)
		return -1;
	fd = openat(dir, "config.toml",
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

int
conf_repo_open(struct repo_file *f, const char *dir, struct err *e)
{
	char *root = realpath(dir, NULL);
	int r = 0;

	*f = (struct repo_file){ .fd = -1 };
	if (root == NULL)
		return err_sys(e, ST_CONFIG, "%s", dir);
	f->path = xasprintf("%s/.hamr/config.toml",
	    strcmp(root, "/") == 0 ? "" : root);
	f->fd = open_below(root);
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
	free(f->path);
	*f = (struct repo_file){ .fd = -1 };
}

static bool
is_trusted(const struct conf *c, const char *path, const struct buf *text)
{
	char hash[SHA_HEX];

	sha256_hex(buf_view(text).p, text->len, hash);
	for (size_t i = 0; i + 1 < c->trust.n; i += 2)
		if (strcmp(c->trust.p[i], path) == 0 &&
		    strcmp(c->trust.p[i + 1], hash) == 0)
			return true;
	return false;
}

static int
read_repo(struct conf *c, int fd, const char *path, bool quiet, struct err *e)
{
	struct source at = { .c = c, .layer = LAYER_REPO, .file = path,
	    .ignored = BUF_INIT(900) };
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	int r;

	r = file_read_fd(fd, path, &text, e);
	if (r < 0) {
		if (e != NULL)
			e->status = ST_CONFIG;
	} else {
		c->untrusted = !is_trusted(c, path, &text);
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
		r = read_repo(c, f.fd, f.path, quiet, e);
	conf_repo_close(&f);
	return r;
}
