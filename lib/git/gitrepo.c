/* gitrepo.c - finds a git repository and reads it as files: never runs git. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "gitrepo.h"
#include "base/mem.h"

#define LINE_MAX_BYTES 8192

int
gitrepo_read(int dir, const char *path, struct buf *out, struct err *e)
{
	struct stat st;
	int fd = file_open_regular(dir, path, &st), r;

	if (fd < 0 && errno == EINVAL)
		return err_set(e, ST_SYSTEM, "%s is not a regular file", path);
	if (fd < 0)
		return err_open(e, path);
	if (st.st_size < 0 || (size_t)st.st_size > out->max)
		r = err_set(e, ST_SYSTEM, "%s is too large", path);
	else
		r = file_read_fd(fd, path, out, e);
	close(fd);
	return r;
}

/* ---- where it is ---- */

/* The first line of a small file; NULL when there is none. */
static char *
first_line(const char *path)
{
	struct buf b = BUF_INIT(LINE_MAX_BYTES);

	if (gitrepo_read(AT_FDCWD, path, &b, NULL) < 0 || b.len == 0) {
		buf_release(&b);
		return NULL;
	}
	b.p[strcspn(b.p, "\r\n")] = '\0';
	return buf_detach(&b);
}

static char *
resolve(const char *base, const char *path)
{
	char *full = path[0] == '/' ? xstrdup(path) :
	    xasprintf("%s/%s", base, path);
	char *real = realpath(full, NULL);

	free(full);
	return real;
}

static bool
stat_in(const char *dir, const char *name, struct stat *st)
{
	char *path = xasprintf("%s/%s", dir, name);
	bool there = lstat(path, st) == 0;

	free(path);
	return there;
}

char *
gitrepo_dir(const char *top)
{
	char *dot = xasprintf("%s/.git", top), *line = NULL, *dir = NULL;
	struct stat st;

	if (stat(dot, &st) == 0 && S_ISDIR(st.st_mode))
		dir = realpath(dot, NULL);
	else
		line = first_line(dot);
	if (line != NULL && strncmp(line, "gitdir: ", 8) == 0)
		dir = resolve(top, line + 8);
	FREE(line, dot);
	return dir;
}

bool
gitrepo_is_of(const char *dir, const char *top)
{
	char *gitdir = xasprintf("%s/gitdir", dir), *is = first_line(gitdir);
	char *config = xasprintf("%s/config", dir);
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	static const char key[] = "\n\tworktree = ";

	if (is != NULL && strlen(is) > strlen("/.git"))
		is[strlen(is) - strlen("/.git")] = '\0';
	if (is == NULL && gitrepo_read(AT_FDCWD, config, &b, NULL) == 0 &&
	    b.len > 0 && strstr(b.p, key) != NULL) {
		is = xstrdup(strstr(b.p, key) + strlen(key));
		is[strcspn(is, "\n")] = '\0';
	}
	char *tree = is != NULL ? resolve(dir, is) : NULL;
	bool yes = tree != NULL && strcmp(tree, top) == 0;
	buf_release(&b);
	FREE(tree, config, is, gitdir);
	return yes;
}

char *
gitrepo_common(const char *dir)
{
	char *path = xasprintf("%s/commondir", dir);
	char *line = first_line(path), *common = NULL;

	if (line != NULL)
		common = resolve(dir, line);
	FREE(line, path);
	return common;
}

/* ---- whose it is, and what it is made of ---- */

bool
gitrepo_is_owned(const struct stat *st, const struct stat *folder)
{
	return st->st_uid == geteuid() ||
	    (geteuid() == 0 && st->st_uid == folder->st_uid);
}

static int
foreign(const char *path, const struct stat *st, struct err *e)
{
	return err_set(e, ST_POLICY, "%s belongs to another user (%u) and is "
	    "not used", path, (unsigned)st->st_uid);
}

int
gitrepo_is_top(const char *top, struct err *e)
{
	char *dot = xasprintf("%s/.git", top);
	char *head = xasprintf("%s/HEAD", dot);
	struct stat st, target, folder;
	int r = 0;

	if (stat(top, &folder) == 0 && lstat(dot, &st) == 0 &&
	    stat(dot, &target) == 0 &&
	    (S_ISDIR(target.st_mode) || S_ISREG(target.st_mode))) {
		if (!gitrepo_is_owned(&st, &folder))
			r = foreign(dot, &st, e);
		else if (!gitrepo_is_owned(&target, &folder))
			r = foreign(dot, &target, e);
		else
			/* git passes by a folder without a HEAD, such as the
			 * one that keeps a command from making a .git */
			r = S_ISREG(target.st_mode) ||
			    lstat(head, &st) == 0 || errno != ENOENT;
	}
	FREE(head, dot);
	return r;
}

char *
gitrepo_find(const char *dir, struct err *e)
{
	char *top = xstrdup(dir);

	for (;;) {
		int is = gitrepo_is_top(*top != '\0' ? top : "/", e);

		if (is > 0)
			return top;
		char *slash = strrchr(top, '/');
		if (is < 0 || slash == NULL)
			break;
		*slash = '\0';
	}
	free(top);
	return NULL;
}

int
gitrepo_open(struct gitrepo *g, const char *top, struct err *e)
{
	struct stat st, folder;

	*g = (struct gitrepo){ NULL, NULL };
	int r = gitrepo_is_top(top, e);
	if (r <= 0)
		return r;
	g->dir = gitrepo_dir(top);
	if (g->dir == NULL)
		return 0;
	if (!stat_in(g->dir, "HEAD", &st))
		return 0;	/* git does not take it for one either */
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(e, ST_SYSTEM, "%s/HEAD is not a regular file",
		    g->dir);
	if (stat(top, &folder) < 0 || stat(g->dir, &st) < 0)
		return err_sys(e, ST_SYSTEM, "%s", g->dir);
	if (!gitrepo_is_owned(&st, &folder))
		return foreign(g->dir, &st, e);
	g->common = gitrepo_common(g->dir);
	if (g->common == NULL)
		g->common = xstrdup(g->dir);
	else if (stat(g->common, &st) < 0 || !gitrepo_is_owned(&st, &folder))
		return foreign(g->common, &st, e);
	return stat_in(g->common, "objects", &st) && S_ISDIR(st.st_mode);
}

/* Does a value end with its line?  A backslash takes the next one along, and
 * some readers let a quote do so. */
static bool
is_one_line(struct slice s)
{
	bool good = true;

	for (size_t i = 0; i < s.n && good; i++)
		good = s.p[i] == '\t' || ((unsigned char)s.p[i] >= ' ' &&
		    s.p[i] != '\\' && s.p[i] != '"');
	return good;
}

void
gitrepo_plain(struct slice config, struct buf *out)
{
	static const char *const plain[] = { "core.repositoryformatversion",
		"core.filemode", "core.bare", "core.logallrefupdates",
		"core.symlinks", "core.ignorecase", "core.autocrlf",
		"core.eol", "user.name", "user.email", "commit.gpgsign",
		"extensions.objectformat", "extensions.refstorage" };
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct slice line, section = { "", 0 };
	char name[64];

	while (slice_line(&config, &line)) {
		bool heads = line.n > 0 && line.p[0] == '[', good = false;
		struct slice key = slice_trim_start(line, heads ? "[" :
		    "\t ");
		struct slice rest = slice_trim_start(key, letters);

		key.n -= rest.n;
		snprintf(name, sizeof name, "%.*s.%.*s", (int)section.n,
		    section.p, (int)key.n, key.p);
		for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
			good |= strcasecmp(name, plain[i]) == 0;
		if (heads) {
			good = slice_is(rest, "]");
			section = good ? key : SLICE("");
		} else {
			good = good && is_one_line(rest) &&
			    slice_starts(slice_trim(rest), "=");
		}
		if (good)
			buf_fmt(out, "%.*s\n", (int)line.n, line.p);
	}
}

void
gitrepo_release(struct gitrepo *g)
{
	FREE(g->dir, g->common);
	*g = (struct gitrepo){ NULL, NULL };
}
