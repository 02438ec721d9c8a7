/* git.c - git as a child: the user's repository asked, or one of our own. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "which.h"

#include "git.h"

#define STOP_MS 50		/* how often stop is asked */
#define ENV_MAX 16
#define ARGS_MAX 48

/* A repository of ours knows no configuration but its own. */
static size_t
make_env(const struct git *g, char *env[ENV_MAX])
{
	static const char *const keep[] = { "PATH", "HOME", "XDG_CONFIG_HOME",
		"USER" };
	size_t n = 0, of = sizeof keep / sizeof keep[0];
	struct stat st;

	/* what hangs on root's own home is not the owner's */
	if (geteuid() == 0 && fstat(g->rootfd, &st) == 0 && st.st_uid != 0)
		of = 1;
	for (size_t i = 0; i < of; i++) {
		const char *v = getenv(keep[i]);

		if (v != NULL)
			env[n++] = xasprintf("%s=%s", keep[i], v);
	}
	env[n++] = xstrdup("LC_ALL=C");
	env[n++] = xstrdup("GIT_OPTIONAL_LOCKS=0");
	env[n++] = xstrdup("GIT_TERMINAL_PROMPT=0");
	if (g->dir != NULL) {
		env[n++] = xasprintf("GIT_DIR=%s", g->dir);
		env[n++] = xstrdup("GIT_WORK_TREE=.");
		env[n++] = xstrdup("GIT_CONFIG_NOSYSTEM=1");
		env[n++] = xstrdup("GIT_CONFIG_GLOBAL=/dev/null");
	}
	env[n] = NULL;
	return n;
}

static void
make_args(const char *const *more, const char *argv[ARGS_MAX])
{
	static const char *const first[] = { "git", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"-c", "core.pager=cat", "-c", "safe.bareRepository=explicit",
		"-c", "safe.directory=*", "-c", "core.quotePath=false",
		"--no-optional-locks" };
	size_t n = sizeof first / sizeof first[0];

	memcpy(argv, first, sizeof first);
	for (size_t i = 0; more[i] != NULL && n < ARGS_MAX - 1; i++)
		argv[n++] = more[i];
	argv[n] = NULL;
}

/* Become the owner of the working directory, if that is not us and we may. */
static bool
become_owner(int rootfd)
{
	struct stat st;

	if (geteuid() != 0)
		return true;
	if (fstat(rootfd, &st) < 0)
		return false;
	return st.st_uid == 0 || (setgroups(0, NULL) == 0 &&
	    setresgid(st.st_gid, st.st_gid, st.st_gid) == 0 &&
	    setresuid(st.st_uid, st.st_uid, st.st_uid) == 0);
}

/* The child: after fork, so nothing here may take memory. */
static _Noreturn void
child(const struct git *g, const char *git, const char *const *argv,
    char **env, int in, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0 && dup2(in >= 0 ? in : null, 0) == 0 &&
	    dup2(out >= 0 ? out : null, 1) == 1 && dup2(null, 2) == 2 &&
	    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
	    fchdir(g->rootfd) == 0 && become_owner(g->rootfd))
		execve(git, (char *const *)(void *)argv, env);
	_exit(126);
}

/* Read all that comes until the end, the deadline, or somebody's cancel. */
static bool
drain(const struct git *g, int fd, struct buf *out, long long deadline)
{
	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		bool idle = poll(&p, 1, STOP_MS) <= 0;
		ssize_t n;

		if (file_now_ms() >= deadline ||
		    (g->stop != NULL && g->stop(g->stop_arg)))
			return false;
		if (idle)
			continue;
		if (buf_reserve(out, 65536) < 0)
			return false;
		n = read(fd, out->p + out->len, 65536);
		if (n < 0 && errno != EINTR)
			return false;
		if (n == 0)
			return true;
		if (n > 0)
			out->len += (size_t)n;
	}
}

/* What goes to its stdin lies in a file, so that nobody waits for anybody. */
static int
input(struct slice in)
{
	int fd;

	if (in.n == 0)
		return -1;
	fd = memfd_create("hamr-git", MFD_CLOEXEC);
	if (fd >= 0 && (file_write_all(fd, in.p, in.n) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void
git_begin(const struct git *g, const char *const *args, struct slice in,
    struct git_child *c)
{
	const char *argv[ARGS_MAX];
	char *git = which_program("git", g->root), *env[ENV_MAX];
	size_t n = make_env(g, env);
	int end[2], fd = input(in);

	*c = (struct git_child){ -1, -1 };
	make_args(args, argv);
	if (git != NULL && (fd >= 0 || in.n == 0) &&
	    pipe2(end, O_CLOEXEC) == 0) {
		c->pid = fork();
		if (c->pid == 0)
			child(g, git, argv, env, fd, end[1]);
		close(end[1]);
		c->fd = end[0];
		if (c->pid > 0)
			setpgid(c->pid, c->pid);
	}
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < n; i++)
		free(env[i]);
	free(git);
}

int
git_end(const struct git *g, struct git_child *c, struct buf *out)
{
	struct buf none = BUF_INIT(GIT_OUT_MAX);
	int status = -1;
	bool whole;

	if (c->pid > 0) {
		whole = drain(g, c->fd, out != NULL ? out : &none,
		    file_now_ms() + g->ms);
		if (!whole)
			kill(-c->pid, SIGKILL);
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			;
		status = whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	if (c->fd >= 0)
		close(c->fd);
	buf_release(&none);
	return status;
}

int
git_run(const struct git *g, const char *const *args, struct slice in,
    struct buf *out)
{
	struct git_child c;

	git_begin(g, args, in, &c);
	return git_end(g, &c, out);
}
