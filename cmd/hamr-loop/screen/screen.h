/* screen.h - the only writer to a person's terminal: finished text goes above,
 * a few live rows stay at the bottom.
 *
 * What is printed and what the rows are to show is taken in, and drawn by
 * screen_tick in one write, at most 30 times a second, or at once after
 * screen_hurry.  A row that did not change is not written again, and when
 * nothing changed nothing is.  In the background nothing is drawn; it is kept
 * until we are in front again.  Nothing waits for a terminal that nobody reads:
 * what it does not take is kept, 16 MiB at most and then the newest, and tried
 * again with the next ticks.
 *
 * All text is given ready: escaped (lib/term) and coloured (SGR only), UTF-8,
 * LF between lines.  A printed line may be longer than the terminal is wide,
 * which breaks it; a live row must be shorter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

struct screen;

/* Draw on out.  There is one screen in a process.  A dumb terminal is only
 * appended to: its one row begins anew where it cannot go on. */
struct screen *screen_new(int out, bool dumb);

/* From here on it is taken for a dumb one. */
void screen_plain(struct screen *s);

/* Draw what is due, erase the live rows, give the terminal back, free it.  A
 * terminal that is paused is waited for, but not if we are told to end: at_once
 * is set, or TERM, HUP or INT comes.  May be NULL. */
void screen_close(struct screen *s, bool at_once);

/* ---- the keyboard ---- */

/* From here on keys come one by one on in (Ctrl-C and Ctrl-Z too), pastes are
 * marked; whenever the process ends, also by a signal it does not survive, the
 * terminal is as it was.  False: it cannot be had; or in is -1: they no longer
 * come. */
bool screen_keys(struct screen *s, int in);

/* Are we in the foreground?  Keys are another program's else. */
bool screen_in_front(const struct screen *s);

/* Ask the terminal what it can do; the answers come as keys (KEY_REPLY), and
 * are given to screen_reply.  Those that are still to come are waited for, 1 s
 * at most, before the terminal is given back. */
void screen_query(struct screen *s);
void screen_reply(struct screen *s, struct slice reply);

/* Another program has the terminal from here on: what was printed is drawn,
 * the live rows are erased.  It is ours again: they are drawn anew. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

/* ---- what it shows ---- */

/* Whole lines, each with its LF: they go above the live rows, for good. */
void screen_print(struct screen *s, struct slice lines);

/* What the bottom is to show, rows with LF between them (none: ""), and where
 * the cursor stands in it, from 0. */
void screen_live(struct screen *s, struct slice rows, size_t cursor_row,
    size_t cursor_column);

/* Bytes of ours for the terminal itself (the bell), with the next frame. */
void screen_control(struct screen *s, const char *bytes);

/* A key came: the next tick draws at once; anew: whatever stands there. */
void screen_hurry(struct screen *s, bool anew);

/* Draw if it is time; ms until it wants to be called again, -1: nothing is
 * due. */
int screen_tick(struct screen *s, long long now_ms);

/* Draw what is due now; wait until the terminal has taken it, or something
 * comes on the descriptor stop (-1: nothing does), or it took nothing for so
 * many ms (-1: forever). */
void screen_flush(struct screen *s);
void screen_settle(struct screen *s, int stop, int ms);

/* The terminal has another size now (SIGWINCH): nothing is drawn until it may
 * be taken for settled. */
void screen_resized(struct screen *s);

/* What is known of the terminal; it is kept up to date. */
struct screen_info {
	size_t columns, rows;
	bool light;		/* it said that its colours are dark on light */
};

const struct screen_info *screen_info(const struct screen *s);
