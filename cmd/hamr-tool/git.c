/* git.c - git as a child, on a repository of ours only. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "which.h"

#include "git.h"

#define STOP_MS 50		/* how often stop is asked */
#define ENV_MAX 20
#define ARGS_MAX 48

static size_t
make_env(const struct git *g, char *env[ENV_MAX])
{
	static const char *const fixed[] = { "LC_ALL=C", "GIT_WORK_TREE=.",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false",
		"GIT_ASKPASS=false", "HOME=/nonexistent" };
	const char *path = getenv("PATH");
	size_t n = 0;

	env[n++] = xasprintf("PATH=%s", path != NULL ? path :
	    "/usr/local/bin:/usr/bin:/bin");
	env[n++] = xasprintf("GIT_DIR=%s", g->dir);
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		env[n++] = xstrdup(fixed[i]);
	env[n] = NULL;
	return n;
}

static void
make_args(const char *const *more, const char *argv[ARGS_MAX])
{
	static const char *const first[] = { "git", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"-c", "core.pager=cat", "-c", "protocol.allow=never",
		"-c", "credential.helper=", "-c", "core.quotePath=false",
		"-c", "safe.directory=*", "--no-optional-locks" };
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
child(const struct git *g, pid_t parent, const char *git,
    const char *const *argv, char **env, int in, int out)
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
	    fchdir(g->rootfd) == 0 && become_owner(g->rootfd) &&
	    /* after that, which would take it back */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
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

/* Its status as git_run has it.  Closes fd, if there is one. */
static int
finish(const struct git *g, pid_t pid, int fd, struct buf *out)
{
	struct buf none = BUF_INIT(GIT_OUT_MAX);
	int status = -1;

	if (pid > 0) {
		bool whole = drain(g, fd, out != NULL ? out : &none,
		    file_now_ms() + g->ms);

		if (!whole)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		status = whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	if (fd >= 0)
		close(fd);
	buf_release(&none);
	return status;
}

int
git_run(const struct git *g, const char *const *args, struct slice in,
    struct buf *out)
{
	const char *argv[ARGS_MAX];
	char *git = which_program("git", g->root), *env[ENV_MAX];
	size_t n = make_env(g, env);
	int end[2] = { -1, -1 }, fd = input(in);
	pid_t pid = -1, self = getpid();

	make_args(args, argv);
	if (git != NULL && (fd >= 0 || in.n == 0) &&
	    pipe2(end, O_CLOEXEC) == 0) {
		pid = fork();
		if (pid == 0)
			child(g, self, git, argv, env, fd, end[1]);
		close(end[1]);
		if (pid > 0)
			setpgid(pid, pid);
	}
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < n; i++)
		free(env[i]);
	free(git);
	return finish(g, pid, end[0], out);
}
