/* screen.h - the only writer to a person's terminal: finished text goes above,
 * a few live rows stay at the bottom.
 *
 * Printed text and live rows are queued, and screen_tick draws them in one
 * write, at most 30 times a second, or at once after screen_redraw_now.  Only
 * rows that changed are written.  In the background nothing is drawn; it is
 * kept until we are in the foreground again.  We never wait for a terminal that
 * does not read: what it does not take is kept, up to about 16 MiB, and tried
 * again with the next ticks.
 *
 * Callers pass text that is escaped (lib/term), colored (SGR only) and UTF-8,
 * with LF between lines.  A printed line may be wider than the terminal, which
 * breaks it; a live row must be narrower.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

struct screen;

/* Draw on out.  A process has only one screen.  A dumb terminal is only
 * appended to: its one row is started over when it cannot be continued. */
struct screen *screen_new(int out, bool dumb);

/* Treat the terminal as dumb from now on. */
void screen_set_dumb(struct screen *s);

/* Draw what is due, erase the live rows, restore the terminal and free s, which
 * may be NULL.  Waits for a paused terminal, unless at_once is set or something
 * comes on the descriptor stop (-1: none). */
void screen_close(struct screen *s, int stop, bool at_once);

/* ---- the keyboard ---- */

/* Read keys one by one from in (Ctrl-C and Ctrl-Z too), with pastes marked; in
 * -1: stop that.  However the process ends, even by a fatal signal, the
 * terminal is restored.  False: keys are not read, as the terminal cannot be
 * set or in is -1. */
bool screen_read_keys(struct screen *s, int in);

/* Are we in the foreground?  If not, another program gets the keys. */
bool screen_is_foreground(const struct screen *s);

/* Ask the terminal what it can do.  The answers come as keys (KEY_REPLY); pass
 * them to screen_reply.  Before another program gets the keys, wait for those
 * that are missing, 1 s at most: they would be its input.  What came meanwhile
 * is appended to typed. */
void screen_query(struct screen *s);
void screen_reply(struct screen *s, struct slice reply);
void screen_await_replies(struct screen *s, struct buf *typed);

/* Lend the terminal to another program: printed text is drawn, the live rows
 * are erased.  Take it back: then set them again. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

/* ---- what it shows ---- */

/* Print whole lines, each with an LF, above the live rows, for good. */
void screen_print(struct screen *s, struct slice lines);

/* Is more waiting for the terminal than it takes in a moment? */
bool screen_is_behind(const struct screen *s);

/* Set the live rows, LF between them (none: ""), and the cursor's place in
 * them, from 0. */
void screen_live(struct screen *s, struct slice rows, size_t cursor_row,
    size_t cursor_column);

/* Send control bytes of our own (the bell) with the next frame. */
void screen_control(struct screen *s, const char *bytes);

/* Let the next tick draw at once, as after a key; whole: redraw everything. */
void screen_redraw_now(struct screen *s, bool whole);

/* Draw if it is time.  Returns the ms until it must be called again, -1:
 * nothing is due. */
int screen_tick(struct screen *s, long long now_ms);

/* Draw what is due now, and wait until the terminal has taken it, something
 * comes on the descriptor stop (-1: none), or it took nothing for ms (-1:
 * forever).  In the background it does nothing. */
void screen_flush(struct screen *s, int stop, int ms);

/* The terminal was resized (SIGWINCH): draw nothing until the size is likely
 * to have settled. */
void screen_resized(struct screen *s);

/* What is known about the terminal, kept up to date. */
struct screen_info {
	size_t columns, rows;
	bool light;		/* it reported dark text on light */
};

const struct screen_info *screen_info(const struct screen *s);
