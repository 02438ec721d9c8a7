/* job_control.c - Ctrl-Z and fg in raw mode, and the terminal's size. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "job_control.h"

static void
all(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
	sigaddset(set, SIGWINCH);
}

int
job_watch(void)
{
	sigset_t set;
	int fd;

	all(&set);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd >= 0)
		sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

void
job_leave(int fd)
{
	sigset_t set;

	if (fd < 0)
		return;
	close(fd);
	all(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int
job_next(int fd)
{
	struct signalfd_siginfo info;
	int what = JOB_NOTHING;

	while (read(fd, &info, sizeof info) == sizeof info)
		what |= info.ssi_signo == SIGTSTP ? JOB_STOP :
		    info.ssi_signo == SIGCONT ? JOB_GO : JOB_RESIZED;
	return what;
}

/* By the signal itself and not SIGSTOP: where no shell could wake us the
 * system drops it.  What was blocked before is blocked again. */
void
job_stop(int fd)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &before);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd >= 0)
		job_next(fd);
}
