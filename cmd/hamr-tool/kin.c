/* kin.c - every process that descends from this one, found and ended. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "num.h"
#include "utf8.h"

#include "kin.h"

#define PROC_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 60
#define NAMES_MAX 5

struct kin {
	int *pid;
	bool *leaf;		/* no children of its own */
	size_t n, cap, leafcap;
};

/* ---- the walk ---- */

static void
add_pid(struct kin *k, int pid)
{
	k->pid = xgrow(k->pid, k->n, &k->cap, sizeof *k->pid);
	k->leaf = xgrow(k->leaf, k->n, &k->leafcap, sizeof *k->leaf);
	k->pid[k->n] = pid;
	k->leaf[k->n++] = true;
}

/* The pids in /proc/PID/task/TID/children; how many there were. */
static size_t
add_children(struct kin *k, int pid, const char *tid)
{
	char *path = xasprintf("/proc/%d/task/%s/children", pid, tid);
	struct buf b = BUF_INIT(PROC_MAX);
	size_t n = 0;

	if (file_read(path, &b, NULL) == 0 && b.len > 0) {
		char *save = NULL, *w = strtok_r(b.p, " \n", &save);

		for (; w != NULL; w = strtok_r(NULL, " \n", &save), n++) {
			int64_t child;

			if (num_i64(w, strlen(w), &child))
				add_pid(k, (int)child);
		}
	}
	buf_release(&b);
	free(path);
	return n;
}

static size_t
add_children_of(struct kin *k, int pid)
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			n += add_children(k, pid, e->d_name);
	if (d != NULL)
		closedir(d);
	free(path);
	return n;
}

/* All descendants of this process, parents before children. */
static void
walk(struct kin *k)
{
	*k = (struct kin){ .n = 0 };
	add_children_of(k, getpid());
	for (size_t i = 0; i < k->n; i++)
		k->leaf[i] = add_children_of(k, k->pid[i]) == 0;
}

static void
release(struct kin *k)
{
	free(k->pid);
	free(k->leaf);
}

/* Has it ended already, waiting to be reaped? */
static bool
is_zombie(int pid)
{
	char *path = xasprintf("/proc/%d/stat", pid);
	struct buf b = BUF_INIT(PROC_MAX);
	const char *paren = NULL;
	bool gone;

	if (file_read(path, &b, NULL) == 0 && b.len > 0)
		paren = strrchr(b.p, ')');
	gone = paren == NULL || paren[1] == '\0' || paren[2] == 'Z' ||
	    paren[2] == 'X';
	buf_release(&b);
	free(path);
	return gone;
}

size_t
kin_signal(int sig)
{
	struct kin k;
	size_t n = 0;

	walk(&k);
	for (size_t i = 0; i < k.n; i++)
		if (!is_zombie(k.pid[i]) && kill(k.pid[i], sig) == 0)
			n++;
	release(&k);
	return n;
}

/* ---- names ---- */

static char *
command_line(int pid)
{
	char *path = xasprintf("/proc/%d/cmdline", pid);
	struct buf b = BUF_INIT(PROC_MAX);
	struct buf clean = BUF_INIT(PROC_MAX);

	file_read(path, &b, NULL);
	free(path);
	while (b.len > 0 && b.p[b.len - 1] == '\0')
		b.len--;
	for (size_t i = 0; i < b.len; i++)
		if ((unsigned char)b.p[i] < 0x20 || b.p[i] == 0x7f)
			b.p[i] = ' ';
	if (b.len > 0)
		utf8_clean(&clean, b.p, b.len);
	buf_release(&b);
	if (clean.len > NAME_MAX_BYTES) {
		clean.len = utf8_cut(clean.p, clean.len, NAME_MAX_BYTES);
		buf_adds(&clean, "...");
	}
	return buf_detach(&clean);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
kin_names(struct buf *out)
{
	char **names = NULL;
	size_t n = 0, cap = 0, said = 0;
	struct kin k;

	walk(&k);
	for (size_t i = 0; i < k.n; i++) {
		if (!k.leaf[i] || is_zombie(k.pid[i]))
			continue;
		names = xgrow(names, n, &cap, sizeof *names);
		names[n++] = command_line(k.pid[i]);
	}
	release(&k);
	if (n > 0)
		qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++) {
		bool again = i > 0 && strcmp(names[i], names[i - 1]) == 0;

		if (!again && names[i][0] != '\0' && said++ < NAMES_MAX)
			buf_fmt(out, "%s%s", said > 1 ? ", " : "", names[i]);
	}
	if (said > NAMES_MAX)
		buf_fmt(out, ", %zu more", said - NAMES_MAX);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* ---- the end ---- */

/* Stop them until a walk finds nobody new: who is stopped cannot fork. */
static void
stop_all(void)
{
	size_t before = 0;

	for (int i = 0; i < 100; i++) {
		size_t n = kin_signal(SIGSTOP);

		if (n == 0 || n == before)
			return;
		before = n;
	}
}

/* Each group they are in at one moment, then each of them. */
bool
kin_kill(void)
{
	int last = 0, own = getpgrp();
	struct kin k;

	stop_all();
	walk(&k);
	for (size_t i = 0; i < k.n; i++) {
		int group = getpgid(k.pid[i]);

		if (group != last && group > 1 && group != own)
			kill(-group, SIGKILL);
		last = group;
	}
	release(&k);
	return kin_signal(SIGKILL) == 0;
}
