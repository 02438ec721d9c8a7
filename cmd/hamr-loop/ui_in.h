/* ui_in.h - the inside of the user's view; of ui*.c only. */
#ifndef HAMR_LOOP_UI_IN_H
#define HAMR_LOOP_UI_IN_H

#include "ui.h"

/* Queue one record for stdout. */
void ui_json_line(struct ui *u, const struct rec *r);

/* Write bytes to stderr in whole lines, the status line moved out of their
 * way. */
void ui_emit(struct ui *u, const char *p, size_t n);

/* End a line that was left open by streamed text. */
void ui_break(struct ui *u);

/* ---- ui_status.c ---- */

/* Note what a record says about where the run stands. */
void ui_status_take(struct ui *u, const struct rec *r);
/* Say what is being done now ("" nothing). */
void ui_status_doing(struct ui *u, const char *what);
/* Take the line off the screen; put it there again. */
void ui_status_hide(struct ui *u);
void ui_status_draw(struct ui *u);

#endif
