/* keys.h - decode the bytes of a terminal into keys.
 *
 * A pure decoder: it is given what was read, and when.  It knows what xterm,
 * the Linux console, kitty's protocol (flags 1 and 4) and modifyOtherKeys send.
 *
 * - A lone ESC is the key Esc after 50 ms.  Another sequence begun and not
 *   completed by then is Alt and a character.
 * - The terminal's answer to a query is a KEY_REPLY, never another key, even if
 *   it comes in pieces.
 * - Shortcuts go by the character; by the key's place on a US keyboard where
 *   that is not ASCII (Ctrl and the Cyrillic letter on C's key is Ctrl-C).
 *   Caps Lock and Num Lock change nothing.
 * - A marked paste lasts until its end mark, however long that takes; only
 *   Ctrl-C, after 2 s, ends one whose end mark never comes.
 * - Characters that come together are one KEY_TEXT.  A line end among them is
 *   not Enter but part of a paste that the terminal did not mark, a KEY_PASTE;
 *   a single one at their end or start is Enter if the terminal marks pastes.
 *   The line end at the end of an unmarked paste is held back; it becomes a
 *   KEY_NEWLINE if the paste had only stalled and continues.
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
	KEY_HOME, KEY_END,
	KEY_CTRL,		/* with the character in text: "a", "_" */
	KEY_ALT,		/* the same */
	KEY_PASTE,		/* LF between lines; text.p is NULL if it was
				 * too long */
	KEY_FOCUS_IN, KEY_FOCUS_OUT,
	KEY_REPLY,		/* the answer's bytes, with its ESC */
};

struct key {
	enum key_name name;
	struct slice text;	/* valid until keys are added or taken */
	bool ctrl, alt;		/* of keys that are not characters */
};

#define KEYS_PASTE_MAX ((size_t)16 << 20)

struct keys {
	bool marks_pastes;	/* the terminal does */
	long long at;		/* when the last bytes came */
	struct buf in;		/* bytes not decoded yet, after ... */
	size_t done;		/* ... this many that are */
	size_t seen;		/* in a paste: searched for its end */
	enum { KEYS_PLAIN, KEYS_MARKED, KEYS_UNMARKED } paste;
	bool too_long;		/* the paste */
	bool broken;		/* Ctrl-C came long after the rest of it */
	bool texted, soon;	/* the last key was text; just now */
	long long pasted_at;	/* when the last unmarked paste ended */
	bool held;		/* its last line end is held back */
	struct buf text;	/* of the last key */
};

/* Begin for a terminal of this type ($TERM, NULL: unknown).  A marked paste or
 * an answer about mode 2004 later tells whether it marks pastes. */
void keys_init(struct keys *k, const char *type);
void keys_release(struct keys *k);

/* Add what one read() returned. */
void keys_add(struct keys *k, struct slice bytes, long long now_ms);

/* Get the next key.  False: none yet. */
bool keys_next(struct keys *k, long long now_ms, struct key *key);

/* Drop a line end that came with the last key and with nothing after it: some
 * terminals send whole lines only. */
void keys_drop_line_end(struct keys *k);

/* The ms after which keys_next may have a key even without more input; -1: it
 * needs input. */
int keys_wait(const struct keys *k, long long now_ms);

/* Has a marked paste stalled, so that Ctrl-C would end it? */
bool keys_stalled(const struct keys *k, long long now_ms);

/* Append text as allowed in a message: UTF-8 with no controls but LF and TAB;
 * CR and CR LF become LF. */
void keys_clean(struct buf *out, struct slice text);
