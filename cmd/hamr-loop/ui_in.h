/* ui_in.h - the inside of the user's view; of ui*.c only. */
#ifndef HAMR_LOOP_UI_IN_H
#define HAMR_LOOP_UI_IN_H

#include "ui.h"

/* The calls that were seen are no longer known. */
void ui_forget(struct ui *u);

/* Queue one record for stdout. */
void ui_json_line(struct ui *u, const struct rec *r);

/* ---- ui_status.c: whatever is written moves the line out of its way ---- */

/* Write bytes to stderr in whole lines, the status line moved out of their
 * way. */
void ui_emit(struct ui *u, const char *p, size_t n);

/* End a line that was left open by streamed text. */
void ui_break(struct ui *u);

/* ---- ui_fold.c ---- */

/* Columns of the terminal. */
size_t ui_columns(void);
/* Append safe text, broken between words where the terminal's line ends; it
 * may go on with the next piece. */
void ui_fold(struct ui_fold *f, const char *p, size_t n, struct buf *out);
void ui_fold_reset(struct ui_fold *f);	/* a new line begins */

/* ---- ui_call.c ---- */

/* "bash make test" of a call's name and arguments. */
char *ui_call_what(struct slice name, struct slice args);
/* One line for a result: what, its outcome, its time. */
void ui_call_result(struct ui *u, const char *what, const struct rec *r);
/* A whole diff, its lines coloured. */
void ui_call_paint(const struct ui *u, const char *diff, struct buf *out);
/* A changed file as it was changed. */
void ui_call_diff(struct ui *u, const struct rec *r);

/* ---- ui_status.c ---- */

/* Note what a record says about where the run stands. */
void ui_status_take(struct ui *u, const struct rec *r);
/* Take the line off the screen; put it there again. */
void ui_status_hide(struct ui *u);
void ui_status_draw(struct ui *u);

/* ---- ui_trouble.c ---- */

/* An error or progress of the provider: tell it with its remedy, but what was
 * told before goes on the status line only.  False: it is none, or one that
 * is told like any other. */
bool ui_trouble(struct ui *u, const struct rec *r);
/* The loop's own wait for the server; false when it is to be printed. */
bool ui_waiting(struct ui *u, const struct rec *r);
/* It answers. */
void ui_trouble_over(struct ui *u);

#endif
