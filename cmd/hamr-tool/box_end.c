/* box_end.c - the end of a supervisor. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box_in.h"

#define END_MS 5000

/* It ends when nobody talks to it, and all its processes with it; what will
 * not is killed. */
void
box_await_end(struct box *b)
{
	struct pollfd p = { -1, POLLIN, 0 };
	pid_t pid = b->pid;
	int got;

	b->pid = -1;
	if (pid <= 0)
		return;
	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);

	do
		got = p.fd >= 0 ? poll(&p, 1, END_MS) : 0;
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		kill(pid, SIGKILL);
	/* a half-made bubblewrap leaves a child in its group */
	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (p.fd >= 0)
		close(p.fd);
}
