/* supervisor.c - the process inside a box: runs its commands and ends them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

#include "restrict.h"
#include "supervisor.h"
#include "wire.h"

#define PROC_MAX ((size_t)1 << 20)
#define NAME_MAX_BYTES 60
#define NAMES_MAX 5
#define KILL_MS 30000		/* then give up on what does not die */

struct super {
	bool alone;		/* process 1: all others are the command's */
	int signals;
	int listener;		/* restrict.h; -1: none */
	pid_t main;		/* the command, -1 when it has been reaped */
	bool running;		/* between RUN and END */
	bool empty;		/* WIRE_EMPTY was sent */
};

static void
say(struct wire w)
{
	/* if nobody listens, our end ends the box */
	if (send(WIRE_CTL, &w, sizeof w, MSG_NOSIGNAL) < 0)
		_exit(0);
}

struct process {
	int pid;
	bool leaf;		/* no children of its own that run */
};

struct processes {
	struct process *v;
	size_t n, cap;
};

/* ---- its descendants ----
 *
 * The supervisor is process 1 of a namespace, or child subreaper: what a
 * command leaves behind (setsid, double fork) becomes its child, so all that
 * /proc says descends from it belongs to the command that runs. */

/* Read a file in a process's /proc; NULL if it is gone or empty.  The caller
 * frees it. */
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

/* Add the children of all threads of pid. */
static void
add_children(struct processes *k, int pid)
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *d = file_opendir(AT_FDCWD, path);
	struct dirent *e;
	size_t len;

	free(path);
	while ((e = file_readdir(d)) != NULL) {
		char *file = xasprintf("task/%s/children", e->d_name);
		char *text = read_proc(pid, file, &len), *save = NULL;

		for (char *w = text != NULL ? strtok_r(text, " \n", &save) :
		    NULL; w != NULL; w = strtok_r(NULL, " \n", &save)) {
			int64_t child;

			if (!num_i64(w, strlen(w), &child))
				continue;
			GROW(k->v, k->n, k->cap);
			k->v[k->n++] = (struct process){ (int)child, true };
		}
		FREE(file, text);
	}
	file_closedir(d);
}

/* All descendants of this process, parents before children. */
static void
walk(struct processes *k)
{
	*k = (struct processes){ .n = 0 };
	add_children(k, getpid());
	for (size_t i = 0; i < k->n; i++) {
		size_t n = k->n;

		add_children(k, k->v[i].pid);
		for (; n < k->n && k->v[i].leaf; n++)
			k->v[i].leaf = is_zombie(k->v[n].pid);
	}
}

/* Send sig to every descendant that still runs; returns how many. */
static size_t
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

/* Append the command lines of running descendants that have no such children,
 * sorted, each once, as "a, b". */
static void
descendants_names(struct buf *out)
{
	struct texts names = { .n = 0 };
	struct processes k;
	size_t said = 0;

	walk(&k);
	for (size_t i = 0; i < k.n; i++) {
		struct buf clean = BUF_INIT(PROC_MAX);
		size_t n;

		if (!k.v[i].leaf || is_zombie(k.v[i].pid))
			continue;
		char *text = read_proc(k.v[i].pid, "cmdline", &n);
		while (n > 0 && text[n - 1] == '\0')
			n--;
		for (size_t c = 0; c < n; c++)
			if ((unsigned char)text[c] < 0x20 || text[c] == 0x7f)
				text[c] = ' ';
		utf8_clean(&clean, text, n);
		free(text);
		if (clean.len > NAME_MAX_BYTES) {
			clean.len = utf8_cut(clean.p, clean.len,
			    NAME_MAX_BYTES);
			buf_adds(&clean, "...");
		}
		texts_add(&names, buf_detach(&clean));
	}
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

/* Try once more to kill all descendants; true if none were left. */
static bool
descendants_kill(void)
{
	int last = 0, own = getpgrp();
	size_t before = 0;
	struct processes k;

	/* stop them until a walk finds no new one: a stopped process cannot
	 * fork */
	for (int i = 0; i < 100; i++) {
		size_t n = descendants_signal(SIGSTOP);
		if (n == 0 || n == before)
			break;
		before = n;
	}
	/* kill each group at once, then each process */
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

/* ---- a command ---- */

/* Start argv[0] (found on our PATH) in folder dir, with a session of its own,
 * fds 0 to 2 only, and default signals.  0 and *pid, or an errno. */
static int
spawn(pid_t *pid, char *const argv[], char *const env[], const char *dir,
    const int fds[3])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;

	/* not sigfillset: it leaves out two of glibc's own, which a child
	 * would then ignore */
	memset(&all, 0xff, sizeof all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID |
	    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	int got = posix_spawn_file_actions_addchdir_np(&actions, dir);
	/* dup2 onto the same fd would keep close-on-exec, but fds are all
	 * above 2 */
	for (int i = 0; i < 3 && got == 0; i++)
		got = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	if (got == 0)
		got = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	if (got == 0)
		got = posix_spawnp(pid, argv[0], &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return got;
}

char **
split_texts(char **p, const char *end, int n)
{
	char **v = xcalloc((size_t)n + 1, sizeof *v);

	for (int i = 0; i < n && *p < end; i++) {
		v[i] = *p;
		*p += strlen(*p) + 1;
	}
	return v;
}

static void
reap(struct super *s)
{
	siginfo_t si;

	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) == 0) {
		if (si.si_pid == 0)
			return;
		if (si.si_pid == s->main) {
			s->main = -1;
			say((struct wire){ .op = WIRE_EXIT, .a = si.si_code,
			    .b = si.si_status });
		}
	}
	/* no child is left */
	if (s->running && s->main == -1 && !s->empty) {
		s->empty = true;
		say((struct wire){ .op = WIRE_EMPTY });
	}
}

static void
signal_all(const struct super *s, int sig)
{
	if (s->alone)
		kill(-1, sig);
	else
		descendants_signal(sig);
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

/* Kill every process of the command; true if none is left. */
static bool
kill_all(struct super *s)
{
	long long deadline = file_now_ms() + KILL_MS;

	reap(s);
	while (!s->empty && file_now_ms() < deadline) {
		/* process 1 can kill its whole namespace at once */
		if (s->alone)
			kill(-1, SIGKILL);
		else
			descendants_kill();
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
		/* stop them while we list their names */
		if (names && !s->empty) {
			signal_all(s, SIGSTOP);
			descendants_names(&b);
		}
		w.a = kill_all(s) ? 0 : 1;
	}
	if (b.len > 0)
		memcpy(w.text, b.p, b.len);
	buf_release(&b);
	s->running = false;
	s->main = -1;
	say(w);
}

/* ---- the loop ---- */

static bool
receive(struct wire *w, int fds[WIRE_FDS])
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(WIRE_FDS * sizeof(int))];
	} u;
	struct iovec iov = { w, sizeof *w };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &u, .msg_controllen = sizeof u };

	for (int i = 0; i < WIRE_FDS; i++)
		fds[i] = -1;
	if (recvmsg(WIRE_CTL, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *w)
		return false;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return true;
}

/* Serve requests until hamr-tool closes the socket. */
static void
loop(struct super *s)
{
	struct pollfd p[3] = { { WIRE_CTL, POLLIN, 0 },
		{ s->signals, POLLIN, 0 }, { s->listener, POLLIN, 0 } };
	struct buf texts = BUF_INIT(WIRE_TEXTS_MAX);
	int fds[WIRE_FDS];
	struct wire w;

	for (;;) {
		if (poll(p, 3, -1) < 0)
			continue;
		if (p[2].revents & POLLIN)
			restrict_answer(s->listener);
		else if (p[2].revents != 0)
			p[2].fd = -1;	/* no filtered process is left */
		if (p[1].revents != 0)
			wait_children(s, 0);
		if (p[0].revents == 0)
			continue;
		if (!receive(&w, fds))
			return;
		if (w.op == WIRE_RUN) {
			int got = EINVAL;

			if (!s->running && file_read_fd(fds[0], "run", &texts,
			    NULL) == 0 && texts.len > 0) {
				char *end = texts.p + texts.len;
				char *at = texts.p + strlen(texts.p) + 1;
				char **argv = split_texts(&at, end, w.a);
				char **env = split_texts(&at, end, w.b);

				got = spawn(&s->main, argv, env, texts.p,
				    fds + 1);
				FREE(argv, env);
			}
			buf_release(&texts);
			s->running = s->running || got == 0;
			s->empty = false;
			say((struct wire){ .op = WIRE_STARTED, .a = got });
		} else if (w.op == WIRE_END) {
			end(s, w.a != 0);
		} else if (w.op == WIRE_SIGNAL && s->running && !s->empty) {
			signal_all(s, w.a);
		}
		for (int i = 0; i < WIRE_FDS; i++)
			file_close(fds[i]);
	}
}

/* ---- a process above it, if there is no namespace ---- */

/* A command can kill or stop the supervisor, its parent.  So one more process,
 * also a subreaper, stays above it and ends what is left when the supervisor
 * has ended, or on SIGTERM (also sent when hamr-tool dies).  Returns in the
 * supervisor. */
static void
stay_above(void)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	pid_t tool = getppid(), got = 0;
	sigset_t set;
	int sig;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != tool)
		_exit(0);
	pid_t pid = fork();
	if (pid <= 0)
		return;
	close_range(3, ~0U, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (got != pid && sigwait(&set, &sig) == 0 && sig != SIGTERM)
		do
			got = waitpid(-1, NULL, WNOHANG);
		while (got > 0 && got != pid);
	long long deadline = file_now_ms() + KILL_MS;
	while (!descendants_kill() && file_now_ms() < deadline) {
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

	/* no system call is interrupted from here on */
	memset(&set, 0xff, sizeof set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* what started us, and what bubblewrap has left open */
	close_range(WIRE_EXE, ~0U, 0);
	if (!s.alone) {
		stay_above();
		setsid();
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	s.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	ready.a = restrict_self(s.alone, &s.listener, ready.text) < 0 ||
	    s.signals < 0;
	/* a command has our uid and namespace but must not read our memory */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	fcntl(WIRE_CTL, F_SETFD, FD_CLOEXEC);
	say(ready);
	loop(&s);
	if (s.running)
		kill_all(&s);
	_exit(0);
}
