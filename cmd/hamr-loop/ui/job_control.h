/* job_control.h - Ctrl-Z and fg in raw mode, and the terminal's size.
 *
 * A terminal whose keys we take one by one must be given back before we stop,
 * and taken again when we go on; so these signals come as bytes of a
 * descriptor for as long as that lasts.
 */
#pragma once

enum job {
	JOB_NOTHING = 0,
	JOB_STOP = 1,		/* job_stop() is due */
	JOB_GO = 2,		/* we were stopped */
	JOB_RESIZED = 4
};

/* Watch for them, on this descriptor; -1: they do what they always do. */
int job_watch(void);
void job_leave(int fd);		/* -1: nothing */

/* What came, or-ed. */
int job_next(int fd);

/* Stop, if there is a shell to wake us; returns when it has. */
void job_stop(int fd);
