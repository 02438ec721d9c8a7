/* box_git.c - where git keeps things here, found without asking git. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "box_in.h"

#define LINE_MAX_BYTES 8192

/* The first line of a small file; NULL when there is none. */
static char *
first_line(const char *path)
{
	struct buf b = BUF_INIT(LINE_MAX_BYTES);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size < LINE_MAX_BYTES)
		file_read(path, &b, NULL);
	if (b.len > 0)
		b.p[strcspn(b.p, "\r\n")] = '\0';
	return b.len > 0 ? buf_detach(&b) : NULL;
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
has(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	bool yes = access(path, F_OK) == 0;

	free(path);
	return yes;
}

/* A repository says where its git directory is; only what looks like one, and
 * holds neither the root nor a home, is believed. */
static bool
is_git_dir(const struct boxes *bs, const char *dir)
{
	size_t n = strlen(dir);

	if (n <= 1 || (strncmp(bs->root.real, dir, n) == 0 &&
	    (bs->root.real[n] == '/' || bs->root.real[n] == '\0')))
		return false;
	if (bs->home != NULL && strncmp(bs->home, dir, n) == 0 &&
	    (bs->home[n] == '/' || bs->home[n] == '\0'))
		return false;
	return has(dir, "HEAD") && (has(dir, "commondir") ||
	    (has(dir, "objects") && has(dir, "refs")));
}

static void
add_common(const struct boxes *bs, struct box_git *g, const char *dir)
{
	char *path = xasprintf("%s/commondir", dir);
	char *line = first_line(path), *common = NULL;

	if (line != NULL)
		common = resolve(dir, line);
	if (common != NULL && is_git_dir(bs, common))
		texts_add(&g->dirs, common);
	else
		free(common);
	free(line);
	free(path);
}

void
git_find(const struct boxes *bs, struct box_git *g)
{
	char *dot = xasprintf("%s/.git", bs->root.real), *line, *dir = NULL;
	struct stat st;

	*g = (struct box_git){ .missing = false };
	if (lstat(dot, &st) < 0) {
		g->missing = true;
		free(dot);
		return;
	}
	g->linked = S_ISLNK(st.st_mode);
	line = S_ISREG(st.st_mode) ? first_line(dot) : NULL;
	if (line != NULL && strncmp(line, "gitdir: ", 8) == 0)
		dir = resolve(bs->root.real, line + 8);
	else if (g->linked)
		dir = realpath(dot, NULL);
	if (!g->linked)
		texts_add(&g->dirs, dot);
	else
		free(dot);
	if (dir != NULL && is_git_dir(bs, dir)) {
		add_common(bs, g, dir);
		texts_add(&g->dirs, dir);
	} else {
		free(dir);
	}
	free(line);
}

void
git_release(struct box_git *g)
{
	texts_release(&g->dirs);
}
