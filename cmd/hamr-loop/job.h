/* job.h - Ctrl-Z and fg, where the terminal is not in its usual state.
 *
 * A terminal whose keys we take one by one must be given back before we stop,
 * and taken again when we go on; so both signals come as bytes of a descriptor
 * for as long as that lasts.
 */
#ifndef HAMR_LOOP_JOB_H
#define HAMR_LOOP_JOB_H

enum job { JOB_NOTHING, JOB_STOP, JOB_GO };

/* Watch for them, on this descriptor; -1: they do what they always do. */
int job_watch(void);
void job_leave(int fd);		/* -1 is no harm */

/* What came: JOB_STOP, then job_stop() is due; JOB_GO, we were stopped. */
enum job job_next(int fd);

/* Stop, if there is a shell to wake us; returns when it has. */
void job_stop(int fd);

#endif
