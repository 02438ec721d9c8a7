/* descendants.c - every process that descends from this one. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

#include "descendants.h"

#define PROC_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 60
#define NAMES_MAX 5

struct process {
	int pid;
	bool leaf;		/* no children of its own */
};

struct processes {
	struct process *v;
	size_t n, cap;
};

/* ---- the walk ---- */

/* What /proc has in a file of a process or thread; NULL when it is gone.
 * Yours. */
static char *
read_proc(int pid, const char *file, size_t *n)
{
	char *path = xasprintf("/proc/%d/%s", pid, file);
	struct buf b = BUF_INIT(PROC_MAX);

	file_read(path, &b, NULL);
	free(path);
	*n = b.len;
	return b.len > 0 ? buf_detach(&b) : NULL;
}

/* The children of all its threads; how many there were. */
static size_t
add_children(struct processes *k, int pid)
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *d = file_opendir(AT_FDCWD, path);
	struct dirent *e;
	size_t n = 0, len;

	free(path);
	while ((e = file_readdir(d)) != NULL) {
		char *file = xasprintf("task/%s/children", e->d_name);
		char *text = read_proc(pid, file, &len), *save = NULL;

		for (char *w = text != NULL ? strtok_r(text, " \n", &save) :
		    NULL; w != NULL; w = strtok_r(NULL, " \n", &save), n++) {
			int64_t child;

			if (!num_i64(w, strlen(w), &child))
				continue;
			GROW(k->v, k->n, k->cap);
			k->v[k->n++] = (struct process){ (int)child, true };
		}
		free(file);
		free(text);
	}
	file_closedir(d);
	return n;
}

/* All descendants of this process, parents before children. */
static void
walk(struct processes *k)
{
	*k = (struct processes){ .n = 0 };
	add_children(k, getpid());
	for (size_t i = 0; i < k->n; i++) {
		size_t n = add_children(k, k->v[i].pid);

		k->v[i].leaf = n == 0;
	}
}

/* Has it ended already, waiting to be reaped? */
static bool
is_zombie(int pid)
{
	size_t n;
	char *text = read_proc(pid, "stat", &n);
	const char *paren = text != NULL ? strrchr(text, ')') : NULL;
	bool gone = paren == NULL || paren[1] == '\0' || paren[2] == 'Z' ||
	    paren[2] == 'X';

	free(text);
	return gone;
}

size_t
descendants_signal(int sig)
{
	struct processes k;
	size_t n = 0;

	walk(&k);
	for (size_t i = 0; i < k.n; i++)
		if (!is_zombie(k.v[i].pid) && kill(k.v[i].pid, sig) == 0)
			n++;
	free(k.v);
	return n;
}

/* ---- names ---- */

static char *
command_line(int pid)
{
	struct buf clean = BUF_INIT(PROC_MAX);
	size_t n;
	char *text = read_proc(pid, "cmdline", &n);

	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = ' ';
	if (n > 0)
		utf8_clean(&clean, text, n);
	free(text);
	if (clean.len > NAME_MAX_BYTES) {
		clean.len = utf8_cut(clean.p, clean.len, NAME_MAX_BYTES);
		buf_adds(&clean, "...");
	}
	return buf_detach(&clean);
}

void
descendants_names(struct buf *out)
{
	struct texts names = { .n = 0 };
	struct processes k;
	size_t said = 0;

	walk(&k);
	for (size_t i = 0; i < k.n; i++)
		if (k.v[i].leaf && !is_zombie(k.v[i].pid))
			texts_add(&names, command_line(k.v[i].pid));
	free(k.v);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof *names.v, text_order);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];
		bool again = i > 0 && strcmp(name, names.v[i - 1]) == 0;

		if (!again && name[0] != '\0' && said++ < NAMES_MAX)
			buf_fmt(out, "%s%s", said > 1 ? ", " : "", name);
	}
	if (said > NAMES_MAX)
		buf_fmt(out, ", %zu more", said - NAMES_MAX);
	texts_release(&names);
}

/* ---- the end ---- */

bool
descendants_kill(void)
{
	int last = 0, own = getpgrp();
	size_t before = 0, n;
	struct processes k;

	/* stop them until a walk finds no new one: a stopped process cannot
	 * fork */
	for (int i = 0; i < 100; i++) {
		n = descendants_signal(SIGSTOP);
		if (n == 0 || n == before)
			break;
		before = n;
	}
	/* each group they are in at one moment, then each of them */
	walk(&k);
	for (size_t i = 0; i < k.n; i++) {
		int group = getpgid(k.v[i].pid);

		if (group != last && group > 1 && group != own)
			kill(-group, SIGKILL);
		last = group;
	}
	free(k.v);
	return descendants_signal(SIGKILL) == 0;
}
