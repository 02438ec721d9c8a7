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

/* ---- ui_typed.c ---- */

/* The terminal's keys, also where its lines cannot be redrawn. */
void ui_keys_on(struct ui *u);
void ui_keys_off(struct ui *u);
/* As ui_typed, but nothing is drawn. */
void ui_keys(struct ui *u, const char *p, size_t n, struct buf *lines);
/* Put bytes that were read before their time into the message as text. */
void ui_keys_early(struct ui *u, const char *p, size_t n);

/* ---- ui_question.c: what a person is asked ---- */

struct ui_question {
	char *name, *path, *diff, *command, *args, *why;	/* NULL: none */
	int64_t lines;
	bool made;		/* the file is new */
	size_t hidden;		/* lines of it that were not shown */
};

void ui_question_read(struct ui_question *q, const struct rec *ask);
void ui_question_release(struct ui_question *q);
/* Show it, as much as the screen holds; and the keys that answer. */
void ui_question_show(struct ui *u, struct ui_question *q, bool can_edit);
/* What a yes for the session would allow: for people, and as a key of
 * u->always; yours, NULL when there is no such thing. */
char *ui_question_always(const struct ui_question *q);
char *ui_question_key(const struct ui_question *q);
/* The whole of it, as safe text. */
void ui_question_text(const struct ui_question *q, struct buf *out);

/* ---- ui_program.c: programs that have the terminal meanwhile ---- */

/* The person's pager on a text; false: there is none that works. */
bool ui_program_page(const struct buf *text);
/* Arguments (JSON) changed in the person's editor, a command as itself; NULL
 * with why when nothing came of it.  Yours. */
char *ui_program_edit(const char *args, bool command, const char **why);

/* ---- ui_status.c ---- */

/* The end of the message being typed, as much as fits. */
void ui_status_typed(const struct ui *u, size_t columns, struct buf *out);
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
