/* internal.h - the inside of the hub.
 *
 * hub.c asks, waits and commits; slot.c keeps one stage alive, moves its bytes
 * and takes in what it says.
 */
#pragma once

#include "hub.h"

#define PURE_DEADLINE_MS 30000	/* whatever takes no time (chapter 1.3) */
#define END_MS 2000		/* from closed ends to SIGKILL */

/* The run is over, for this reason; the first one counts. */
void hub_fail(struct hub *h, const struct err *e);

/* Commit a record as a stage wrote it, r of the stage's rec_in. */
void hub_commit_record(struct hub *h, const struct rec *r);
/* What guard, compact and mem proposed, committed together. */
void hub_commit_proposals(struct hub *h, struct slot *s);

/* Queue a control line (yours no more) after those due no later. */
void slot_control(struct slot *s, off_t at, char *line);
void slot_drop_controls(struct slot *s);
/* Queue the go or sync in flight (the provider's with its request). */
void slot_ask_again(struct hub *h, struct slot *s);

/* Start it; it reads the session from its beginning, and what it says up to
 * its last barrier is thrown away. */
int slot_start(struct hub *h, struct slot *s, struct err *e);
/* The same once more, with what it was asked. */
void slot_restart(struct hub *h, struct slot *s);
/* End it within ms; its wait status. */
int slot_stop(struct hub *h, struct slot *s, int ms);
/* It has ended by itself (fault is NULL), or is to be ended for a fault: it is
 * started again, or given up. */
void slot_down(struct hub *h, struct slot *s, const char *fault);

/* Is it asked for nothing, and what it has not read yet little? */
bool slot_can_wait(const struct hub *h, const struct slot *s);
/* Write until its pipe is full or nothing is due. */
void slot_feed(struct hub *h, struct slot *s);
/* Read what it says. */
void slot_listen(struct hub *h, struct slot *s);
