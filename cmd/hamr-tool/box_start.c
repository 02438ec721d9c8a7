/* box_start.c - a supervisor is started, in namespaces or without. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "env.h"
#include "file.h"
#include "mem.h"
#include "supervisor.h"
#include "box_wire.h"

#include "box_child.h"
#include "box_in.h"

#define READY_MS 10000
#define ARGS_MAX ((size_t)4 << 20)
#define FIRST_FREE 16		/* fds of ours are moved above this */

/* ---- what it is given ---- */

/* A file that has no name, with these bytes, to be read from its start. */
static int
file_of(const char *name, struct slice bytes)
{
	int fd = memfd_create(name, MFD_CLOEXEC), high;

	if (fd < 0)
		return -1;
	if (file_write_all(fd, bytes.p != NULL ? bytes.p : "", bytes.n) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
	close(fd);
	return high;
}

static void
put_text(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static void
put_writable(struct buf *out, struct wire_setup *head, const char *path)
{
	if (path == NULL)
		return;
	put_text(out, path);
	head->nwritable++;
}

/* In a read-only mount no file can be written, but any FIFO and device. */
static void
put_mounts(const struct box *b, const struct box_git *g, struct buf *out,
    struct wire_setup *head)
{
	static const char *const fresh[] = { "/tmp", "/var/tmp", "/run",
		"/dev" };
	const struct boxes *bs = b->bs;
	const char *const *scratch;
	size_t n;

	for (size_t i = 0; i < sizeof fresh / sizeof fresh[0]; i++)
		put_writable(out, head, fresh[i]);
	put_writable(out, head, bs->cache);
	if (head->root_writable)
		put_writable(out, head, bs->root.real);
	scratch = conf_list(bs->conf, "sandbox.scratch", &n);
	for (size_t i = 0; i < n && b->scratch; i++) {
		char *path = xasprintf("%s/%s", bs->root.real, scratch[i]);

		put_writable(out, head, path);
		free(path);
	}
	for (size_t i = 0; i < g->dirs.n && b->want.kind == BOX_WRITE &&
	    conf_bool(bs->conf, "sandbox.git_write"); i++)
		put_writable(out, head, g->dirs.v[i]);
}

static void
put_lists(const struct box *b, struct buf *out, struct wire_setup *head)
{
	static const char *const dev[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" };
	const struct boxes *bs = b->bs;

	for (size_t i = 0; i < sizeof dev / sizeof dev[0]; i++)
		put_writable(out, head, dev[i]);
	put_writable(out, head, bs->tmp);
	put_writable(out, head, bs->cache);
	if (b->want.kind == BOX_WRITE)
		put_writable(out, head, bs->root.real);
	/* disks, terminals of others; but what is listed above */
	put_text(out, "/dev");
	head->nhidden++;
	for (size_t i = 0; i < bs->hidden.n; i++) {
		size_t n = strlen(bs->hidden.v[i]);

		/* what holds the root cannot be hidden from it */
		if (strncmp(bs->root.real, bs->hidden.v[i], n) == 0 &&
		    (bs->root.real[n] == '/' || bs->root.real[n] == '\0'))
			continue;
		put_text(out, bs->hidden.v[i]);
		head->nhidden++;
	}
}

static int
make_setup(const struct box *b, const struct box_git *g)
{
	struct wire_setup head = { .layer = (int)b->layer,
		.network = b->want.network,
		.unix_sockets = b->want.network || b->want.unix_sockets,
		.root_writable = b->overlay != NULL ||
		    (b->want.kind == BOX_WRITE && !b->locked) };
	struct buf texts = BUF_INIT(ARGS_MAX), all = BUF_INIT(ARGS_MAX);
	bool git_write = conf_bool(b->bs->conf, "sandbox.git_write");
	int fd;

	put_text(&texts, b->bs->root.real);
	put_text(&texts, g->dirs.n > 0 && !git_write ? g->dirs.v[0] : "");
	if (b->layer == LAYER_LANDLOCK)
		put_lists(b, &texts, &head);
	else if (b->layer == LAYER_BWRAP)
		put_mounts(b, g, &texts, &head);
	buf_add(&all, &head, sizeof head);
	buf_slice(&all, buf_view(&texts));
	fd = file_of("setup", buf_view(&all));
	buf_release(&texts);
	buf_release(&all);
	return fd;
}

static int
make_args(struct box *b, const struct box_git *g)
{
	struct buf args = BUF_INIT(ARGS_MAX);
	int fd = -1;

	if (args_make(b, g, &args))
		fd = file_of("args", buf_view(&args));
	buf_release(&args);
	return fd;
}

/* ---- is it well? ---- */

static void
words_of(int fault, const char *text, struct err *why)
{
	static const struct { int bit; const char *words; } all[] = {
		{ FAULT_CAPS, "it kept capabilities" },
		{ FAULT_PRIVS, "it could gain privileges" },
		{ FAULT_ETC, "it could write /etc" },
		{ FAULT_REMOUNT, "it could remount /" },
		{ FAULT_ROOT, "it could write what is read-only" },
		{ FAULT_PID, "it saw other processes" },
		{ FAULT_SECCOMP, "a forbidden system call went through" },
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (fault & all[i].bit) {
			err_set(why, ST_SYSTEM, "its self-test failed: %s",
			    all[i].words);
			return;
		}
	err_set(why, ST_SYSTEM, "%s", text[0] != '\0' ? text :
	    "it could not be set up");
}

/* What bubblewrap, or the child, had to say. */
static void
words_of_stderr(int fd, struct err *why)
{
	struct buf b = BUF_INIT(1 << 16);

	if (lseek(fd, 0, SEEK_SET) == 0)
		file_read_fd(fd, "stderr", &b, NULL);
	if (b.len > 0) {
		b.p[strcspn(b.p, "\n")] = '\0';
		err_set(why, ST_SYSTEM, "%s", strncmp(b.p, "bwrap: ", 7) == 0 ?
		    b.p + 7 : b.p);
	} else {
		err_set(why, ST_SYSTEM, "it ended at once");
	}
	buf_release(&b);
}

static int
await_ready(struct box *b, int err, struct err *why)
{
	/* its end is seen even if a child of bubblewrap's holds the socket */
	struct pollfd p[2] = { { b->ctl, POLLIN, 0 },
		{ (int)syscall(SYS_pidfd_open, b->pid, 0), POLLIN, 0 } };
	long long until = file_now_ms() + READY_MS;
	struct wire w;
	ssize_t n;
	int got;

	do
		got = poll(p, 2, (int)(until - file_now_ms()));
	while (got < 0 && errno == EINTR && file_now_ms() < until);
	if (p[1].fd >= 0)
		close(p[1].fd);
	if (got <= 0)
		return err_set(why, ST_TEMP, "it did not start within %d s",
		    READY_MS / 1000);
	do
		n = recv(b->ctl, &w, sizeof w, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && p[1].revents == 0)
		return err_sys(why, ST_TEMP, "nothing was heard of it");
	if (n != (ssize_t)sizeof w || w.op != WIRE_READY) {
		/* it is ending, and has said why by then */
		box_await_end(b);
		words_of_stderr(err, why);
		return -1;
	}
	w.text[WIRE_TEXT - 1] = '\0';
	if (w.a == 0)
		return 0;
	words_of(w.a, w.text, why);
	return -1;
}

/* ---- all together ---- */

static void
end_start(struct start *s)
{
	int fds[] = { s->ctl, s->setup, s->exe, s->args, s->err, s->cgroup[0],
		s->cgroup[1] };

	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (s->env != NULL)
		env_free(s->env);
}

static int
high(int fd)
{
	int h = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE) : -1;

	if (fd >= 0)
		close(fd);
	return h;
}

static int
prepare(struct box *b, const struct box_git *g, struct start *s)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	b->ctl = high(pair[0]);
	s->ctl = high(pair[1]);
	s->setup = make_setup(b, g);
	s->exe = high(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	s->err = file_of("stderr", SLICE(""));
	s->env = box_env(b, NULL, 0);
	if (b->layer == LAYER_BWRAP)
		s->args = make_args(b, g);
	if (b->layer > LAYER_NONE)
		cgroup_make(b, s->cgroup);
	return b->ctl >= 0 && s->ctl >= 0 && s->setup >= 0 && s->exe >= 0 &&
	    s->err >= 0 && (b->layer != LAYER_BWRAP || s->args >= 0) ? 0 : -1;
}

int
start_begin(struct box *b, struct err *why)
{
	struct start s = { .b = b, .ctl = -1, .setup = -1, .exe = -1,
		.args = -1, .err = -1, .cgroup = { -1, -1 } };
	const char *bwrap[] = { b->bs->bwrap, "--args", "6", "--",
		"/proc/self/fd/5", WIRE_ARG, NULL };
	const char *bare[] = { "/proc/self/fd/5", WIRE_ARG, NULL };
	const char **argv = b->layer == LAYER_BWRAP ? bwrap : bare;
	const char *no = b->layer == LAYER_BWRAP ? args_refuse(b->bs) : NULL;
	struct box_git g;

	if (no != NULL)
		return err_set(why, ST_POLICY, "%s", no);
	git_find(b->bs, &g);
	stub_begin(b, &g);
	if (b->journal >= 0) {
		/* there is one now */
		git_release(&g);
		git_find(b->bs, &g);
	}
	if (prepare(b, &g, &s) < 0) {
		err_set(why, ST_TEMP, "there is no room for the files of a "
		    "sandbox");
	} else {
		b->pid = fork();
		if (b->pid == 0)
			box_child(&s, (char *const *)(void *)argv);
		if (b->pid < 0)
			err_sys(why, ST_TEMP, "no process for a sandbox");
	}
	if (b->pid > 0) {
		b->said = s.err;
		s.err = -1;
	}
	end_start(&s);
	git_release(&g);
	return b->pid > 0 ? 0 : -1;
}

int
start_end(struct box *b, struct err *why)
{
	int got = await_ready(b, b->said, why);

	close(b->said);
	b->said = -1;
	return got;
}

int
start_supervisor(struct box *b, struct err *why)
{
	return start_begin(b, why) < 0 ? -1 : start_end(b, why);
}
