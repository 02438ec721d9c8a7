/* filter_jail.c - what a process that runs a jq program gives up. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "filter_jail.h"

static void
limit(int what, rlim_t n)
{
	struct rlimit r = { n, n };

	setrlimit(what, &r);
}

void
filter_withdraw(int fd)
{
	static const int back[] = { SIGPIPE, SIGPROF, SIGABRT, SIGSEGV };
	static char *nothing[] = { NULL };
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++)
		signal(back[i], SIG_DFL);
	dup2(fd, FILTER_FD);
	dup2(null, 1);
	dup2(null, 2);
	close_range(3, ~0u, 0);
	environ = nothing;	/* libjq falls over a NULL there */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
}

void
filter_confine(size_t memory)
{
	limit(RLIMIT_NOFILE, 0);
#if !defined(__SANITIZE_ADDRESS__)	/* its shadow is terabytes of address */
	limit(RLIMIT_AS, memory);
#else
	(void)memory;
#endif
}
