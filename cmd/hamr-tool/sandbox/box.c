/* box.c - one sandbox: start its supervisor, with namespaces or without, send
 * it one command at a time, watch it, and end it. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"
#include "supervisor/supervisor.h"

#define READY_MS 10000
#define END_MS 5000
#define ANSWER_MS 40000		/* longer than the supervisor's own patience */
#define STOPPED_MS 1500		/* without a PID namespace a command */
#define BEGUN_MS 6000		/* can stop the supervisor (SIGSTOP) */

/* What the child gets: fds, by the numbers that it has for them, or -1. */
enum { FD_CGROUP = WIRE_ARGS + 1, NGIVEN = FD_CGROUP + 2 };
struct start {
	const struct box *b;
	int fds[NGIVEN];
	struct texts env;
};

/* ---- what it is given ---- */

static void
put_text(struct buf *b, int *count, const char *s)
{
	if (s == NULL)
		return;
	buf_add(b, s, strlen(s) + 1);
	*count += 1;
}

/* List what may be written and what Landlock hides.  Under Landlock alone the
 * list is all the protection; inside bubblewrap it covers FIFOs and devices,
 * which a read-only mount does not protect. */
static void
put_files(const struct box *b, const struct box_git *g, struct buf *out,
    struct wire_setup *head)
{
	static const char *const fresh[] = { "/tmp", "/var/tmp", "/run",
		"/dev", NULL };
	static const char *const dev[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", NULL };
	const struct sandboxes *bs = b->bs;
	bool bwrap = b->layer == LAYER_BWRAP, write = b->spec.kind == BOX_WRITE;
	size_t n;
	const char *const *scratch = conf_list(bs->conf, "sandbox.scratch",
	    &n);

	for (const char *const *p = bwrap ? fresh : dev; *p != NULL; p++)
		put_text(out, &head->nwritable, *p);
	put_text(out, &head->nwritable, bwrap ? NULL : bs->tmp);
	put_text(out, &head->nwritable, bs->cache);
	for (size_t i = 0; i < b->spec.nwrite; i++)
		put_text(out, &head->nwritable, b->spec.write[i]);
	if (bwrap ? head->root_writable : write)
		put_text(out, &head->nwritable, bs->root.real);
	for (size_t i = 0; i < n && bwrap && b->scratch; i++) {
		char *path = xasprintf("%s/%s", bs->root.real, scratch[i]);

		put_text(out, &head->nwritable, path);
		free(path);
	}
	if (bwrap && write && g->write)
		for (size_t i = 0; i < g->dirs.n; i++)
			put_text(out, &head->nwritable, g->dirs.v[i]);
	/* disks and others' terminals, except what is listed above */
	put_text(out, &head->nhidden, bwrap ? NULL : "/dev");
	for (size_t i = 0; i < bs->hidden.n && !bwrap; i++)
		/* a folder that contains the root cannot be hidden */
		if (!is_beneath(bs->root.real, bs->hidden.v[i]))
			put_text(out, &head->nhidden, bs->hidden.v[i]);
}

static bool
prepare(struct box *b, const struct box_git *g, struct start *s)
{
	struct wire_setup head = { .layer = (int)b->layer,
		.network = b->spec.network,
		.unix_sockets = b->spec.network || b->spec.unix_sockets,
		.root_writable = b->overlay != NULL ||
		    (b->spec.kind == BOX_WRITE && b->locked == NULL) };
	struct buf setup = BUF_INIT(WIRE_SETUP_MAX), args = setup;
	int pair[2], first = 0;
	bool good = b->layer != LAYER_BWRAP || layers_make(b, g, &args);

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	b->fd = pair[0];
	s->fds[WIRE_CTL] = pair[1];
	buf_add(&setup, &head, sizeof head);
	/* what is to be found read-only */
	put_text(&setup, &first, b->bare_root ? "" : b->bs->root.real);
	put_text(&setup, &first, !b->bare_root && g->dirs.n > 0 && !g->write ?
	    g->dirs.v[0] : "");
	if (b->layer >= LAYER_LANDLOCK)
		put_files(b, g, &setup, &head);
	for (size_t i = 0; i < b->mounts.n; i++)
		put_text(&setup, &head.nmounts, b->mounts.v[i]);
	memcpy(setup.p, &head, sizeof head);	/* the counts are known now */
	s->fds[STDIN_FILENO] = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->fds[STDERR_FILENO] = file_memory("", 0);
	s->fds[WIRE_SETUP] = file_memory(setup.p, setup.len);
	s->fds[WIRE_EXE] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	s->env = box_env(b, NULL, 0);
	if (b->layer == LAYER_BWRAP && good) {
		s->fds[WIRE_ARGS] = file_memory(args.p, args.len);
		good = s->fds[WIRE_ARGS] >= 0;
	}
	bufs_release(BUFS(&setup, &args));
	if (b->layer > LAYER_NONE)
		cgroup_make(b, &s->fds[FD_CGROUP]);
	return good && s->fds[STDIN_FILENO] >= 0 &&
	    s->fds[STDERR_FILENO] >= 0 && s->fds[WIRE_SETUP] >= 0 &&
	    s->fds[WIRE_EXE] >= 0;
}

/* ---- between fork and exec: system calls only ---- */

static _Noreturn void
fail(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
	_exit(126);
}

static bool
put_map(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && file_write_all(fd, text, strlen(text)) == 0;

	file_close(fd);
	return good;
}

const char *
box_namespaces(int also, uid_t uid, gid_t gid)
{
	char text[64];

	if (unshare(CLONE_NEWUSER | also) < 0)
		return "a user namespace";
	snprintf(text, sizeof text, "%u %u 1", uid, uid);
	if (!put_map("/proc/self/setgroups", "deny") ||
	    !put_map("/proc/self/uid_map", text))
		return "a map of users";
	snprintf(text, sizeof text, "%u %u 1", gid, gid);
	return put_map("/proc/self/gid_map", text) ? NULL : "a map of groups";
}

/* Mount an overlay above the root; only bubblewrap sees it. */
static void
mount_overlay(const struct box *b)
{
	char text[3 * 4096];
	char merged[4096];

	const char *no = box_namespaces(CLONE_NEWNS, b->bs->uid, b->bs->gid);
	if (no != NULL)
		fail(no);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail("private mounts");
	/* lowerdir is ".": a path chosen by others must not get into the
	 * options.  chdir by name, as our fd belongs to the old mounts. */
	if (chdir(b->bs->root.real) < 0)
		fail("the root");
	snprintf(text, sizeof text, "lowerdir=.,upperdir=%s/u,workdir=%s/w,"
	    "userxattr", b->overlay, b->overlay);
	snprintf(merged, sizeof merged, "%s/m", b->overlay);
	if (mount("overlay", merged, "overlay", MS_NOSUID | MS_NODEV, text) <
	    0)
		fail("an overlay");
	if (access(merged, W_OK) < 0)
		fail("an overlay that can be written");
	if (chdir("/") < 0)
		fail("/");
}

static _Noreturn void
child(const struct start *s)
{
	static const char exe[] = "/proc/self/fd/5";
	const struct sandboxes *bs = s->b->bs;
	const char *bwrap[] = { bs->bwrap, "--args", "6", "--", exe, WIRE_ARG,
		NULL };
	const char **argv = s->b->layer == LAYER_BWRAP ? bwrap : bwrap + 4;
	int above[NGIVEN];
	sigset_t none;

	setpgid(0, 0);
	/* number the fds, once none has a number another gets */
	for (int i = 0; i < NGIVEN; i++)
		above[i] = fcntl(s->fds[i], F_DUPFD_CLOEXEC, NGIVEN);
	for (int i = 0; i < NGIVEN; i++)
		if (s->fds[i] >= 0 && dup2(above[i], i) < 0)
			fail("dup2");
	dup2(STDIN_FILENO, STDOUT_FILENO);
	for (int i = FD_CGROUP; i < NGIVEN; i++)
		if (s->fds[i] >= 0 && write(i, "0", 1) != 1)
			fail("the control group");
	if (bs->switched) {
		if (setgroups(1, &bs->gid) < 0 || setresgid(bs->gid, bs->gid,
		    bs->gid) < 0 || setresuid(bs->uid, bs->uid, bs->uid) < 0)
			fail("cannot become the owner of the root");
		/* otherwise /proc/self is owned by root */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	}
	if (s->b->overlay != NULL)
		mount_overlay(s->b);
	close_range(WIRE_ARGS + (s->fds[WIRE_ARGS] >= 0), ~0U, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(argv[0], (char *const *)(void *)argv, s->env.v);
	fail(argv[0]);
}

/* ---- is it well? ---- */

/* Wait for the supervisor, which ends with all its processes when its socket
 * closes, and kill it if it does not.  Returns its wait status. */
static int
await_end(struct box *b)
{
	struct pollfd p = { -1, POLLIN, 0 };
	pid_t pid = b->pid;
	int got, how = 0;

	b->pid = -1;
	if (pid <= 0)
		return how;
	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	do
		got = p.fd >= 0 ? poll(&p, 1, END_MS) : 0;
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		kill(pid, SIGKILL);
	/* a half-made bubblewrap leaves a child in its group */
	kill(-pid, SIGKILL);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	file_close(p.fd);
	return how;
}

static int
await_ready(struct box *box, int said, struct err *why)
{
	/* the pidfd: bubblewrap's child may still hold the socket */
	struct pollfd p[2] = { { box->fd, POLLIN, 0 },
		{ (int)syscall(SYS_pidfd_open, box->pid, 0), POLLIN, 0 } };
	long long until = file_now_ms() + READY_MS;
	struct buf b = BUF_INIT(1 << 16);
	struct wire w;
	ssize_t n;
	int got;

	do
		got = poll(p, 2, (int)(until - file_now_ms()));
	while (got < 0 && errno == EINTR && file_now_ms() < until);
	file_close(p[1].fd);
	if (got <= 0)
		return err_set(why, ST_TEMP, "it did not start within %d s",
		    READY_MS / 1000);
	n = recv(box->fd, &w, sizeof w, MSG_DONTWAIT);
	if (n < 0 && p[1].revents == 0)
		return err_sys(why, ST_TEMP, "it did not respond");
	if (n == (ssize_t)sizeof w && w.op == WIRE_READY) {
		w.text[WIRE_TEXT - 1] = '\0';
		return w.a == 0 ? 0 : err_set(why, ST_SYSTEM, "%s",
		    w.text[0] != '\0' ? w.text : "it could not be set up");
	}
	/* It is ending, and it, bubblewrap or the child has written why.  A
	 * lack of memory or processes, even under our own limit, says nothing
	 * about the layer (ST_TEMP). */
	int how = await_end(box);
	if (lseek(said, 0, SEEK_SET) == 0)
		file_read_fd(said, "stderr", &b, NULL);
	if (b.len > 0) {
		b.p[strcspn(b.p, "\n")] = '\0';
		err_set(why, strstr(b.p, strerror(EAGAIN)) != NULL ||
		    strstr(b.p, strerror(ENOMEM)) != NULL ? ST_TEMP :
		    ST_SYSTEM, "%s", strncmp(b.p, "bwrap: ", 7) == 0 ?
		    b.p + 7 : b.p);
	} else if (WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL :
	    WEXITSTATUS(how) == 128 + SIGKILL) {
		/* bubblewrap reports a signal as a shell does */
		err_set(why, ST_TEMP, "the sandbox was killed at once; it has "
		    "too little memory (sandbox.memory)");
	} else {
		err_set(why, ST_SYSTEM, "it ended at once");
	}
	buf_release(&b);
	return -1;
}

int
box_start(struct box *b, struct err *why)
{
	struct start s = { .b = b };
	const char *no = b->layer == LAYER_BWRAP ? layers_why_not(b->bs) : NULL;
	struct box_git g;
	int got = -1;

	if (no != NULL)
		return err_set(why, ST_POLICY, "%s", no);
	memset(s.fds, -1, sizeof s.fds);
	git_protect(b, &g);
	if (!prepare(b, &g, &s)) {
		err_set(why, ST_TEMP, "no space left for the files of a "
		    "sandbox");
	} else {
		b->pid = fork();
		if (b->pid == 0)
			child(&s);
		if (b->pid < 0)
			err_sys(why, ST_TEMP, "cannot fork for a sandbox");
	}
	for (int i = 0; i < NGIVEN; i++)
		if (i != STDERR_FILENO)
			file_close(s.fds[i]);
	if (b->pid > 0)
		got = await_ready(b, s.fds[STDERR_FILENO], why);
	file_close(s.fds[STDERR_FILENO]);
	texts_release(&s.env);
	texts_release(&g.dirs);
	return got;
}

/* ---- what its supervisor says ---- */

static void
lose(struct box *b)
{
	if (b->lost)
		return;
	b->lost = b->empty = true;
	close(b->fd);
	b->fd = -1;
	/* a PID namespace ends with its first process; without one, the
	 * supervisor ends the others on SIGTERM */
	if (b->pid > 0)
		kill(b->pid, b->layer == LAYER_BWRAP ? SIGKILL : SIGTERM);
}

/* Receive the next packet within ms and note it in b; false if none came. */
static bool
receive(struct box *b, struct wire *w, int ms)
{
	struct pollfd p = { b->fd, POLLIN, 0 };
	ssize_t n;
	int got = 1;

	if (b->lost)
		return false;
	if (ms > 0) {
		do
			got = poll(&p, 1, ms);
		while (got < 0 && errno == EINTR);
		if (got == 0)
			return false;
	}
	n = recv(b->fd, w, sizeof *w, MSG_DONTWAIT);
	if (n == (ssize_t)sizeof *w) {
		w->text[WIRE_TEXT - 1] = '\0';
		if (w->op == WIRE_EXIT) {
			b->exited = true;
			b->code = w->a;
			b->number = w->b;
		}
		b->empty = b->empty || w->op == WIRE_EMPTY;
		return true;
	}
	if (n >= 0 || errno != EAGAIN)
		lose(b);
	return false;
}

/* Wait for the answer op; without it the supervisor is lost. */
static bool
await(struct box *b, int op, struct wire *w)
{
	long long until = file_now_ms() + (b->layer == LAYER_BWRAP ?
	    ANSWER_MS : op == WIRE_ENDED ? STOPPED_MS : op == WIRE_STARTED ?
	    BEGUN_MS : ANSWER_MS);

	while (receive(b, w, (int)(until - file_now_ms())))
		if (w->op == op)
			return true;
	lose(b);
	return false;
}

void
box_update(struct box *b)
{
	struct wire w;

	while (receive(b, &w, 0))
		;
}

/* ---- a command ---- */

static bool
put_packet(struct box *b, const struct wire *w, const int fds[WIRE_FDS])
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(WIRE_FDS * sizeof(int))];
	} u = { .room = "" };
	struct iovec iov = { (void *)(uintptr_t)w, sizeof *w };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got;

	if (b->lost)
		return false;
	if (fds != NULL) {
		m.msg_control = &u;
		m.msg_controllen = sizeof u;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(WIRE_FDS * sizeof(int));
		memcpy(CMSG_DATA(c), fds, WIRE_FDS * sizeof(int));
	}
	do
		got = sendmsg(b->fd, &m, MSG_NOSIGNAL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		lose(b);
	return got >= 0;
}

int
box_spawn(struct box *b, char *const *argv, char *const *env, bool piped,
    struct box_io *io)
{
	int *ours[] = { &io->in, &io->out, &io->err };
	const char *dir = b->bs->root.real;
	struct buf t = BUF_INIT(WIRE_TEXTS_MAX);
	struct wire w = { .op = WIRE_RUN };
	int fds[WIRE_FDS] = { -1, -1, -1, -1 }, got = EPIPE;

	*io = (struct box_io){ -1, -1, -1 };
	b->exited = b->empty = false;
	errno = 0;
	buf_add(&t, dir, strlen(dir) + 1);
	while (argv[w.a] != NULL)
		put_text(&t, &w.a, argv[w.a]);
	while (env[w.b] != NULL)
		put_text(&t, &w.b, env[w.b]);
	if (!t.over)
		fds[0] = file_memory(t.p, t.len);
	buf_release(&t);
	/* pipes: our ends in io, theirs after the texts */
	bool good = fds[0] >= 0;
	for (int i = 0; i < 3 && good; i++) {
		int p[2] = { -1, -1 };

		if (i == 0 && !piped)
			p[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		else if (pipe2(p, O_CLOEXEC) == 0)
			fcntl(p[i == 0], F_SETFL, O_NONBLOCK);
		fds[i + 1] = p[i != 0];
		*ours[i] = p[i == 0];
		good = fds[i + 1] >= 0;
	}
	if (!good)
		got = errno != 0 ? errno : ENOMEM;
	else if (put_packet(b, &w, fds))
		got = await(b, WIRE_STARTED, &w) ? w.a : ETIMEDOUT;
	for (int i = 0; i < WIRE_FDS; i++)
		file_close(fds[i]);
	b->running = got == 0;
	if (got == 0)
		return 0;
	box_io_close(io);
	errno = got;
	return -1;
}

void
box_io_close(struct box_io *io)
{
	int *fds[] = { &io->in, &io->out, &io->err };

	for (size_t i = 0; i < 3; i++) {
		file_close(*fds[i]);
		*fds[i] = -1;
	}
}

void
box_signal(struct box *b, int sig)
{
	struct wire w = { .op = WIRE_SIGNAL, .a = sig };

	if (b->running)
		put_packet(b, &w, NULL);
}

void
box_end(struct box *b, struct buf *names)
{
	struct wire w = { .op = WIRE_END, .a = names != NULL };

	if (!b->running)
		return;
	if (put_packet(b, &w, NULL) && await(b, WIRE_ENDED, &w)) {
		if (names != NULL)
			buf_adds(names, w.text);
		/* unkillable processes go with the namespace */
		if (w.a != 0)
			lose(b);
	}
	b->running = false;
	b->empty = true;
}

void
box_done(struct box *b, struct buf *notes)
{
	box_end(b, NULL);
	if (b->base.len > 0)
		buf_fmt(notes, "%s%s", notes->len > 0 ? "; " : "", b->base.p);
	if (b->spec.kind == BOX_WRITE && b->layer == LAYER_BWRAP &&
	    !b->bs->no_git) {
		struct buf now = BUF_INIT(1 << 20);

		git_fingerprint(b->bs, &now);
		if (!slice_starts(slice_of(b->marks), now.p))
			err_say("git's hooks or settings (.git/hooks, .git/"
			    "config and the like) changed during the call, by "
			    "you or by it: look at them before you use git");
		buf_release(&now);
	}
	if (b->spec.kind == BOX_WRITE && b->layer >= LAYER_LANDLOCK)
		sandboxes_quarantine_new(b->bs, notes);
	if (b->bs->resident[b->spec.kind] != b)
		box_close(b);
}

void
box_abort(struct box *b)
{
	file_close(b->fd);
	b->fd = -1;
	await_end(b);
	cgroup_remove(b);
	stubs_remove(b);
	b->base.len = 0;
	texts_release(&b->mounts);
	if (b->overlay != NULL)
		folders_remove(AT_FDCWD, b->overlay);
	free(b->overlay);
	b->overlay = NULL;
}

void
box_close(struct box *b)
{
	struct box **slot = &b->bs->resident[b->spec.kind];

	box_end(b, NULL);
	box_abort(b);
	if (*slot == b)
		*slot = NULL;
	if (b->spec.stays) {
		struct box **at = &b->bs->staying;

		sandboxes_note_existing(b->bs);
		while (*at != b)
			at = &(*at)->next;
		*at = b->next;
	}
	buf_release(&b->base);
	FREE(b->marks, b);
}
