/* hub_in.h - the inside of the hub; of hub*.c only.
 *
 * hub_commit.c appends to the session, hub_slot.c keeps one stage alive and
 * moves its bytes, hub_hear.c takes in what it says, hub_err.c passes on what it
 * complains of, hub.c asks and waits.
 */
#ifndef HAMR_LOOP_HUB_IN_H
#define HAMR_LOOP_HUB_IN_H

#include "hub.h"

#define PURE_DEADLINE_MS 30000	/* whatever takes no time (chapter 1.3) */
#define END_MS 2000		/* from closed ends to SIGKILL */

/* The run is over, for this reason; the first one counts. */
void hub_fail(struct hub *h, const struct err *e);

/* Signals that came: interrupts, or the end of it all. */
void hub_read_signals(struct hub *h);

int hub_commit_record(struct hub *h, const struct rec *r);
/* What guard, compact and mem proposed, committed together. */
void hub_commit_proposals(struct hub *h, struct slot *s);

/* hub_hear.c: a record that a stage wrote.  NULL, or for what the stage is to
 * be ended. */
const char *hub_said(struct hub *h, struct slot *s, const struct rec *r);

/* Queue a control line (yours no more) behind those that are due no later. */
void slot_control(struct slot *s, off_t at, char *line);
void slot_drop_controls(struct slot *s);
/* Queue the go or sync in flight (the provider's with its request). */
void slot_ask_again(struct hub *h, struct slot *s);

/* Start it; it reads the session from its beginning, and what it says up to
 * its last barrier is thrown away. */
int slot_start(struct hub *h, struct slot *s, struct err *e);
/* End it within ms; its wait status in *status unless that is NULL. */
void slot_stop(struct hub *h, struct slot *s, int ms, int *status);
/* It has ended by itself (fault is NULL), or is to be ended for a fault: it is
 * started again, or given up. */
void slot_down(struct hub *h, struct slot *s, const char *fault);

/* Write until its pipe is full or nothing is due. */
void slot_feed(struct hub *h, struct slot *s);
/* Read what it says. */
void slot_listen(struct hub *h, struct slot *s);

/* ---- hub_err.c: what it says on stderr, told and logged line by line ---- */

void slot_overhear(struct hub *h, struct slot *s);
/* The rest of it, of one that has ended. */
void slot_overheard(struct hub *h, struct slot *s);

#endif
