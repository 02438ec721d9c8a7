/* writers.c - files that others have open for writing. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

#include "writers.h"

/* The line "flags:\t0100002" of fdinfo, in octal. */
static bool
is_for_writing(int dir, const char *fd)
{
	char name[64], text[512];
	const char *flags;
	ssize_t n;
	int in;

	snprintf(name, sizeof name, "fdinfo/%.20s", fd);
	in = openat(dir, name, O_RDONLY | O_CLOEXEC);
	n = in >= 0 ? read(in, text, sizeof text - 1) : -1;
	if (in >= 0)
		close(in);
	if (n <= 0)
		return false;
	text[n] = '\0';
	flags = strstr(text, "flags:");
	return flags != NULL && (strtol(flags + 6, NULL, 8) & O_ACCMODE) !=
	    O_RDONLY;
}

/* The regular files of one process, dir is its folder in /proc. */
static void
look_at(struct writers *w, int dir)
{
	int fds = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fds >= 0 ? fdopendir(fds) : NULL;
	struct dirent *e;
	struct stat st;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || fstatat(fds, e->d_name, &st, 0) < 0
		    || !S_ISREG(st.st_mode) || !is_for_writing(dir, e->d_name))
			continue;
		w->v = xgrow(w->v, w->n, &w->cap, sizeof *w->v);
		w->v[w->n].dev = st.st_dev;
		w->v[w->n++].ino = st.st_ino;
	}
	if (d != NULL)
		closedir(d);
	else if (fds >= 0)
		close(fds);
}

static void
look(struct writers *w)
{
	DIR *d = opendir("/proc");
	pid_t session = getsid(0);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		int dir;

		if (pid <= 0 || pid == getpid() || getsid(pid) != session)
			continue;
		dir = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC);
		if (dir < 0)
			continue;
		look_at(w, dir);
		close(dir);
	}
	if (d != NULL)
		closedir(d);
}

bool
writers_have(struct writers *w, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return false;
	if (!w->looked)
		look(w);
	w->looked = true;
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].ino == st->st_ino && w->v[i].dev == st->st_dev)
			return true;
	return false;
}

void
writers_release(struct writers *w)
{
	free(w->v);
	*w = (struct writers){ .v = NULL };
}
