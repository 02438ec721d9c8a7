/* job.c - Ctrl-Z and fg, where the terminal is not in its usual state. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "job.h"

static void
both(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
}

int
job_watch(void)
{
	sigset_t set;
	int fd;

	both(&set);
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
	both(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

enum job
job_next(int fd)
{
	struct signalfd_siginfo info;
	enum job what = JOB_NOTHING;

	while (read(fd, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGTSTP)
			what = JOB_STOP;
		else if (what == JOB_NOTHING)
			what = JOB_GO;
	return what;
}

/* By the signal itself and not SIGSTOP: where no shell could wake us the
 * system drops it. */
void
job_stop(int fd)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	job_next(fd);
}
