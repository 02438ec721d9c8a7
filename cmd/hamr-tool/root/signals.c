/* signals.c - hold back fatal signals until a call is recorded. */
#include <stddef.h>
#include <sys/signalfd.h>

#include "signals.h"

/* TERM, INT, HUP, QUIT. */
static void
signals_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
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
	sigset_t set;

	signals_set(&set);
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
	if (h->on)
		sigprocmask(SIG_SETMASK, &h->old, NULL);
	h->on = false;
}
