/* state.c - where a repository's sessions, memory and outputs live. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "git/gitindex.h"
#include "git/gitrepo.h"
#include "base/mem.h"
#include "json/sha.h"
#include "place.h"
#include "state.h"

static const char ignore[] = "# made by hamr: the rest is not for a "
    "repository\n*\n!config.toml\n!commands/\n!commands/**\n!skills/\n"
    "!skills/**\n";

/* Does the index of root's repository list a path in .hamr that only hamr makes
 * (not one of a person's own parts)?  -1 with e: it is unknown. */
static int
git_tracks(const char *root, struct err *e)
{
	struct gitrepo g;
	struct gitindex ix = { .n = 0 };
	int r = gitrepo_open(&g, root, e);

	if (r > 0)
		r = gitindex_read(&ix, g.dir, e);
	for (size_t i = 0; i < ix.n && r == 0; i++) {
		struct slice path = slice_of(ix.v[i].path);

		r = slice_starts(path, ".hamr/") &&
		    !slice_is(path, ".hamr/config.toml") &&
		    !slice_is(path, ".hamr/.gitignore") &&
		    !slice_starts(path, ".hamr/commands/") &&
		    !slice_starts(path, ".hamr/skills/");
	}
	gitindex_release(&ix);
	gitrepo_release(&g);
	/* with an unusable index, work as if there were no repository */
	return r < 0 && (e->status == ST_DATA || e->status == ST_POLICY) ? 0 :
	    r;
}

int
state_ignore(int at, const char *path)
{
	if (faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	/* Half a file, after a kill or on a full disk, would ignore nothing.
	 * What a killed process left is removed; it may also be a FIFO that
	 * somebody planted. */
	char *new = xasprintf("%s.new", path);
	unlinkat(at, new, 0);
	int fd = file_create(at, new, O_WRONLY | O_EXCL, 0644);
	int r = fd < 0 ? errno == EEXIST ? 0 : -1 :
	    file_write_all(fd, ignore, sizeof ignore - 1);

	if (fd >= 0 && close(fd) < 0)
		r = -1;
	/* another process may do it just now */
	if (r == 0 && renameat(at, new, at, path) < 0)
		r = errno == ENOENT ? 0 : -1;
	int error = errno;
	if (r < 0)
		unlinkat(at, new, 0);
	free(new);
	errno = error;
	return r;
}

/* Does this error mean that we have no right to create anything there? */
static bool
is_refused(int error)
{
	return error == EACCES || error == EPERM || error == EROFS ||
	    error == ELOOP;
}

static bool
is_ours(const char *root, const struct stat *st)
{
	struct stat folder;

	return S_ISDIR(st->st_mode) && stat(root, &folder) == 0 &&
	    gitrepo_is_owned(st, &folder);
}

/* The repository's own .hamr in *out, or NULL if it must not be used.  -1 with
 * e if that is unknown: going elsewhere would then hide what is here. */
static int
own_place(const char *root, bool create, char **out, struct err *e)
{
	char *dir = xasprintf("%s/.hamr", root);
	char *list = xasprintf("%s/.gitignore", dir);
	struct stat st;
	bool there = lstat(dir, &st) == 0;
	int yes = 1;

	/* may an existing .hamr be used? */
	if (there && (!is_ours(root, &st) || access(dir, W_OK) < 0)) {
		yes = 0;
	} else if (there) {
		int tracked = git_tracks(root, e);

		yes = tracked < 0 ? -1 : !tracked;
	}
	if (yes > 0 && !there && !create)
		yes = access(root, W_OK) == 0;
	else if (yes > 0 && !there && file_mkdir(AT_FDCWD, dir, 0755) < 0 &&
	    errno != EEXIST)
		yes = is_refused(errno) ? 0 : err_sys(e, ST_SYSTEM, "%s", dir);
	else if (yes > 0 && create && state_ignore(AT_FDCWD, list) < 0)
		yes = is_refused(errno) ? 0 : err_sys(e, ST_SYSTEM, "%s", list);
	free(list);
	*out = yes > 0 ? dir : NULL;
	if (yes <= 0)
		free(dir);
	return yes < 0 ? -1 : 0;
}

/* $XDG_STATE_HOME/hamr/REPO-ID: the folder's name and the start of its
 * path's hash. */
static char *
state_home(const char *root, struct err *e)
{
	const char *base = file_base(root);
	char hex[SHA_HEX];

	sha256_hex(root, strlen(root), hex);
	char *id = xasprintf("/%s-%.12s", *base != '\0' ? base : "root", hex);
	char *dir = conf_home("XDG_STATE_HOME", ".local/state", id);
	free(id);
	if (dir == NULL)
		err_set(e, ST_SYSTEM, "%s/.hamr cannot be used and HOME is "
		    "not set; set it, or XDG_STATE_HOME", root);
	return dir;
}

char *
state_where(const char *root, struct err *e)
{
	char *dir;

	if (own_place(root, false, &dir, e) < 0)
		return NULL;
	return dir != NULL ? dir : state_home(root, e);
}

char *
state_read_only(const char *root)
{
	char *dir = xasprintf("%s/.hamr", root);
	struct stat st;
	struct err e;

	if (lstat(dir, &st) == 0 && is_ours(root, &st) &&
	    access(dir, W_OK) < 0 && git_tracks(root, &e) == 0)
		return dir;
	free(dir);
	return NULL;
}

char *
state_dir(const char *root, bool create, struct err *e)
{
	char *dir;
	struct stat st;

	if (own_place(root, create, &dir, e) < 0)
		return NULL;
	if (dir == NULL) {
		dir = state_home(root, e);
		if (dir != NULL && create && file_mkdirs(dir, e) < 0) {
			struct err why = *e;

			free(dir);
			err_set(e, why.status, "%s/.hamr cannot be used, and "
			    "%s; make one of them writable, or set "
			    "XDG_STATE_HOME", root, why.text);
			return NULL;
		}
	}
	if (dir != NULL && !create && stat(dir, &st) < 0) {
		err_sys(e, errno == ENOENT ? ST_NOINPUT : ST_SYSTEM, "%s",
		    dir);
		free(dir);
		return NULL;
	}
	return dir;
}

char *
state_folder(const char *root, const char *name, bool create, struct err *e)
{
	char *dir = state_dir(root, create, e);
	struct stat st;

	if (dir == NULL)
		return NULL;
	char *sub = xasprintf("%s/%s", dir, name);
	free(dir);
	if (create && file_mkdir(AT_FDCWD, sub, 0700) < 0 && errno != EEXIST) {
		err_sys(e, ST_SYSTEM, "%s", sub);
	} else {
		if (lstat(sub, &st) < 0)
			err_sys(e, errno == ENOENT ? ST_NOINPUT : ST_SYSTEM,
			    "%s", sub);
		else if (S_ISDIR(st.st_mode))
			return sub;
		else
			err_set(e, ST_POLICY, "%s is not a folder (a link "
			    "would lead out of the repository); move it away",
			    sub);
	}
	free(sub);
	return NULL;
}
