/* hold.h - signals that end this process wait until a call is written down.
 *
 * A command may have changed files when somebody ends us; what it changed is
 * found out and noted for undo first.  The command itself is ended at once
 * (bash.c watches for the same signals).
 */
#ifndef HAMR_TOOL_HOLD_H
#define HAMR_TOOL_HOLD_H

#include <signal.h>
#include <stdbool.h>

struct hold {
	sigset_t old;
	bool on;
};

/* The signals: TERM, INT, HUP, QUIT. */
void hold_set(sigset_t *set);

void hold_begin(struct hold *h);
/* Has one come meanwhile? */
bool hold_has_one(void);
/* One that came meanwhile ends this process here.  Nothing, if it was not
 * begun. */
void hold_end(struct hold *h);

#endif
