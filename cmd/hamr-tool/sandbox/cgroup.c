/* cgroup.c - limit a box's memory and processes with a control group. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define TOP "/sys/fs/cgroup"
#define LISTING_MAX 65536
#define NAME "hamr-%d-%p"	/* of a group: our pid, the box */
#define NAMES "hamr-[0-9]*-0x*"
#define NEW_S 60		/* a process enters its group sooner */

static int
open_in(const char *dir, const char *file)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	free(path);
	return fd;
}

static bool
put(const char *dir, const char *file, long long v)
{
	int fd = open_in(dir, file);
	bool good = fd >= 0 && dprintf(fd, "%lld", v) > 0;

	file_close(fd);
	return good;
}

struct limit {
	const char *file;
	long long most;		/* 0: none */
};

/* Make b's group number i beneath parent; false if one of its files is missing.
 * Remove the groups that killed processes left there: a new one may not be used
 * yet, one that is used is busy. */
static bool
make_in(struct box *b, int i, const char *parent, const struct limit l[2],
    int *fd)
{
	char *dir = xasprintf("%s/" NAME, parent, (int)getpid(),
	    (const void *)b);
	bool good = mkdir(dir, 0755) == 0 || errno == EEXIST;
	DIR *d = file_opendir(AT_FDCWD, parent);
	struct dirent *e;
	struct stat st;

	while ((e = file_readdir(d)) != NULL)
		if (fnmatch(NAMES, e->d_name, 0) == 0 &&
		    fstatat(dirfd(d), e->d_name, &st, 0) == 0 &&
		    time(NULL) - st.st_mtime > NEW_S)
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	file_closedir(d);
	for (int k = 0; k < 2 && good; k++)
		good = l[k].most == 0 || put(dir, l[k].file, l[k].most);
	*fd = good ? open_in(dir, "cgroup.procs") : -1;
	if (*fd >= 0) {
		b->cgroup[i] = dir;
		return true;
	}
	rmdir(dir);
	free(dir);
	return false;
}

/* Make b's group number i, with these limits, in the hierarchy that has this
 * controller ("" for version 2); a process enters through *fd. */
static bool
make_group(struct box *b, int i, const char *controller,
    const struct limit l[2], int *fd)
{
	struct buf groups = BUF_INIT(LISTING_MAX);
	char *save = NULL, *own = NULL;

	/* our own group in that hierarchy, below its mount */
	file_read("/proc/self/cgroup", &groups, NULL);
	for (char *line = groups.len > 0 ? strtok_r(groups.p, "\n", &save) :
	    NULL; line != NULL && own == NULL;
	    line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':');
		char *path = list != NULL ? strchr(list + 1, ':') : NULL;

		if (path == NULL)
			continue;
		*path++ = '\0';
		if (strcmp(list + 1, controller) == 0 && path[0] == '/')
			own = xasprintf(TOP "%s%s%s", controller[0] != '\0' ?
			    "/" : "", controller, strcmp(path, "/") == 0 ?
			    "" : path);
	}
	buf_release(&groups);
	bool made = own != NULL && make_in(b, i, own, l, fd);
	/* version 2: a group with processes has no controllers to give */
	if (own != NULL && !made && controller[0] == '\0' &&
	    strcmp(own, TOP) != 0) {
		*strrchr(own, '/') = '\0';
		made = make_in(b, i, own, l, fd);
	}
	free(own);
	return made;
}

const char *
cgroup_words(bool memory, bool pids)
{
	return memory && pids ? "memory and processes" : memory ? "memory" :
	    pids ? "processes" : NULL;
}

void
cgroup_make(struct box *b, int fds[2])
{
	long long memory = conf_int(b->bs->conf, "sandbox.memory");
	long long pids = conf_int(b->bs->conf, "sandbox.pids");

	fds[0] = fds[1] = -1;
	b->unlimited = NULL;
	if (memory == 0 && pids == 0) {
		b->unlimited = cgroup_words(true, true);
		return;
	}
	if (make_group(b, 0, "", (struct limit[]){ { "memory.max", memory },
	    { "pids.max", pids } }, &fds[0])) {
		/* otherwise it would just swap; not every kernel has this */
		if (memory > 0)
			put(b->cgroup[0], "memory.swap.max", 0);
		return;
	}
	bool *no = b->bs->no_group;
	no[0] = memory > 0 && !make_group(b, 0, "memory", (struct limit[]){
	    { "memory.limit_in_bytes", memory }, { NULL, 0 } }, &fds[0]);
	no[1] = pids > 0 && !make_group(b, 1, "pids", (struct limit[]){
	    { "pids.max", pids }, { NULL, 0 } }, &fds[1]);
	b->unlimited = cgroup_words(memory == 0 || no[0], pids == 0 || no[1]);
	if (!no[0] && !no[1])
		return;
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
