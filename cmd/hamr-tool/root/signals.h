/* signals.h - hold back fatal signals until it is safe to end.
 *
 * A command may have changed files when a signal ends us; its changes must be
 * recorded for undo first, and what we opened be closed.  The command itself is
 * ended at once: stage_wait watches for the same signals.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct signals {
	sigset_t old;
	struct sigaction pipe;
	bool on;
};

/* SIGPIPE is not held back but ignored. */
void signals_hold(struct signals *h);
/* Is such a signal pending? */
bool signals_waiting(void);
/* A close-on-exec fd that is readable when one is; -1 with errno. */
int signals_fd(void);
/* Unblock the signals; a pending one ends this process here.  Does nothing
 * without signals_hold. */
void signals_release(struct signals *h);
