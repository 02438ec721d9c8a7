/* child.c - start a command: no terminal, nothing inherited but what is given. */
#include <signal.h>
#include <spawn.h>
#include <string.h>

#include "child.h"

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

/* dup2 onto the same fd would keep close-on-exec, but theirs are above 2. */
static int
set_actions(posix_spawn_file_actions_t *f, const char *dir,
    const struct child_io *io)
{
	int r = posix_spawn_file_actions_addchdir_np(f, dir);

	if (r == 0)
		r = posix_spawn_file_actions_adddup2(f, io->in, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(f, io->out, 1);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(f, io->err, 2);
	if (r == 0)
		r = posix_spawn_file_actions_addclosefrom_np(f, 3);
	return r;
}

int
child_spawn(pid_t *pid, char *const argv[], char *const env[],
    const char *dir, const struct child_io *io)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	set_attributes(&attr);
	r = set_actions(&actions, dir, io);
	if (r == 0)
		r = posix_spawnp(pid, argv[0], &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}
