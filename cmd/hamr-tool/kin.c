/* kin.c - every process that descends from this one, found and ended. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "file.h"
#include "mem.h"
#include "num.h"
#include "utf8.h"

#include "kin.h"

#define PROC_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 60
#define NAMES_MAX 5
#define KILL_MS 30000

struct kin {
	int *pid;
	bool *leaf;		/* no children of its own */
	size_t n, cap, leafcap;
	const struct kin_spared *spared;
};

void
kin_reap(int keep)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    si.si_pid == 0)
			return;
		/* keep stands first in the queue until its owner reaps it;
		 * the others wait for that */
		if (si.si_pid == keep)
			return;
		waitpid(si.si_pid, NULL, WNOHANG);
	}
}

/* ---- the walk ---- */

static void
add_pid(struct kin *k, int pid)
{
	k->pid = xgrow(k->pid, k->n, &k->cap, sizeof *k->pid);
	k->leaf = xgrow(k->leaf, k->n, &k->leafcap, sizeof *k->leaf);
	k->pid[k->n] = pid;
	k->leaf[k->n++] = true;
}

static bool
is_spared(const struct kin_spared *s, int pid)
{
	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (s->pid[i] == pid)
			return true;
	return false;
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

			if (num_i64(w, strlen(w), &child) &&
			    !is_spared(k->spared, (int)child))
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
walk(struct kin *k, const struct kin_spared *s)
{
	*k = (struct kin){ .spared = s };
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

void
kin_adopt(struct kin_spared *s)
{
	struct kin k;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	walk(&k, NULL);
	*s = (struct kin_spared){ k.pid, k.n, k.cap };
	free(k.leaf);
}

void
kin_release(struct kin_spared *s)
{
	free(s->pid);
	s->pid = NULL;
	s->n = s->cap = 0;
}

void
kin_group(int group, int sig)
{
	if (group > 1 && group != getpgrp())
		kill(-group, sig);
}

size_t
kin_signal(const struct kin_spared *s, int sig)
{
	struct kin k;
	size_t n = 0;

	walk(&k, s);
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
kin_names(const struct kin_spared *s, struct buf *out)
{
	char **names = NULL;
	size_t n = 0, cap = 0, said = 0;
	struct kin k;

	walk(&k, s);
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
stop_all(const struct kin_spared *s)
{
	size_t before = 0;

	for (int i = 0; i < 100; i++) {
		size_t n = kin_signal(s, SIGSTOP);

		if (n == 0 || n == before)
			return;
		before = n;
	}
}

/* Kill each group they are in at one moment, then each of them. */
static size_t
kill_all(const struct kin_spared *s)
{
	int last = 0;
	struct kin k;

	walk(&k, s);
	for (size_t i = 0; i < k.n; i++) {
		int group = getpgid(k.pid[i]);

		if (group != last)
			kin_group(group, SIGKILL);
		last = group;
	}
	release(&k);
	return kin_signal(s, SIGKILL);
}

void
kin_end(const struct kin_spared *s, int keep)
{
	/* as long as somebody can be killed; who cannot die at once (disk
	 * sleep) has the signal, and is not waited for longer than this */
	long long deadline = file_now_ms() + KILL_MS;

	for (;;) {
		stop_all(s);
		if (kill_all(s) == 0) {
			kin_reap(keep);
			return;
		}
		kin_reap(keep);
		if (file_now_ms() > deadline)
			return;
		poll(NULL, 0, 1);
	}
}
