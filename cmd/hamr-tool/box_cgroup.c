/* box_cgroup.c - memory and processes of a box, limited by a control group. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "box_in.h"

#define TOP "/sys/fs/cgroup"
#define LISTING_MAX 65536

static bool
put(const char *dir, const char *file, const char *text)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && file_write_all(fd, text, strlen(text)) == 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return good;
}

static bool
put_number(const char *dir, const char *file, long long v)
{
	char *text = xasprintf("%lld", v);
	bool good = put(dir, file, text);

	free(text);
	return good;
}

/* Our own group in the hierarchy that has this controller ("" for version 2),
 * below its mount; NULL when there is none. */
static char *
own_group(const char *controller)
{
	struct buf b = BUF_INIT(LISTING_MAX);
	char *save = NULL, *found = NULL;

	file_read("/proc/self/cgroup", &b, NULL);
	for (char *l = b.len > 0 ? strtok_r(b.p, "\n", &save) : NULL;
	    l != NULL && found == NULL; l = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(l, ':'), *path;

		path = list != NULL ? strchr(list + 1, ':') : NULL;
		if (path == NULL)
			continue;
		*path++ = '\0';
		if (strcmp(list + 1, controller) == 0 && path[0] == '/')
			found = xstrdup(strcmp(path, "/") == 0 ? "" : path);
	}
	buf_release(&b);
	return found;
}

/* A new group beneath parent that has this file; NULL when it cannot be. */
static char *
make_in(const struct box *b, const char *parent, const char *file)
{
	char *dir = xasprintf("%s/hamr-%d-%p", parent, (int)getpid(),
	    (const void *)b);
	char *probe = xasprintf("%s/%s", dir, file);
	bool good = mkdir(dir, 0755) == 0 || errno == EEXIST;

	if (good && access(probe, W_OK) < 0) {
		rmdir(dir);
		good = false;
	}
	free(probe);
	if (!good) {
		free(dir);
		dir = NULL;
	}
	return dir;
}

static int
entry(const char *dir)
{
	char *path = xasprintf("%s/cgroup.procs", dir);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	free(path);
	return fd;
}

/* Version 2: beneath our group, else beside it (a group with processes has no
 * controllers to give). */
static bool
version2(struct box *b, long long memory, long long pids, int fds[2])
{
	char *own = own_group(""), *parent, *slash;
	const char *probe = memory > 0 ? "memory.max" : "pids.max";
	bool good;

	if (own == NULL)
		return false;
	parent = xasprintf(TOP "%s", own);
	b->cgroup[0] = make_in(b, parent, probe);
	slash = strrchr(parent, '/');
	if (b->cgroup[0] == NULL && own[0] != '\0') {
		*slash = '\0';
		b->cgroup[0] = make_in(b, parent, probe);
	}
	free(parent);
	free(own);
	if (b->cgroup[0] == NULL)
		return false;
	good = (memory == 0 || put_number(b->cgroup[0], "memory.max",
	    memory)) && (pids == 0 || put_number(b->cgroup[0], "pids.max",
	    pids));
	/* else it would only be slower; not every kernel counts swap */
	if (memory > 0)
		put(b->cgroup[0], "memory.swap.max", "0");
	fds[0] = good ? entry(b->cgroup[0]) : -1;
	return fds[0] >= 0;
}

static bool
version1(struct box *b, int i, const char *name, const char *file,
    long long v, int *fd)
{
	char *own, *parent;

	if (v == 0)
		return true;
	own = own_group(name);
	if (own == NULL)
		return false;
	parent = xasprintf(TOP "/%s%s", name, own);
	b->cgroup[i] = make_in(b, parent, file);
	free(parent);
	free(own);
	if (b->cgroup[i] == NULL || !put_number(b->cgroup[i], file, v))
		return false;
	*fd = entry(b->cgroup[i]);
	return *fd >= 0;
}

static const char *
words(bool memory, bool pids)
{
	return memory && pids ? "memory and processes" : memory ? "memory" :
	    pids ? "processes" : NULL;
}

void
cgroup_make(struct box *b, int fds[2])
{
	long long memory = conf_int(b->bs->conf, "sandbox.memory");
	long long pids = conf_int(b->bs->conf, "sandbox.pids");
	bool m, p;

	fds[0] = fds[1] = -1;
	b->bs->cgroup_why[0] = '\0';
	b->unlimited = NULL;
	if (memory == 0 && pids == 0) {
		b->unlimited = words(true, true);
		return;
	}
	if (version2(b, memory, pids, fds))
		return;
	cgroup_remove(b);
	m = version1(b, 0, "memory", "memory.limit_in_bytes", memory, &fds[0]);
	p = version1(b, 1, "pids", "pids.max", pids, &fds[1]);
	b->unlimited = words(memory == 0 || !m, pids == 0 || !p);
	if (m && p)
		return;
	snprintf(b->bs->cgroup_why, sizeof b->bs->cgroup_why,
	    "%s not limited: no control group can be made here",
	    words(!m, !p));
	if (!b->bs->told && !b->bs->told_limits)
		err_say("%s of commands are not limited: no control group can "
		    "be made here", b->unlimited);
	b->bs->told_limits = true;
}

void
cgroup_remove(struct box *b)
{
	for (int i = 0; i < 2; i++) {
		if (b->cgroup[i] != NULL)
			rmdir(b->cgroup[i]);
		free(b->cgroup[i]);
		b->cgroup[i] = NULL;
	}
}
