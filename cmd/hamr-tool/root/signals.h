/* signals.h - those that end this process wait until a call is written down.
 *
 * A command may have changed files when a signal ends us: what it changed is
 * found and noted for undo first.  The command itself is ended at once (bash.c
 * watches for the same signals).
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct signals {
	sigset_t old;
	bool on;
};

void signals_hold(struct signals *h);
/* Is one waiting? */
bool signals_waiting(void);
/* A close-on-exec fd that is readable then; -1 with errno. */
int signals_fd(void);
/* One that is waiting ends this process here.  Does nothing if it was not
 * begun. */
void signals_release(struct signals *h);
