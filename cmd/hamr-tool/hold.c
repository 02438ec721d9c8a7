/* hold.c - signals that end this process wait until a call is written down. */
#include "hold.h"

void
hold_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

void
hold_begin(struct hold *h)
{
	sigset_t set;

	hold_set(&set);
	h->on = sigprocmask(SIG_BLOCK, &set, &h->old) == 0;
}

bool
hold_has_one(void)
{
	sigset_t held, came;

	hold_set(&held);
	sigpending(&came);
	return sigandset(&came, &came, &held) == 0 && !sigisemptyset(&came);
}

void
hold_end(struct hold *h)
{
	if (h->on)
		sigprocmask(SIG_SETMASK, &h->old, NULL);
	h->on = false;
}
