/* conf_trust.c - the repository's own file, and what the user's file says about
 * a repository: whether it is trusted, and what is always allowed there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "internal.h"
#include "json/sha.h"

#define DEPTH_MAX 16		/* of folders in commands and skills */
#define ALL_MAX ((size_t)16 << 20)	/* of their names and hashes */
#define LOCK_MS 10000		/* to wait for another process's change */

struct repo_file {
	char *path;		/* real and absolute; NULL: no such root */
	const char *why;	/* why it must not be read, or NULL */
	bool there;
	struct buf text;
	int dir;		/* its folder; -1: not there */
};

/* Read .hamr/config.toml of the repository at root without following a link in
 * either place, and without waiting for a FIFO.  Close it in any case. */
static int
repo_open(struct repo_file *f, const char *root, struct err *e)
{
	char *real = realpath(root, NULL);
	struct stat st;
	int fd = -1, r = 0;

	*f = (struct repo_file){ .dir = -1, .text = BUF_INIT(CONF_FILE_MAX) };
	if (real == NULL)
		return err_sys(e, ST_CONFIG, "%s", root);
	char *dir = xasprintf("%s/.hamr", strcmp(real, "/") == 0 ? "" : real);
	f->path = xasprintf("%s/config.toml", dir);
	f->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->dir >= 0)
		fd = file_open_regular(f->dir, "config.toml", &st);
	f->there = fd >= 0;
	if (f->there && geteuid() != 0 && st.st_uid != geteuid())
		f->why = "it belongs to another user";
	else if (f->there)
		r = file_read_fd(fd, f->path, &f->text, e);
	else if (errno == EINVAL)
		f->why = "it is not a regular file";
	else if (errno == ELOOP)
		f->why = "it is a symbolic link";
	else if (errno == ENOTDIR)	/* Linux's error for a link, too */
		f->why = "its folder is a symbolic link or not a folder";
	else if (errno != ENOENT)
		r = err_sys(e, ST_CONFIG, "%s", f->path);
	file_close(fd);
	FREE(dir, real);
	return r;
}

static void
repo_close(struct repo_file *f)
{
	file_close(f->dir);
	buf_release(&f->text);
	free(f->path);
}

/* ---- what is trusted ---- */

static void
add_folder(struct buf *all, int dir, const char *path, int depth)
{
	struct texts names = { .n = 0 };
	DIR *d = file_opendir(dir, path);
	struct dirent *e;

	while ((e = file_readdir(d)) != NULL)
		texts_add(&names, xstrdup(e->d_name));
	if (names.n > 0)
		qsort(names.v, names.n, sizeof *names.v, text_order);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];
		char *sub = xasprintf("%s/%s", path, name), hash[SHA_HEX] = "";
		struct buf text = BUF_INIT(CONF_FILE_MAX);
		struct stat st;

		if (depth > 0 && fstatat(dirfd(d), name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
			add_folder(all, dir, sub, depth - 1);
		} else {
			/* its path, and its content where it is a regular
			 * file */
			int file = file_open_regular(dirfd(d), name, NULL);
			if (file >= 0 &&
			    file_read_fd(file, sub, &text, NULL) == 0)
				sha256_hex(buf_view(&text).p, text.len, hash);
			buf_fmt(all, "%s %s", hash, sub);
			buf_add(all, "", 1);
			file_close(file);
			buf_release(&text);
		}
		free(sub);
	}
	texts_release(&names);
	file_closedir(d);
}

/* Hash what is trusted: the file's text, and everything in commands/ and
 * skills/ beside it, if there is anything. */
static void
repo_hash(const struct repo_file *f, char hash[SHA_HEX])
{
	struct buf all = BUF_INIT(ALL_MAX);

	add_folder(&all, f->dir, "commands", DEPTH_MAX);
	add_folder(&all, f->dir, "skills", DEPTH_MAX);
	sha256_hex(buf_view(&f->text).p, f->text.len, hash);
	if (all.len > 0) {
		buf_add(&all, hash, SHA_HEX - 1);
		sha256_hex(all.p, all.len, hash);
	}
	if (all.over)	/* too much to hash: never trusted */
		hash[0] = '\0';
	buf_release(&all);
}

/* There may be commands and skills without a config.toml. */
static bool
has_folder(const struct repo_file *f)
{
	struct stat st;

	return f->dir >= 0 && fstat(f->dir, &st) == 0 && (geteuid() == 0 ||
	    st.st_uid == geteuid()) && (faccessat(f->dir, "commands", R_OK,
	    0) == 0 || faccessat(f->dir, "skills", R_OK, 0) == 0);
}

bool
conf_is_trusted(const struct conf *c)
{
	return c->trusted;
}

int
conf_load_repo(struct conf *c, const char *root, bool quiet, struct err *e)
{
	struct repo_file f;
	int r = repo_open(&f, root, e);
	struct source at = { .c = c, .layer = LAYER_REPO, .file = f.path,
	    .ignored = BUF_INIT(900) };
	char hash[SHA_HEX];

	if (r < 0)
		e->status = ST_CONFIG;
	else if (f.why != NULL && !quiet)
		err_say("%s is not read: %s", f.path, f.why);
	bool may = r == 0 && f.why == NULL, reads = may && f.there;
	if (reads || (may && c->trust.n > 0 && has_folder(&f))) {
		repo_hash(&f, hash);
		c->trusted = hash[0] != '\0' &&
		    texts_pair(&c->trust, f.path, hash);
		c->untrusted = reads && !c->trusted;
	}
	if (reads)
		r = conf_parse(&at, &f.text, e);
	if (r == 0 && at.ignored.len > 0 && !quiet)
		err_say("%s is not trusted (\"hamr-loop --trust\" there "
		    "trusts it as it is); ignored: %s%s", f.path,
		    at.ignored.p, at.ignored.over ? ", ..." : "");
	buf_release(&at.ignored);
	repo_close(&f);
	return r;
}

/* ---- trust given ---- */

/* What the user's file says about a path, found by parsing it. */
struct spot {
	const char *table;	/* "trust" or "allow" */
	const char *path;
	bool in_table;		/* the current header is [table] */
	bool dotted;		/* there are lines table."ANY" = ... */
	size_t line;		/* the last of these, or the header; 0: none */
	const char *at, *end;	/* path's value; NULL: there is none */
	struct buf value;	/* the value as toml_show prints it */
};

static int
look(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct spot *s = ctx;
	bool about = strcmp(ev->key[0], s->table) == 0;

	(void)e;
	if (ev->v == NULL) {
		s->in_table = about && ev->nkey == 1;
		if (s->in_table)
			s->line = ev->line;
		return 0;
	}
	if (!about || ev->nkey != 2)
		return 0;
	if (!s->in_table) {
		s->dotted = true;
		s->line = ev->last;
	}
	if (strcmp(ev->key[1], s->path) == 0) {
		s->at = ev->at;
		s->end = ev->end;
		buf_reset(&s->value);
		toml_show(&s->value, ev->v);
	}
	return 0;
}

/* Append old with the value in place of the path's, or added to its list, or as
 * one more line, which ends as its neighbors do.  Added first, where a comma is
 * right whatever follows, it keeps the list's comments. */
static void
add_value(const struct spot *s, struct slice old, const char *value, bool list,
    struct buf *out)
{
	struct slice rest = old, passed;
	size_t at = old.n;

	if (s->at != NULL) {
		const char *from = s->at + list, *to = list ? from : s->end;

		buf_add(out, old.p, (size_t)(from - old.p));
		buf_adds(out, value);
		if (list && s->value.len > 2)
			buf_adds(out, is_whitespace(*to) ? "," : ", ");
		buf_add(out, to, (size_t)(old.p + old.n - to));
		return;
	}
	for (size_t i = 0; i < s->line && slice_line(&rest, &passed); i++)
		at = old.n - rest.n;
	const char *nl = at > 1 && old.p[at - 1] == '\n' && old.p[at - 2] ==
	    '\r' ? "\r\n" : "\n";
	buf_add(out, old.p, at);
	if (at > 0 && old.p[at - 1] != '\n')
		buf_adds(out, nl);
	if (s->line == 0)
		buf_fmt(out, "%s[%s]%s", old.n > 0 ? nl : "", s->table, nl);
	if (s->dotted)
		buf_fmt(out, "%s.", s->table);
	toml_quote(out, s->path);
	buf_fmt(out, list ? " = [%s]%s" : " = %s%s", value, nl);
	buf_add(out, old.p + at, old.n - at);
}

/* Find the user's file, or the real one if that is a link, with its folders
 * made, and lock its folder, so that of two processes none undoes the other's
 * change.  Close the fd to unlock it, and free *path; -1 with e.  *mode is that
 * of a file that exists. */
static int
lock_user_file(char **path, mode_t *mode, struct err *e)
{
	struct stat st;
	int fd = -1;

	*path = conf_user_path();
	if (*path == NULL)
		return err_set(e, ST_CONFIG, "nowhere to store trust; set "
		    "HOME");
	char *real = realpath(*path, NULL);
	if (real != NULL) {
		xset(path, real);
		if (stat(real, &st) == 0)
			*mode = st.st_mode & 07777;
	}
	char *dir = file_folder(*path);
	if (real != NULL || file_mkdirs(dir, e) == 0) {
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* some network file systems cannot lock a folder */
		if (fd < 0 || (file_lock(fd, LOCK_MS) < 0 &&
		    errno == EWOULDBLOCK)) {
			err_sys(e, ST_CONFIG, "%s", dir);
			file_close(fd);
			fd = -1;
		}
	}
	free(dir);
	return fd;
}

/* Write it into the user's file, after checking what the file becomes. */
static int
remember(const char *table, const char *path, const char *text,
    struct err *e)
{
	struct spot before = { .table = table, .path = path,
		.value = BUF_INIT(CONF_FILE_MAX) }, after = before;
	struct buf old = BUF_INIT(CONF_FILE_MAX), new = old, quoted = old;
	struct err why = { .status = ST_OK };
	mode_t mode = 0600;
	char *file;
	int lock = lock_user_file(&file, &mode, e), r = lock < 0 ? -1 : 0;

	toml_quote(&quoted, text);
	if (r == 0 && file_read(file, &old, &why) < 0 &&
	    why.status != ST_NOINPUT)
		r = err_set(e, ST_CONFIG, "%s", why.text);
	if (r == 0)
		r = toml_parse(file, buf_view(&old).p, old.len, look, &before,
		    e);
	if (r == 0 && !slice_has(buf_view(&before.value), quoted.p)) {
		add_value(&before, buf_view(&old), quoted.p,
		    strcmp(table, "allow") == 0, &new);
		r = new.over ? err_set(e, ST_CONFIG, "%s: too large", file) :
		    toml_parse(file, new.p, new.len, look, &after, e);
		if (r == 0 && !slice_has(buf_view(&after.value), quoted.p))
			r = err_set(e, ST_CONFIG, "%s: [%s] cannot be "
			    "written; put each of its values on a line", file,
			    table);
		if (r == 0)
			r = file_replace(file, new.p, new.len, mode, e);
	}
	bufs_release(BUFS(&before.value, &after.value, &quoted, &old, &new));
	file_close(lock);
	free(file);
	return r;
}

int
conf_allow(const char *root, const char *what, struct err *e)
{
	if (utf8_check(root, strlen(root)) < strlen(root) ||
	    utf8_check(what, strlen(what)) < strlen(what))
		return err_set(e, ST_POLICY, "it is not UTF-8");
	return remember("allow", root, what, e);
}

int
conf_trust(const char *root, struct err *e)
{
	struct repo_file f;
	char hash[SHA_HEX];
	int r = repo_open(&f, root, e);

	if (r == 0 && f.why != NULL)
		r = err_set(e, ST_POLICY, "%s cannot be trusted: %s", f.path,
		    f.why);
	else if (r == 0 && !f.there && !has_folder(&f))
		r = err_set(e, ST_NOINPUT, "%s: there is nothing to trust",
		    f.path);
	else if (r == 0 && utf8_check(f.path, strlen(f.path)) <
	    strlen(f.path))
		r = err_set(e, ST_POLICY, "%s cannot be trusted: its path is "
		    "not UTF-8", f.path);
	if (r == 0) {
		repo_hash(&f, hash);
		r = hash[0] != '\0' ? remember("trust", f.path, hash, e) :
		    err_set(e, ST_POLICY, "%s cannot be trusted: there are too "
		    "many commands and skills beside it", f.path);
	}
	repo_close(&f);
	return r;
}
