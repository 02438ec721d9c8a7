/* ui.h - what a person and a program see of a run.
 *
 * stdout: the answer, or with --json every committed record, delta, output
 * and progress.  stderr: calm progress.  What a model or a tool sends can
 * never steer a terminal: control bytes, bidirectional overrides and
 * invisible tags are shown, not sent.
 */
#ifndef HAMR_LOOP_UI_H
#define HAMR_LOOP_UI_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "rec.h"

struct ui {
	bool json, quiet;
	bool tty_out, tty_err, color;
	struct buf out;		/* queued for stdout */
	size_t written;
	bool out_closed;	/* stdout cannot be written any more ... */
	int out_errno;		/* ... and why; EPIPE: nobody reads it */
	struct map calls;	/* call id -> index + 1 into what */
	char **what;		/* "bash make test" */
	size_t nwhat, capwhat;
	bool midline;		/* deltas were shown without a line end */
};

void ui_init(struct ui *u, bool json, bool quiet);
void ui_release(struct ui *u);

void ui_committed(struct ui *u, const struct rec *r);
void ui_passing(struct ui *u, const struct rec *r);

/* The answer, at the end. */
void ui_answer(struct ui *u, const char *text);

/* One line of progress, e.g. "session ...". */
void ui_note(struct ui *u, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Show an ask and read y or n from the terminal; false without one, and when
 * something comes on the descriptor stop (left unread). */
bool ui_ask(struct ui *u, const struct rec *ask, int stop);

/* stdout was found closed by its reader. */
void ui_lost(struct ui *u);

/* Write what can be written without blocking; true while some is left. */
bool ui_pump(struct ui *u);
void ui_flush(struct ui *u);	/* all of it, blocking */

/* The last act: flush and close stdout.  -1 (ST_SYSTEM) when something was
 * lost and it was not the reader who left. */
int ui_end(struct ui *u, struct err *e);

/* Append text as a terminal may be given it. */
void ui_safe(struct buf *out, const char *p, size_t n);

#endif
