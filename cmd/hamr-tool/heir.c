/* heir.c - who ends a command when hamr-tool itself is killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heir.h"

/* Read n bytes; false when the other end is closed before. */
static bool
get(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)n;
}

/* The pid comes, then a byte when all is well.  An end without it is the
 * death of hamr-tool.  Nothing else is held open meanwhile. */
static _Noreturn void
wait_for_end(int fd)
{
	pid_t pid;
	char well;

	setsid();	/* what is sent to hamr-tool's group is not for it */
	dup2(fd, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0U, 0);
	if (get(STDIN_FILENO, &pid, sizeof pid) && pid > 1 &&
	    !get(STDIN_FILENO, &well, 1))
		kill(-pid, SIGKILL);
	_exit(0);
}

void
heir_start(struct heir *h)
{
	int end[2];

	*h = (struct heir){ -1, -1 };
	if (pipe2(end, O_CLOEXEC) < 0)
		return;
	h->pid = fork();
	if (h->pid == 0) {
		close(end[1]);
		wait_for_end(end[0]);
	}
	close(end[0]);
	h->fd = end[1];
}

static void
put(const struct heir *h, const void *p, size_t n)
{
	ssize_t done;

	do
		done = write(h->fd, p, n);
	while (done < 0 && errno == EINTR);
}

void
heir_tell(const struct heir *h, pid_t group)
{
	if (h->pid > 0)
		put(h, &group, sizeof group);
}

void
heir_end(struct heir *h)
{
	if (h->pid > 0)
		put(h, "", 1);
	if (h->fd >= 0)
		close(h->fd);
	if (h->pid > 0)
		while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
			;
	*h = (struct heir){ -1, -1 };
}
