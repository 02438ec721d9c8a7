/* internal.h - the inside of this room. */
#pragma once

#include "ui.h"

#define DIM(u) ((u)->color ? "\033[2m" : "")
#define PLAIN(u) ((u)->color ? "\033[0m" : "")

/* The calls that were seen are no longer known. */
void ui_forget(struct ui *u);

/* What a call is on its line: its name and what it is about. */
void ui_call_is(struct ui_call *call, struct slice name, struct slice args);

/* Queue one record for stdout. */
void ui_json_line(struct ui *u, const struct rec *r);

/* Write whole lines, safe and coloured, to stderr. */
void ui_emit(struct ui *u, struct slice lines);

/* The same of any text. */
void ui_emit_text(struct ui *u, struct slice text);

/* A message of err_say, which knows nothing of the rows at the bottom. */
void ui_error_line(void *ui, const char *line);

/* Lines behind all that was shown; released. */
void ui_print(struct ui *u, struct buf *lines);

/* The same in colours that [ui] theme, or the terminal's background, asks for:
 * text, or in b. */
struct slice ui_themed(const struct ui *u, struct slice text, struct buf *b);

/* Rows of the terminal. */
size_t ui_height(const struct ui *u);

/* ---- input.c ---- */

/* Watch for Ctrl-Z, its end and a new size, on u->job, if it is time; no
 * longer (on is false), unless it is still. */
void ui_watch_job(struct ui *u, bool on);

/* Keys come to us one by one; they no longer do. */
void ui_listen(struct ui *u, bool on);

/* Those that are there go to the input.  Esc is one when nothing follows it:
 * keys may come of the time alone. */
void ui_take_keys(struct ui *u, long long now);

/* What the editor tells: a message is sent, the turn interrupted, ... */
void ui_event(struct ui *u, enum editor_event event);

/* What the terminal says of itself is no key. */
bool ui_answered(struct ui *u, const struct key *key);

/* ---- live.c ---- */

/* A turn runs, or what a person began. */
bool ui_is_busy(const struct ui *u);

/* How many rows tell what is queued; of an answer, may still change. */
size_t ui_queued_rows(const struct ui *u);
size_t ui_tail_rows(const struct ui *u);

/* Call a person who looks elsewhere. */
void ui_ring(struct ui *u, const char *why);

/* Make the live rows anew with the next frame, or now. */
void ui_changed(struct ui *u);
void ui_hurry(struct ui *u);

/* The answer that comes in pieces: one more, and its end. */
void ui_stream(struct ui *u, struct slice text);
void ui_think(struct ui *u, struct slice text);
void ui_thought(struct ui *u);

/* A command has ended: if it failed, the last lines of what it printed stay. */
void ui_printed(struct ui *u, bool failed);
void ui_break(struct ui *u);
