/* box_git.c - where git keeps things here, found without asking git. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitrepo.h"
#include "mem.h"

#include "box_in.h"

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
	char *common = gitrepo_common(dir);

	if (common != NULL && is_git_dir(bs, common))
		texts_add(&g->dirs, common);
	else
		free(common);
}

void
git_find(const struct boxes *bs, struct box_git *g)
{
	char *dot = xasprintf("%s/.git", bs->root.real), *dir;
	struct stat st;

	*g = (struct box_git){ .missing = false };
	if (lstat(dot, &st) < 0) {
		g->missing = true;
		free(dot);
		return;
	}
	g->linked = S_ISLNK(st.st_mode);
	dir = S_ISDIR(st.st_mode) ? NULL : gitrepo_dir(bs->root.real);
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
}

void
git_release(struct box_git *g)
{
	texts_release(&g->dirs);
}
