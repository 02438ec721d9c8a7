/* context.c - what a session tells the model about its place. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "file.h"
#include "mem.h"
#include "state.h"
#include "utf8.h"

#define FILES_MAX ((size_t)32 << 10)	/* of all AGENTS.md files */
#define BRIEF_MAX ((size_t)64 << 10)
#define BRIEF_MS 1000
#define TASK_MAX ((size_t)4096)		/* of the task, as a query */

/* A link to another text of the repository is followed (AGENTS.md is often
 * CLAUDE.md); one that leads out, or to something else, is not. */
static int
open_file(const char *path, const char *root)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t top = strlen(root), n;
	char *real;

	if (fd >= 0 || errno != ELOOP)
		return fd;
	real = realpath(path, NULL);
	n = real != NULL ? strlen(real) : 0;
	if (n > top + 3 && strncmp(real, root, top) == 0 &&
	    (real[top] == '/' || root[top - 1] == '/') &&
	    strcmp(real + n - 3, ".md") == 0)
		fd = open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		    O_CLOEXEC);
	free(real);
	return fd;
}

/* The first bytes, at most n: how many there are. */
static size_t
first_bytes(int fd, char *p, size_t n)
{
	size_t have = 0;
	ssize_t k = 1;

	while (have < n && k > 0) {
		k = pread(fd, p + have, n - have, (off_t)have);
		have += k > 0 ? (size_t)k : 0;
	}
	return have;
}

/* One file; its bytes left out are told. */
static void
one_file(int fd, const char *shown, size_t room, struct buf *out)
{
	char *raw = xmalloc(room + 1);
	struct stat st;
	size_t have, n;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		have = first_bytes(fd, raw, room + 1);
		n = utf8_cut(raw, have, room);
		if (out->len > 0)
			buf_addc(out, '\n');
		buf_fmt(out, "%s of this repository:\n\n", shown);
		utf8_clean(out, raw, n);
		if ((off_t)n < st.st_size)
			buf_fmt(out, "\n[%lld more bytes in %s]\n",
			    (long long)st.st_size - (long long)n, shown);
	}
	free(raw);
}

void
context_files(const char *root, const char *dir, struct buf *out)
{
	size_t top = strlen(root), begun = out->len;
	char at[PATH_MAX];

	if (strlen(dir) >= sizeof at || strncmp(dir, root, top) != 0 ||
	    (dir[top] != '/' && dir[top] != '\0'))
		dir = root;
	memcpy(at, dir, strlen(dir) + 1);
	for (;;) {
		size_t used = out->len - begun;
		char *path = xasprintf("%s/AGENTS.md", at);
		char *shown = xasprintf("%s%sAGENTS.md", at[top] == '/' ?
		    at + top + 1 : "", at[top] == '/' ? "/" : "");

		int fd = used < FILES_MAX ? open_file(path, root) : -1;

		if (fd >= 0) {
			one_file(fd, shown, FILES_MAX - used, out);
			close(fd);
		}
		free(path);
		free(shown);
		if (strlen(at) <= top)
			return;
		*strrchr(at, '/') = '\0';
	}
}

/* ---- the memory ---- */

static bool
is_there(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	bool yes = access(path, R_OK) == 0;

	free(path);
	return yes;
}

static bool
has_memory(const char *root)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *dir = state_dir(root, false, NULL);
	bool yes = dir != NULL && is_there(dir, "memory.db");

	free(dir);
	if (!yes && data != NULL && data[0] == '/')
		return is_there(data, "hamr/memory.db");
	return yes || (home != NULL &&
	    is_there(home, ".local/share/hamr/memory.db"));
}

struct child *
context_ask(const char *root, const char *task, const char *const *unset,
    size_t nunset)
{
	static const char *const commands[] = { "hamr-mem brief" };
	char *words = task == NULL ? NULL : xmemdup0(task, utf8_cut(task,
	    strlen(task), TASK_MAX));
	const char *flags[] = { "--", words };
	struct child_opts o = { .commands = commands, .n = 1, .flags = flags,
		.nflags = task != NULL ? 2 : 0, .unset = unset,
		.nunset = nunset };
	struct child *c = NULL;
	struct err e;

	if (has_memory(root))
		c = child_start(&o, &e);
	if (c != NULL)
		child_close_in(c);
	free(words);
	return c;
}

void
context_memory(struct child *c, struct buf *out)
{
	struct buf b = BUF_INIT(BRIEF_MAX);
	long long until = file_now_ms() + BRIEF_MS, left = 0;
	char part[4096];

	if (c == NULL)
		return;
	while ((left = until - file_now_ms()) > 0) {
		struct pollfd p = { child_out(c), POLLIN, 0 };
		ssize_t n;

		if (poll(&p, 1, (int)left) <= 0)
			break;
		n = read(p.fd, part, sizeof part);
		if (n <= 0 || buf_add(&b, part, (size_t)n) < 0)
			break;
	}
	child_end(c, left > 0 ? BRIEF_MS : 0);
	if (b.len > 0) {
		buf_adds(out, out->len > 0 ? "\n" : "");
		buf_adds(out, "What is remembered of earlier work here (ask "
		    "search_memory for more):\n\n");
		utf8_clean(out, b.p, b.len);
	}
	buf_release(&b);
}
