/* internal.h - private to hub/.
 *
 * hub.c asks, waits and commits; slot.c keeps one stage alive, moves its bytes
 * and takes in what it says.
 */
#pragma once

#include "hub.h"

#define PURE_DEADLINE_MS 30000	/* for quick requests (chapter 1.3) */
#define END_MS 2000		/* from closed ends to SIGKILL */

/* End the run for this reason; the first reason counts.  Returns -1. */
int hub_fail(struct hub *h, const struct err *e);

/* Append lines (each with its LF) in one write, unless the session is closed to
 * commits.  known: the record of the only line, or NULL. */
int hub_commit_lines(struct hub *h, struct slice lines,
    const struct rec *known);
/* Commit what guard, compact or mem proposed, all together. */
void hub_commit_proposals(struct hub *h, struct slot *s);

/* Has the guard answered the last message, so that others may commit? */
bool hub_is_judged(const struct hub *h);

/* Queue a control line (taken over), due no sooner than those before it. */
void slot_control(struct slot *s, off_t at, char *line);
void slot_drop_controls(struct slot *s);
/* It is asked for nothing any more. */
void slot_clear_request(struct slot *s);
/* Queue the go or sync in flight (the provider's with its request). */
void slot_repeat_request(struct hub *h, struct slot *s);

/* Start the stage.  It reads the session from the beginning; its output up to
 * its last barrier is discarded. */
int slot_start(struct hub *h, struct slot *s, struct err *e);
/* Start it (again) and repeat what it was asked; or give it up. */
void slot_restart(struct hub *h, struct slot *s);
/* Stop it within ms.  Returns its wait status. */
int slot_stop(struct hub *h, struct slot *s, int ms);
/* The stage ended by itself (fault is NULL) or must be stopped for a fault:
 * restart it, or give it up. */
void slot_ended(struct hub *h, struct slot *s, const char *fault);
/* It missed its deadline, it or a filter behind it. */
void slot_timed_out(struct hub *h, struct slot *s);

/* Is it asked for nothing, with little left unread? */
bool slot_is_idle(const struct hub *h, const struct slot *s);
/* It reads no more.  If it has not read all, it has ended, though what it left
 * behind may keep its output open; else it may still answer. */
void slot_input_closed(struct slot *s);
/* Write until its pipe is full or nothing is due. */
void slot_feed(struct hub *h, struct slot *s);
/* Read what it says. */
void slot_read(struct hub *h, struct slot *s);
