/* box.c - one sandbox: a command is started in it, watched and ended. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env.h"
#include "file.h"
#include "mem.h"
#include "box_wire.h"

#include "box_in.h"

#define ANSWER_MS 40000		/* longer than the supervisor's own patience */
#define STOPPED_MS 1500		/* where a command can stop the supervisor, */
#define BEGUN_MS 6000		/* also before that has said that it runs */
#define TEXTS_MAX ((size_t)64 << 20)

const char *
box_name(const struct box *b)
{
	static const char *const names[] = { [LAYER_NONE] = "none",
		[LAYER_SECCOMP] = "seccomp", [LAYER_LANDLOCK] = "landlock",
		[LAYER_BWRAP] = "bubblewrap" };

	return names[b->layer];
}

const char *
box_unlimited(const struct box *b)
{
	return b->unlimited;
}

char **
box_env(const struct box *b, const char *const *more, size_t nmore)
{
	const struct boxes *bs = b->bs;
	struct env_opts o = { .conf = bs->conf, .pwd = bs->root.real,
		.more = more, .nmore = nmore };

	if (bs->switched) {
		o.home = bs->home != NULL ? bs->home : "/";
		o.user = bs->user;
	}
	if (b->layer == LAYER_BWRAP) {
		o.tmp = "/tmp";
		o.cache = bs->cache != NULL ? bs->cache : "/tmp/.cache";
	} else if (b->layer == LAYER_LANDLOCK) {
		o.tmp = bs->tmp;
		o.cache = bs->cache != NULL ? bs->cache : bs->tmp;
	}
	return env_make(&o);
}

/* ---- hearing ---- */

static void
lose(struct box *b)
{
	b->lost = true;
	/* with its first process a namespace ends; else there is one that
	 * ends the others, when told */
	if (b->pid > 0)
		kill(b->pid, b->layer == LAYER_BWRAP ? SIGKILL : SIGTERM);
}

static void
heed(struct box *b, const struct wire *w)
{
	switch (w->op) {
	case WIRE_EXIT:
		b->exited = true;
		b->code = w->a;
		b->number = w->b;
		break;
	case WIRE_EMPTY:
		b->empty = true;
		break;
	default:
		break;
	}
}

/* The next packet within ms; false when there is none. */
static bool
hear(struct box *b, struct wire *w, int ms)
{
	struct pollfd p = { b->ctl, POLLIN, 0 };
	ssize_t n;
	int got;

	if (b->lost)
		return false;
	if (ms > 0) {
		do
			got = poll(&p, 1, ms);
		while (got < 0 && errno == EINTR);
		if (got == 0)
			return false;
	}
	do
		n = recv(b->ctl, w, sizeof *w, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof *w) {
		w->text[WIRE_TEXT - 1] = '\0';
		return true;
	}
	if (n >= 0 || errno != EAGAIN)
		lose(b);
	return false;
}

/* Wait for the answer op. */
static bool
await(struct box *b, int op, struct wire *w)
{
	long long until = file_now_ms() + (b->layer == LAYER_BWRAP ?
	    ANSWER_MS : op == WIRE_ENDED ? STOPPED_MS : op == WIRE_STARTED ?
	    BEGUN_MS : ANSWER_MS);

	for (;;) {
		long long left = until - file_now_ms();

		if (left <= 0 || !hear(b, w, (int)left)) {
			lose(b);
			return false;
		}
		if (w->op == op)
			return true;
		heed(b, w);
	}
}

int
box_fd(const struct box *b)
{
	return b->lost ? -1 : b->ctl;
}

void
box_learn(struct box *b)
{
	struct wire w;

	while (hear(b, &w, 0))
		heed(b, &w);
}

bool
box_exited(const struct box *b)
{
	return b->exited;
}

bool
box_empty(const struct box *b)
{
	return b->empty || b->lost;
}

bool
box_lost(const struct box *b)
{
	return b->lost;
}

void
box_status(const struct box *b, int *code, int *number)
{
	*code = b->code;
	*number = b->number;
}

/* ---- telling ---- */

static bool
tell(struct box *b, const struct wire *w, const int *fds, size_t n)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(4 * sizeof(int))];
	} u;
	struct iovec iov = { (void *)(uintptr_t)w, sizeof *w };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got;

	if (b->lost)
		return false;
	if (n > 0) {
		struct cmsghdr *c;

		memset(&u, 0, sizeof u);
		m.msg_control = &u;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	do
		got = sendmsg(b->ctl, &m, MSG_NOSIGNAL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		lose(b);
	return got >= 0;
}

void
box_signal(struct box *b, int sig)
{
	struct wire w = { .op = WIRE_SIGNAL, .a = sig };

	if (b->running)
		tell(b, &w, NULL, 0);
}

void
box_end(struct box *b, struct buf *names)
{
	struct wire w = { .op = WIRE_END, .a = names != NULL };

	if (!b->running)
		return;
	if (tell(b, &w, NULL, 0) && await(b, WIRE_ENDED, &w)) {
		if (names != NULL)
			buf_adds(names, w.text);
		/* who could not be killed goes with the namespace */
		if (w.a != 0)
			lose(b);
	}
	b->running = false;
	b->empty = true;
}

/* ---- starting ---- */

static int
texts_of(const struct box *b, const struct box_cmd *cmd, struct wire *w)
{
	struct buf t = BUF_INIT(TEXTS_MAX);
	const char *dir = cmd->dir != NULL ? cmd->dir : b->bs->root.real;
	int fd = -1;

	buf_add(&t, dir, strlen(dir) + 1);
	for (; cmd->argv[w->a] != NULL; w->a++)
		buf_add(&t, cmd->argv[w->a], strlen(cmd->argv[w->a]) + 1);
	for (; cmd->env[w->b] != NULL; w->b++)
		buf_add(&t, cmd->env[w->b], strlen(cmd->env[w->b]) + 1);
	if (!t.over)
		fd = memfd_create("command", MFD_CLOEXEC);
	if (fd >= 0 && (file_write_all(fd, t.p, t.len) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -1;
	}
	buf_release(&t);
	return fd;
}

void
box_io_close(struct box_io *io)
{
	int *fds[] = { &io->in, &io->out, &io->err };

	for (size_t i = 0; i < 3; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static void
close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Pipes: our ends in io, theirs in fds (0, 1, 2). */
static bool
make_pipes(const struct box_cmd *cmd, struct box_io *io, int fds[3])
{
	int p[2];

	if (cmd->piped) {
		if (pipe2(p, O_CLOEXEC) < 0)
			return false;
		fds[0] = p[0];
		io->in = p[1];
		fcntl(io->in, F_SETFL, O_NONBLOCK);
	} else {
		fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	if (pipe2(p, O_CLOEXEC) < 0)
		return false;
	io->out = p[0];
	fds[1] = p[1];
	if (pipe2(p, O_CLOEXEC) < 0)
		return false;
	io->err = p[0];
	fds[2] = p[1];
	fcntl(io->out, F_SETFL, O_NONBLOCK);
	fcntl(io->err, F_SETFL, O_NONBLOCK);
	return fds[0] >= 0;
}

int
box_spawn(struct box *b, const struct box_cmd *cmd, struct box_io *io)
{
	struct wire w = { .op = WIRE_RUN };
	int fds[4] = { -1, -1, -1, -1 }, got = EPIPE;

	*io = (struct box_io){ -1, -1, -1 };
	b->exited = b->empty = false;
	errno = 0;
	fds[0] = texts_of(b, cmd, &w);
	if (fds[0] < 0 || !make_pipes(cmd, io, fds + 1))
		got = errno != 0 ? errno : ENOMEM;
	else if (tell(b, &w, fds, 4))
		got = await(b, WIRE_STARTED, &w) ? w.a : ETIMEDOUT;
	close_all(fds, 4);
	b->running = got == 0;
	if (got == 0)
		return 0;
	box_io_close(io);
	errno = got;
	return -1;
}
