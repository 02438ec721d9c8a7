/* git.c - git as a child, on the repository of the snapshots only.
 *
 * git obeys what it finds in a repository's configuration, so no git process of
 * ours ever sees one that is not ours (5.3): GIT_DIR names .hamr/snap.git,
 * nothing of the user's or the system's configuration is read, no protocol is
 * allowed, git's own variables are not passed on.  As root, in a folder of
 * another owner, git runs as that owner.  It ends with its deadline, and when
 * we do, however that is.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "files/files.h"

#include "internal.h"

#define STOP_MS 50		/* how often snap_stopped is asked */
#define ARGS_MAX 48

/* The child: after fork, so nothing here may take memory. */
static _Noreturn void
child(int root, pid_t parent, const char *git, const char *const *argv,
    const char *const *env, int in, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st = { .st_uid = 0 };
	sigset_t none;

	setpgid(0, 0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0 && dup2(in >= 0 ? in : null, 0) == 0 &&
	    dup2(out, 1) == 1 && dup2(null, 2) == 2 &&
	    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
	    fchdir(root) == 0 && fstat(root, &st) == 0 &&
	    /* become the owner of the working directory, if we may */
	    (geteuid() != 0 || st.st_uid == 0 || (setgroups(0, NULL) == 0 &&
	    setresgid(st.st_gid, st.st_gid, st.st_gid) == 0 &&
	    setresuid(st.st_uid, st.st_uid, st.st_uid) == 0)) &&
	    /* after that, which would take it back */
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
		execve(git, (char *const *)(void *)argv,
		    (char *const *)(void *)env);
	_exit(126);
}

/* Read all that comes until the end, the deadline, or somebody's cancel. */
static bool
drain(struct snap *s, int fd, struct buf *out, long long deadline)
{
	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		bool idle = poll(&p, 1, STOP_MS) <= 0;
		ssize_t n;

		if (file_now_ms() >= deadline || snap_stopped(s))
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

/* Start it; its pid, or -1. */
static pid_t
start(const struct snap *s, const char *const *args, int in, int out)
{
	char *git = which_program("git", s->f->root.real);
	const char *path = getenv("PATH");
	char *path_entry = xasprintf("PATH=%s", path != NULL ? path :
	    "/usr/local/bin:/usr/bin:/bin");
	char *dir_entry = xasprintf("GIT_DIR=%s", s->dir);
	const char *const env[] = { path_entry, dir_entry, "LC_ALL=C",
		"GIT_WORK_TREE=.",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false",
		"GIT_ASKPASS=false", "HOME=/nonexistent", NULL };
	const char *argv[ARGS_MAX] = { "git", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"-c", "core.pager=cat", "-c", "protocol.allow=never",
		"-c", "credential.helper=", "-c", "core.quotePath=false",
		"-c", "safe.directory=*", "--no-optional-locks" };
	pid_t pid = -1, self = getpid();
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	for (size_t i = 0; args[i] != NULL && n < ARGS_MAX - 1; i++)
		argv[n++] = args[i];
	if (git != NULL)
		pid = fork();
	if (pid == 0)
		child(s->f->root.fd, self, git, argv, env, in, out);
	if (pid > 0)
		setpgid(pid, pid);
	free(path_entry);
	free(dir_entry);
	free(git);
	return pid;
}

int
snap_git(struct snap *s, const char *const *args, struct slice in,
    struct buf *out)
{
	/* what goes to its stdin lies in a file, so that neither waits for
	 * the other */
	int fd = in.n > 0 ? file_memory(in.p, in.n) : -1;
	struct buf none = BUF_INIT(GIT_OUT_MAX);
	int end[2] = { -1, -1 }, status = -1;
	bool whole = false;
	pid_t pid = -1;

	if ((fd >= 0 || in.n == 0) && pipe2(end, O_CLOEXEC) == 0) {
		pid = start(s, args, fd, end[1]);
		close(end[1]);
	}
	file_close(fd);
	if (pid > 0) {
		whole = drain(s, end[0], out != NULL ? out : &none,
		    file_now_ms() + s->ms);
		if (!whole)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	file_close(end[0]);
	buf_release(&none);
	return whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
