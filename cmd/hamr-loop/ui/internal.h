/* internal.h - private to ui/. */
#pragma once

#include "ui.h"

#define DIM(u) ((u)->color ? "\033[2m" : "")
#define PLAIN(u) ((u)->color ? "\033[0m" : "")

/* Forget the calls seen so far. */
void ui_clear_calls(struct ui *u);

/* Set what a call's line shows: its name and what it is about. */
void ui_describe_call(struct ui_call *call, struct slice name,
    struct slice args);

/* Queue one record for stdout, given without its LF. */
void ui_json_line(struct ui *u, struct slice line);

/* Write whole lines, already escaped and colored, to stderr. */
void ui_emit(struct ui *u, struct slice lines);

/* Escape any text and write it to stderr. */
void ui_emit_text(struct ui *u, struct slice text);

/* Print a message of err_say above the live rows. */
void ui_error_line(void *ui, const char *line);

/* Print lines (released) after everything shown so far. */
void ui_print(struct ui *u, struct buf *lines);

/* Text with its colors adapted to [ui] theme or the terminal's background:
 * text itself, or a copy in b. */
struct slice ui_themed(const struct ui *u, struct slice text, struct buf *b);

/* The ms to wait for what is asked: at most ms (-1: any), and u->until. */
int ui_wait_ms(const struct ui *u, int ms);

/* Rows of the terminal. */
size_t ui_height(const struct ui *u);

/* ---- input.c ---- */

/* Watch u->job for Ctrl-Z, a resume and a new size, or stop, as is needed now.
 */
void ui_watch_job(struct ui *u);

/* Start or stop reading keys one by one. */
void ui_listen(struct ui *u, bool on);

/* Lend the terminal to another program, until ui_resume.  Replies that the
 * terminal still owes are ours. */
void ui_suspend(struct ui *u);

/* Pass the keys that are there to the input.  Esc is a key once nothing follows
 * it, so a key may come from the passing of time alone. */
void ui_take_keys(struct ui *u, long long now);

/* Handle an event of the editor: a message sent, a turn interrupted, ... */
void ui_event(struct ui *u, enum editor_event event);

/* Handle what the terminal reports: the answer to a query, or its focus.
 * False: it is an ordinary key. */
bool ui_handle_reply(struct ui *u, const struct key *key);

/* ---- live.c ---- */

/* Is a turn, or a command that a person started, running? */
bool ui_is_busy(const struct ui *u);

/* How many rows show queued messages; how many of an answer may still change.
 */
size_t ui_queued_rows(const struct ui *u);
size_t ui_tail_rows(const struct ui *u);

/* Alert a person who is looking elsewhere. */
void ui_alert(struct ui *u, const char *why);

/* Rebuild the live rows with the next frame, or now. */
void ui_redraw(struct ui *u);
void ui_redraw_now(struct ui *u);

/* Show a piece of the answer, or of the reasoning; the reasoning is over. */
void ui_stream_answer(struct ui *u, struct slice text);
void ui_stream_reasoning(struct ui *u, struct slice text);
void ui_end_reasoning(struct ui *u);

/* A command has ended; if it failed, leave the last lines of its output. */
void ui_end_output(struct ui *u, bool failed);
/* End the answer or output being streamed: what follows is not part of it. */
void ui_break(struct ui *u);
