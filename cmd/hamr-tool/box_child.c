/* box_child.c - the process that becomes a supervisor, between fork and exec. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "box_child.h"
#include "box_wire.h"

static _Noreturn void
fail(const char *what)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, strerror(errno));
	_exit(126);
}

static void
become(const struct boxes *bs)
{
	if (!bs->switched)
		return;
	if (setgroups(1, &bs->gid) < 0 || setresgid(bs->gid, bs->gid,
	    bs->gid) < 0 || setresuid(bs->uid, bs->uid, bs->uid) < 0)
		fail("cannot become the owner of the root");
	/* else /proc/self is not ours */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static bool
put_map(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) ==
	    (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* The root with a layer of its own above it, seen by bubblewrap alone. */
static void
mount_overlay(const struct box *b)
{
	char text[3 * 4096];
	char merged[4096];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		fail("a user namespace");
	snprintf(text, sizeof text, "%u %u 1", b->bs->uid, b->bs->uid);
	if (!put_map("/proc/self/setgroups", "deny") ||
	    !put_map("/proc/self/uid_map", text))
		fail("a map of users");
	snprintf(text, sizeof text, "%u %u 1", b->bs->gid, b->bs->gid);
	if (!put_map("/proc/self/gid_map", text))
		fail("a map of groups");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail("private mounts");
	/* names of others' choice do not go into the options; by its name, as
	 * our fd of it belongs to the mounts that were */
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

static void
place(int fd, int at)
{
	if (fd >= 0 && dup2(fd, at) < 0)
		fail("dup2");
}

_Noreturn void
box_child(const struct start *s, char *const argv[])
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	place(null, STDIN_FILENO);
	place(null, STDOUT_FILENO);
	place(s->err, STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		if (s->cgroup[i] >= 0 && write(s->cgroup[i], "0", 1) != 1)
			fail("the control group");
	become(s->b->bs);
	if (s->b->overlay != NULL)
		mount_overlay(s->b);
	place(s->ctl, WIRE_CTL);
	place(s->setup, WIRE_SETUP);
	place(s->exe, WIRE_EXE);
	place(s->args, WIRE_ARGS);
	close_range(WIRE_ARGS + (s->args >= 0), ~0U, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(argv[0], argv, s->env);
	fail(argv[0]);
}
