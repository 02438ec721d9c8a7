/* keys.h - the bytes of a terminal as keys.
 *
 * A pure decoder: it is fed what was read, and when.  What xterm, the Linux
 * console, kitty's protocol (flags 1 and 4) and modifyOtherKeys send is known.
 *
 * - A lone ESC is the key Esc after 50 ms.  What else was begun and is not
 *   ended then is Alt and a character.
 * - An answer of the terminal to a query is a KEY_REPLY, never another key,
 *   also if it comes in pieces.
 * - Shortcuts go by the character; by the key's place on a US keyboard where
 *   that is not ASCII (Ctrl and the Cyrillic letter on C's key is Ctrl-C).
 *   Caps Lock and Num Lock change nothing.
 * - What follows the mark of a paste is part of it until its end is marked,
 *   however long that takes; Ctrl-C alone, after 2 s, ends one that never will.
 * - Characters that come at once are one KEY_TEXT.  A line end among them is no
 *   Enter but part of a paste which the terminal did not mark, a KEY_PASTE; one
 *   alone at their end or start is Enter where the terminal marks pastes.  The
 *   line end at the end of such a paste is kept back: it comes, a KEY_NEWLINE,
 *   if the paste had only stalled and goes on.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum key_name {
	KEY_TEXT,		/* characters, in text */
	KEY_ENTER,
	KEY_NEWLINE,		/* Alt-Enter, Shift-Enter, Ctrl-J */
	KEY_ESC, KEY_TAB, KEY_BACKTAB, KEY_BACKSPACE, KEY_DELETE,
	KEY_UP, KEY_DOWN, KEY_LEFT, KEY_RIGHT,
	KEY_HOME, KEY_END, KEY_PAGE_UP, KEY_PAGE_DOWN,
	KEY_CTRL,		/* with the character in text: "a", "_" */
	KEY_ALT,		/* the same */
	KEY_PASTE,		/* all of it, or what came of one that stalls,
				 * LF between its lines; text.p is NULL when
				 * it was too long to be kept */
	KEY_FOCUS_IN, KEY_FOCUS_OUT,
	KEY_REPLY,		/* the answer's bytes, from its ESC on */
};

struct key {
	enum key_name name;
	struct slice text;	/* valid until keys are added or taken */
	bool ctrl, alt, shift;	/* of keys that are no characters */
};

#define KEYS_PASTE_MAX ((size_t)16 << 20)

struct keys {
	bool marks_pastes;	/* the terminal does */
	long long at;		/* when the last bytes came */
	struct buf in;		/* bytes that are no keys yet ... */
	size_t done;		/* ... behind these */
	size_t seen;		/* in a paste: looked at for its end */
	enum { KEYS_PLAIN, KEYS_MARKED, KEYS_UNMARKED } paste;
	bool too_long;		/* the paste */
	bool broken;		/* Ctrl-C came long after the rest of it */
	bool texted, soon;	/* the last key was text; a moment ago */
	long long pasted_at;	/* when the last unmarked paste ended */
	bool held;		/* its last line end was kept back */
	struct buf text;	/* of the last key */
};

/* For a terminal of this type ($TERM, NULL: unknown).  What it does later, a
 * marked paste or an answer about mode 2004, tells more. */
void keys_init(struct keys *k, const char *type);
void keys_release(struct keys *k);

/* What one read() brought. */
void keys_add(struct keys *k, struct slice bytes, long long now_ms);

/* The next key; false: none yet. */
bool keys_next(struct keys *k, long long now_ms, struct key *key);

/* In how many ms keys_next may have one though nothing more comes; -1: only
 * what comes makes one. */
int keys_wait(const struct keys *k, long long now_ms);

/* Append text as a message may hold it: UTF-8 with LF and TAB and no other
 * controls; CR and CR LF are LF. */
void keys_clean(struct buf *out, struct slice text);
