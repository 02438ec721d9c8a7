/* supervisor.c - the process inside a box: runs its commands and ends them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "box_wire.h"
#include "child.h"
#include "confine.h"
#include "kin.h"
#include "seccomp.h"

#include "supervisor.h"

#define KILL_MS 30000		/* then what cannot die is left to itself */
#define NFDS 4
#define TEXTS_MAX ((size_t)64 << 20)

struct super {
	bool alone;		/* process 1: all there is, is the command's */
	int signals;
	int listener;		/* seccomp.h; -1: none */
	pid_t main;		/* the command, -1 when it has been reaped */
	bool running;		/* between RUN and END */
	bool empty;		/* said so */
};

static void
say(const struct wire *w)
{
	ssize_t n;

	do
		n = send(WIRE_CTL, w, sizeof *w, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		_exit(0);	/* nobody listens: with us all is ended */
}

static void
say_numbers(int op, int a, int b)
{
	struct wire w = { .op = op, .a = a, .b = b };

	say(&w);
}

/* ---- a command ---- */

/* n texts of a file that holds texts ended by NUL; NULL behind them. */
static char **
split(char **p, const char *end, int n)
{
	char **v = xcalloc((size_t)n + 1, sizeof *v);

	for (int i = 0; i < n && *p < end; i++) {
		v[i] = *p;
		*p += strlen(*p) + 1;
	}
	return v;
}

static void
run(struct super *s, const struct wire *w, const int fds[NFDS])
{
	struct buf texts = BUF_INIT(TEXTS_MAX);
	struct child_io io = { fds[1], fds[2], fds[3] };
	int got = EINVAL;

	if (!s->running && file_read_fd(fds[0], "run", &texts, NULL) == 0 &&
	    texts.len > 0) {
		char *p = texts.p, *end = texts.p + texts.len;
		char *dir = p;
		char **argv, **env;

		p += strlen(p) + 1;
		argv = split(&p, end, w->a);
		env = split(&p, end, w->b);
		got = child_spawn(&s->main, argv, env, dir, &io);
		free(argv);
		free(env);
	}
	buf_release(&texts);
	s->running = s->running || got == 0;
	s->empty = false;
	say_numbers(WIRE_STARTED, got, 0);
}

/* ---- ends ---- */

static void
reap(struct super *s)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (si.si_pid == 0)
			return;
		if (si.si_pid == s->main) {
			s->main = -1;
			say_numbers(WIRE_EXIT, si.si_code, si.si_status);
		}
	}
	/* no child is left */
	if (s->running && s->main == -1 && !s->empty) {
		s->empty = true;
		say_numbers(WIRE_EMPTY, 0, 0);
	}
}

/* Wait for children to end, at most ms. */
static void
wait_children(struct super *s, int ms)
{
	struct pollfd p = { s->signals, POLLIN, 0 };
	struct signalfd_siginfo si;

	if (poll(&p, 1, ms) > 0)
		while (read(s->signals, &si, sizeof si) > 0)
			;
	reap(s);
}

/* All, now.  True when none is left. */
static bool
kill_all(struct super *s)
{
	long long deadline = file_now_ms() + KILL_MS;

	reap(s);
	while (!s->empty && file_now_ms() < deadline) {
		/* process 1 kills all of its namespace at one moment */
		if (s->alone)
			kill(-1, SIGKILL);
		else
			kin_kill();
		wait_children(s, s->alone ? 1000 : 1);
	}
	return s->empty;
}

static void
end(struct super *s, bool names)
{
	struct buf b = BUF_INIT(WIRE_TEXT - 1);
	struct wire w = { .op = WIRE_ENDED };

	if (s->running) {
		reap(s);
		/* held still while they are named */
		if (names && !s->empty) {
			if (s->alone)
				kill(-1, SIGSTOP);
			else
				kin_signal(SIGSTOP);
			kin_names(&b);
		}
		w.a = kill_all(s) ? 0 : 1;
	}
	if (b.len > 0)
		memcpy(w.text, b.p, b.len);
	buf_release(&b);
	s->running = false;
	s->main = -1;
	say(&w);
}

static void
pass_on(struct super *s, int sig)
{
	if (!s->running || s->empty)
		return;
	if (s->alone) {
		kill(-1, sig);
	} else {
		if (s->main > 0)
			kill(-s->main, sig);
		kin_signal(sig);
	}
}

/* ---- the loop ---- */

static bool
hear(struct wire *w, int fds[NFDS])
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(NFDS * sizeof(int))];
	} u;
	struct iovec iov = { w, sizeof *w };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &u, .msg_controllen = sizeof u };
	struct cmsghdr *c;
	ssize_t n;

	for (int i = 0; i < NFDS; i++)
		fds[i] = -1;
	do
		n = recvmsg(WIRE_CTL, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof *w)
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return true;
}

static bool
obey(struct super *s)
{
	int fds[NFDS];
	struct wire w;

	if (!hear(&w, fds))
		return false;
	switch (w.op) {
	case WIRE_RUN: run(s, &w, fds); break;
	case WIRE_SIGNAL: pass_on(s, w.a); break;
	case WIRE_END: end(s, w.a != 0); break;
	default: break;
	}
	for (int i = 0; i < NFDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return true;
}

static void
loop(struct super *s)
{
	for (;;) {
		struct pollfd p[3] = { { WIRE_CTL, POLLIN, 0 },
			{ s->signals, POLLIN, 0 },
			{ s->listener, POLLIN, 0 } };

		if (poll(p, 3, -1) < 0)
			continue;
		if (p[2].revents & POLLIN)
			seccomp_answer(s->listener);
		else if (p[2].revents != 0)
			s->listener = -1;	/* nobody is left to ask */
		if (p[1].revents != 0)
			wait_children(s, 0);
		if (p[0].revents != 0 && !obey(s))
			return;
	}
}

/* ---- above it, where there is no namespace ---- */

/* Until the supervisor has ended, or we are told to (SIGTERM, also when
 * hamr-tool is no more). */
static void
await_supervisor(pid_t pid)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	for (;;) {
		pid_t got;

		if (sigwait(&set, &sig) != 0 || sig == SIGTERM)
			return;
		do {
			got = waitpid(-1, NULL, WNOHANG);
			if (got == pid)
				return;
		} while (got > 0);
	}
}

/* A command can kill or stop the supervisor, its parent.  So there is one more
 * process above it, subreaper too, which ends what is left.  Returns in the
 * supervisor. */
static void
stay_above(void)
{
	pid_t tool = getppid(), pid;
	long long deadline;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != tool)
		_exit(0);
	pid = fork();
	if (pid <= 0)
		return;
	close_range(3, ~0U, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	await_supervisor(pid);
	deadline = file_now_ms() + KILL_MS;
	while (!kin_kill() && file_now_ms() < deadline) {
		struct timespec nap = { .tv_nsec = 1000000 };

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		nanosleep(&nap, NULL);
	}
	_exit(0);
}

_Noreturn void
supervisor_main(void)
{
	struct super s = { .alone = getpid() == 1, .main = -1,
		.listener = -1 };
	struct wire ready = { .op = WIRE_READY };
	sigset_t set;

	memset(&set, 0xff, sizeof set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!s.alone) {
		stay_above();
		setsid();
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	s.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	ready.a = confine(WIRE_SETUP, s.alone, &s.listener, ready.text,
	    WIRE_TEXT);
	if (s.signals < 0)
		ready.a |= FAULT_SETUP;
	/* a command must not look into us: same user, same namespace */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	for (int fd = WIRE_SETUP; fd <= WIRE_ARGS || fd < s.signals ||
	    fd < s.listener; fd++)
		if (fd != s.signals && fd != s.listener)
			close(fd);
	close_range((unsigned)(s.signals > s.listener ? s.signals :
	    s.listener) + 1, ~0U, 0);
	fcntl(WIRE_CTL, F_SETFD, FD_CLOEXEC);
	say(&ready);
	loop(&s);
	if (s.running)
		kill_all(&s);
	_exit(0);
}
