/* snap_io.c - what the snapshots say to git, and put on disk. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "which.h"

#include "files_in.h"
#include "hold.h"
#include "snap_in.h"

/* Cancelled, or to end?  While it hurries, that may come at any moment and gives
 * it so much time from then on. */
bool
snap_stopped(void *arg)
{
	struct snap *s = arg;

	if (s->hurry == 0)
		return files_stopped(s->f, LLONG_MAX);
	if (s->until == 0 && (files_stopped(s->f, LLONG_MAX) ||
	    hold_has_one()))
		s->until = file_now_ms() + s->hurry;
	return s->until > 0 && file_now_ms() >= s->until;
}

void
snap_hurry(struct snap *s, int ms)
{
	s->hurry = ms;
	s->until = 0;
}

int
snap_git(struct snap *s, const char *const *args, struct slice in,
    struct buf *out)
{
	struct git g = { .rootfd = s->f->root.fd, .root = s->f->root.real,
		.dir = s->dir, .ms = SNAP_MS, .stop = snap_stopped,
		.stop_arg = s };

	return git_run(&g, args, in, out);
}

const char *
snap_git_why(const struct snap *s, int r)
{
	char *git = which_program("git", s->f->root.real);
	bool is_there = git != NULL;

	free(git);
	return r >= 0 ? "git failed" : is_there ?
	    "git did not run to its end" :
	    "git is not installed; install the package git";
}

/* ---- files of ours, which belong to who owns the root ---- */

void
snap_give(const struct snap *s, int fd)
{
	if (geteuid() == 0 && s->owner != 0 && fchown(fd, s->owner,
	    (gid_t)-1) < 0)
		return;		/* git will say it */
}

int
snap_file(const struct snap *s, const char *name, int flags)
{
	int fd = openat(s->dirfd, name, flags | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC, 0600);

	if (fd >= 0)
		snap_give(s, fd);
	return fd;
}

int
snap_replace(const struct snap *s, const char *name, struct slice text)
{
	char *path = xasprintf("%s/%s", s->dir, name);
	int r = file_replace(path, text.p, text.n, 0600, NULL);
	int fd = r == 0 ? snap_file(s, name, O_RDONLY) : -1;

	if (fd >= 0)
		close(fd);
	free(path);
	return r;
}

int
snap_put_file(const struct snap *s, const char *name, const char *text)
{
	int fd = snap_file(s, name, O_WRONLY | O_TRUNC), r = -1;

	if (fd < 0)
		return -1;
	if (file_write_all(fd, text, strlen(text)) == 0)
		r = 0;
	return close(fd) < 0 ? -1 : r;
}
