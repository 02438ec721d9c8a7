/* child.c - start bash: clean environment, no terminal, nothing inherited. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem.h"

#include "child.h"

extern char **environ;

/* ---- environment ---- */

struct env {
	char **v;
	size_t n, cap;
};

static bool
is_name(const char *entry, const char *name, size_t n)
{
	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static void
env_put(struct env *e, char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < e->n; i++)
		if (is_name(e->v[i], entry, n)) {
			free(e->v[i]);
			e->v[i] = entry;
			return;
		}
	e->v = xgrow(e->v, e->n, &e->cap, sizeof *e->v);
	e->v[e->n++] = entry;
}

static void
env_pass(struct env *e, const char *name)
{
	const char *value = getenv(name);

	if (value != NULL)
		env_put(e, xasprintf("%s=%s", name, value));
}

char **
child_env(const struct conf *c, const char *pwd)
{
	static const char *const pass[] = { "PATH", "HOME", "USER", "LOGNAME",
		"SHELL", "LANG", "TZ", "TMPDIR" };
	static const char *const fixed[] = { "TERM=dumb", "PAGER=cat",
		"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0" };
	struct env e = { .n = 0 };
	const char *const *more;
	size_t n;

	for (size_t i = 0; i < sizeof pass / sizeof pass[0]; i++)
		env_pass(&e, pass[i]);
	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, "LC_", 3) == 0)
			env_put(&e, xstrdup(*p));
	env_put(&e, xasprintf("PWD=%s", pwd));
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		env_put(&e, xstrdup(fixed[i]));
	more = conf_list(c, "sandbox.env", &n);
	for (size_t i = 0; i < n; i++)
		if (strchr(more[i], '=') != NULL)
			env_put(&e, xstrdup(more[i]));
		else
			env_pass(&e, more[i]);
	e.v = xgrow(e.v, e.n, &e.cap, sizeof *e.v);
	e.v[e.n] = NULL;
	return e.v;
}

void
child_env_free(char **env)
{
	for (char **p = env; *p != NULL; p++)
		free(*p);
	free(env);
}

/* ---- the child ---- */

void
child_close(struct child *c)
{
	int *fds[] = { &c->pidfd, &c->out, &c->err };

	for (size_t i = 0; i < 3; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static void
set_attributes(posix_spawnattr_t *a)
{
	sigset_t all, none;

	/* not sigfillset: it leaves out two of glibc's own, which a child
	 * would then ignore */
	memset(&all, 0xff, sizeof all);
	sigemptyset(&none);
	posix_spawnattr_setsigdefault(a, &all);
	posix_spawnattr_setsigmask(a, &none);
	posix_spawnattr_setflags(a, POSIX_SPAWN_SETSID |
	    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

/* dup2 onto the same fd would keep close-on-exec, but ours are above 2: main
 * opens 0 to 2 first. */
static int
set_actions(posix_spawn_file_actions_t *f, int dirfd, int out, int err)
{
	int r = posix_spawn_file_actions_addfchdir_np(f, dirfd);

	if (r == 0)
		r = posix_spawn_file_actions_addopen(f, 0, "/dev/null",
		    O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(f, out, 1);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(f, err, 2);
	if (r == 0)
		r = posix_spawn_file_actions_addclosefrom_np(f, 3);
	return r;
}

static int
start(struct child *c, char *const argv[], char *const env[], int dirfd,
    int out, int err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	set_attributes(&attr);
	r = set_actions(&actions, dirfd, out, err);
	if (r == 0)
		r = posix_spawnp(&c->pid, argv[0], &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

int
child_start(struct child *c, char *const argv[], char *const env[], int dirfd)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, r = 0;

	*c = (struct child){ -1, -1, -1, -1 };
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		r = errno;
	if (r == 0)
		r = start(c, argv, env, dirfd, out[1], err[1]);
	c->out = out[0];
	c->err = err[0];
	if (out[1] >= 0)
		close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	if (r == 0) {
		fcntl(c->out, F_SETFL, O_NONBLOCK);
		fcntl(c->err, F_SETFL, O_NONBLOCK);
		c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
		if (c->pidfd < 0)
			r = errno;
	}
	if (r == 0)
		return 0;
	child_close(c);
	errno = r;
	return -1;
}
