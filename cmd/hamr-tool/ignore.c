/* ignore.c - what git ignores, asked of git with every helper switched off.
 *
 * A hostile repository must run nothing (chapter 5.3): the commands used here
 * start no filter and no diff driver, fsmonitor and hooks are off, and git's
 * own variables are not passed on.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "map.h"
#include "mem.h"
#include "which.h"

#include "files_in.h"

#define GIT_MS 5000
#define STOP_MS 50		/* how often files_stopped is asked */
#define GIT_OUT_MAX ((size_t)64 << 20)
#define ENV_MAX 8
#define ARGS_MAX 32

struct ignored {
	struct map names;	/* true names, without a / at the end */
};

static size_t
clean_env(char *env[ENV_MAX], bool home)
{
	static const char *const keep[] = { "PATH", "USER", "HOME",
		"XDG_CONFIG_HOME" };
	size_t n = 0;

	for (size_t i = 0; i < (home ? 4 : 1); i++) {
		const char *v = getenv(keep[i]);

		if (v != NULL)
			env[n++] = xasprintf("%s=%s", keep[i], v);
	}
	env[n++] = xstrdup("LC_ALL=C");
	env[n++] = xstrdup("GIT_OPTIONAL_LOCKS=0");
	env[n++] = xstrdup("GIT_TERMINAL_PROMPT=0");
	env[n] = NULL;
	return n;
}

/* Root in somebody's folder runs git as that somebody, without a home: what
 * hangs on root's own is not his. */
static bool
is_others(const struct root *root, struct stat *st)
{
	return geteuid() == 0 && fstat(root->fd, st) == 0 && st->st_uid != 0;
}

static pid_t
start_as(const struct stat *owner, const char *git, const struct root *root,
    const char *argv[], char *env[], int out)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (setpgid(0, 0) < 0 || fchdir(root->fd) < 0 || dup2(null, 0) < 0 ||
	    dup2(out, 1) < 0 || dup2(null, 2) < 0 ||
	    close_range(3, ~0U, 0) < 0 || setgroups(1, &owner->st_gid) < 0 ||
	    setresgid(owner->st_gid, owner->st_gid, owner->st_gid) < 0 ||
	    setresuid(owner->st_uid, owner->st_uid, owner->st_uid) < 0)
		_exit(126);
	execve(git, (char *const *)(void *)argv, env);
	_exit(126);
}

static pid_t
start(const char *git, const struct root *root, const char *const *more,
    int out)
{
	const char *argv[ARGS_MAX] = { "git", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "safe.bareRepository=explicit", "-c",
		"safe.directory=*", "--no-optional-locks" };
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t all, none;
	char *env[ENV_MAX];
	struct stat owner;
	bool others = is_others(root, &owner);
	size_t n = 0, nenv = clean_env(env, !others);
	pid_t pid;
	int r;

	while (argv[n] != NULL)
		n++;
	for (size_t i = 0; more[i] != NULL && n < ARGS_MAX - 1; i++)
		argv[n++] = more[i];
	if (others) {
		pid = start_as(&owner, git, root, argv, env, out);
		while (nenv > 0)
			free(env[--nenv]);
		return pid;
	}
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	sigemptyset(&none);
	posix_spawnattr_init(&at);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF |
	    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigdefault(&at, &all);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addfchdir_np(&fa, root->fd);
	posix_spawn_file_actions_addclosefrom_np(&fa, 3);
	r = posix_spawn(&pid, git, &fa, &at, (char *const *)(void *)argv, env);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	for (size_t i = 0; i < nenv; i++)
		free(env[i]);
	return r == 0 ? pid : -1;
}

/* Read all that comes until the end, the deadline, or (not without f)
 * somebody's cancel. */
static bool
drain(const struct files *f, int fd, struct buf *out, long long deadline)
{
	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		bool idle = poll(&p, 1, STOP_MS) <= 0;
		ssize_t n;

		if (f != NULL ? files_stopped(f, deadline) :
		    file_now_ms() >= deadline)
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

/* The exit status of git, its output in out; -1 when it did not run to its
 * end in time. */
static int
run_git(const struct root *root, const struct files *f,
    const char *const *args, struct buf *out)
{
	char *git = which_program("git", root->real);
	int end[2], status = -1;
	bool whole;
	pid_t pid;

	if (git == NULL || pipe2(end, O_CLOEXEC) < 0) {
		free(git);
		return -1;
	}
	pid = start(git, root, args, end[1]);
	close(end[1]);
	free(git);
	if (pid > 0) {
		whole = drain(f, end[0], out, file_now_ms() + GIT_MS);
		if (!whole)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		status = whole && WIFEXITED(status) ?
		    WEXITSTATUS(status) : -1;
	}
	close(end[0]);
	return status;
}

struct ignored *
ignored_load(const struct files *f, const char *rel)
{
	struct ignored *ig = xcalloc(1, sizeof *ig);
	const char *spec = *rel != '\0' ? rel : ".";
	const char *args[] = { "--literal-pathspecs", "ls-files", "-z", "--others", "--ignored",
		"--exclude-standard", "--directory", "--", spec, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	size_t nrel = strlen(rel);

	if (run_git(&f->root, f, args, &out) != 0)
		buf_reset(&out);
	for (size_t at = 0, n; at < out.len; at += n + 1) {
		const char *name = out.p + at;

		n = strnlen(name, out.len - at);
		struct slice s = { name, n };
		if (s.n > 0 && s.p[s.n - 1] == '/')
			s.n--;
		if (s.n <= nrel && strncmp(s.p, rel, s.n) == 0 &&
		    (rel[s.n] == '/' || rel[s.n] == '\0')) {
			map_release(&ig->names);
			break;
		}
		map_put(&ig->names, s, NULL);
	}
	buf_release(&out);
	return ig;
}

bool
ignored_has(const struct ignored *ig, const char *rel)
{
	return map_get(&ig->names, slice_of(rel)) != NULL;
}

bool
ignored_file(const struct files *f, const char *rel)
{
	/* check-ignore knows no literal paths; "./" takes any magic away. */
	char *path = xasprintf("./%s", rel);
	const char *args[] = { "check-ignore", "-q", "--", path, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	/* never cut short: that would let the file be written */
	int status = run_git(&f->root, NULL, args, &out);

	free(path);
	buf_release(&out);
	return status == 0;
}

void
ignored_free(struct ignored *ig)
{
	if (ig == NULL)
		return;
	map_release(&ig->names);
	free(ig);
}
