/* signals.c - hold back fatal signals until it is safe to end. */
#include <stddef.h>
#include <sys/signalfd.h>

#include "signals.h"

/* TERM, INT, HUP and QUIT, without those that are ignored (nohup). */
static void
signals_set(sigset_t *set)
{
	static const int all[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	struct sigaction is;

	sigemptyset(set);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (sigaction(all[i], NULL, &is) == 0 &&
		    is.sa_handler != SIG_IGN)
			sigaddset(set, all[i]);
}

int
signals_fd(void)
{
	sigset_t set;

	signals_set(&set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
signals_hold(struct signals *h)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	signals_set(&set);
	sigaction(SIGPIPE, &ignore, &h->pipe);
	h->on = sigprocmask(SIG_BLOCK, &set, &h->old) == 0;
}

bool
signals_waiting(void)
{
	sigset_t held, came;

	signals_set(&held);
	sigpending(&came);
	return sigandset(&came, &came, &held) == 0 && !sigisemptyset(&came);
}

void
signals_release(struct signals *h)
{
	if (h->on) {
		sigaction(SIGPIPE, &h->pipe, NULL);
		sigprocmask(SIG_SETMASK, &h->old, NULL);
	}
	h->on = false;
}
