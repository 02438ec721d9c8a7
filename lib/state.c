/* state.c - where a repository's sessions, memory and outputs live. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "sha.h"
#include "state.h"
#include "which.h"

static const char ignore[] = "# made by hamr: nothing here but config.toml "
    "belongs into a repository\n*\n!config.toml\n";

/* Does the index of root's repository list a path in .hamr but config.toml?
 * git is run with nothing of the repository's own in force. */
static bool
git_tracks(const char *root)
{
	const char *argv[] = { "git", "--no-optional-locks", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
		"safe.directory=*", "-C",
		root, "ls-files", "-z", "--", ".hamr", NULL };
	char *path = xasprintf("PATH=%s", getenv("PATH") != NULL ?
	    getenv("PATH") : "/usr/bin:/bin");
	const char *env[] = { path, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", NULL };
	posix_spawn_file_actions_t fa;
	struct buf b = BUF_INIT(1 << 20);
	char *git = which_program("git", root);
	bool tracked = false;
	int fd[2];
	pid_t pid;

	if (git == NULL || pipe2(fd, O_CLOEXEC) < 0) {
		tracked = git != NULL;	/* without git nothing is tracked */
		free(git);
		free(path);
		return tracked;
	}
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, fd[1], 1);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, git, &fa, NULL, (char **)argv,
	    (char **)env) == 0) {
		close(fd[1]);
		file_read_fd(fd[0], "git", &b, NULL);
		waitpid(pid, NULL, 0);
		for (size_t i = 0; i < b.len; i += strlen(b.p + i) + 1)
			if (strcmp(b.p + i, ".hamr/config.toml") != 0 &&
			    strcmp(b.p + i, ".hamr/.gitignore") != 0)
				tracked = true;
	} else {
		close(fd[1]);
	}
	posix_spawn_file_actions_destroy(&fa);
	close(fd[0]);
	buf_release(&b);
	free(git);
	free(path);
	return tracked;
}

/* Is path/.git there, so that asking git makes sense? */
static bool
is_repository(const char *root)
{
	char *p = xasprintf("%s/.git", root);
	struct stat st;
	bool yes = lstat(p, &st) == 0;

	free(p);
	return yes;
}

static int
write_ignore(const char *dir, struct err *e)
{
	char *p = xasprintf("%s/.gitignore", dir);
	int fd, r = 0;

	fd = open(p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
	    0644);
	if (fd >= 0) {
		if (file_write_all(fd, ignore, sizeof ignore - 1) < 0)
			r = err_sys(e, ST_SYSTEM, "%s", p);
		close(fd);
	} else if (errno != EEXIST) {
		r = err_sys(e, ST_SYSTEM, "%s", p);
	}
	free(p);
	return r;
}

/* In somebody's folder what root makes is his. */
static int
give(const char *root, const char *dir)
{
	struct stat st;

	if (geteuid() != 0 || stat(root, &st) < 0 || st.st_uid == 0)
		return 0;
	return lchown(dir, st.st_uid, st.st_gid);
}

/* The repository's own .hamr, or NULL when it must not or cannot be used. */
static char *
own_place(const char *root, bool create)
{
	char *dir = xasprintf("%s/.hamr", root);
	struct stat st;
	bool there = lstat(dir, &st) == 0;

	if (there && (!S_ISDIR(st.st_mode) ||
	    (st.st_uid != geteuid() && geteuid() != 0) ||
	    access(dir, W_OK) < 0 ||
	    (is_repository(root) && git_tracks(root))))
		goto no;
	if (create && ((!there && mkdir(dir, 0755) < 0) ||
	    (!there && give(root, dir) < 0) || write_ignore(dir, NULL) < 0))
		goto no;
	if (!there && !create && access(root, W_OK) < 0)
		goto no;
	return dir;
no:
	free(dir);
	return NULL;
}

/* $XDG_STATE_HOME/hamr/REPO-ID: the folder's name and the start of its
 * path's hash. */
static char *
state_home(const char *root, struct err *e)
{
	const char *x = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *base = strrchr(root, '/');
	char hex[SHA_HEX];

	sha256_hex(root, strlen(root), hex);
	base = base != NULL && base[1] != '\0' ? base + 1 : "root";
	if (x != NULL && x[0] == '/')
		return xasprintf("%s/hamr/%s-%.12s", x, base, hex);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.local/state/hamr/%s-%.12s", home, base,
		    hex);
	err_set(e, ST_SYSTEM, "%s/.hamr cannot be used and HOME is not set",
	    root);
	return NULL;
}

char *
state_dir(const char *root, bool create, struct err *e)
{
	char *dir = own_place(root, create);
	struct stat st;

	if (dir == NULL) {
		dir = state_home(root, e);
		if (dir != NULL && create && file_mkdirs(dir, 0700, e) < 0) {
			free(dir);
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
	char *dir = state_dir(root, create, e), *sub;
	struct stat st;

	if (dir == NULL)
		return NULL;
	sub = xasprintf("%s/%s", dir, name);
	free(dir);
	if (create && mkdir(sub, 0700) < 0 && errno != EEXIST) {
		err_sys(e, ST_SYSTEM, "%s", sub);
		free(sub);
		return NULL;
	}
	if (lstat(sub, &st) < 0) {
		err_sys(e, errno == ENOENT ? ST_NOINPUT : ST_SYSTEM, "%s",
		    sub);
		free(sub);
		return NULL;
	}
	if (!S_ISDIR(st.st_mode)) {
		err_set(e, ST_POLICY, "%s is no folder (a link would lead out "
		    "of the repository); move it away", sub);
		free(sub);
		return NULL;
	}
	return sub;
}
