/* editor.h - the input: a message of several lines, edited by keys.
 *
 * Pure: keys come in, rows come out; nothing is read or written but the
 * history's file.  Its keys are emacs's and those of hamr-loop(1).  A long
 * paste is one unit, shown as [pasted 214 lines], and is sent whole.
 *
 *	while (keys_next(&keys, now, &key))
 *		switch (editor_key(e, &key)) {
 *		case EDITOR_SEND:
 *			message = editor_take(e);
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "complete.h"
#include "keys.h"

enum editor_event {
	EDITOR_NONE,		/* nothing changed */
	EDITOR_CHANGED,		/* draw it again */
	EDITOR_SEND,		/* Enter, and there is something to send */
	EDITOR_ESC,		/* Esc in an empty input */
	EDITOR_INTERRUPT,	/* Ctrl-C */
	EDITOR_QUIT,		/* Ctrl-D in an empty input */
	EDITOR_SUSPEND,		/* Ctrl-Z */
	EDITOR_EXTERNAL,	/* Ctrl-G: $EDITOR, then editor_set */
	EDITOR_OUTPUT,		/* Ctrl-O */
	EDITOR_THINKING,	/* Ctrl-T in an empty input */
	EDITOR_REDRAW,		/* Ctrl-L */
	EDITOR_TOO_LONG,	/* a paste was not taken, it is over 16 MiB */
};

struct editor_options {
	const char *history;	/* its file; NULL: none is kept */
	const char *prompt;	/* ASCII, "> " */
	bool colour;
	struct complete_source complete;	/* .list NULL: nothing */

	/* Up in an empty input: the newest queued message, no longer queued,
	 * yours; NULL: none.  The pointer may be NULL. */
	char *(*take_queued)(void *arg);
	void *queued_arg;
};

struct editor;			/* editor.c */

struct editor *editor_new(const struct editor_options *o);
void editor_free(struct editor *e);

enum editor_event editor_key(struct editor *e, const struct key *key);

/* A list of what completes is not there yet: look for it again.  True: it is,
 * and is to be drawn. */
bool editor_waits(const struct editor *e);
bool editor_look(struct editor *e);

/* Nothing stands in the input. */
bool editor_is_empty(const struct editor *e);

/* All of the message, pastes too; yours. */
char *editor_text(const struct editor *e);

/* The same, and it is in the history and no longer in the input. */
char *editor_take(struct editor *e);

/* Another text instead; pastes that stand in it stay folded.  Ctrl-_ brings
 * the old one back. */
void editor_set(struct editor *e, struct slice text);

/* Messages that were taken from here and not sent, the oldest first, which
 * stands in the input then; Down leads to the others and to what stood there.
 */
void editor_recall(struct editor *e, char *const *v, size_t n);

/* Another prompt, as "no, because: ". */
void editor_prompt(struct editor *e, const char *prompt);

/* Append its rows with LF between them, at most max_rows (1 or more) and none
 * wider than columns less one; where the cursor stands in them.  Rows hold
 * SGR where colour is on, and no other controls. */
void editor_draw(struct editor *e, size_t columns, size_t max_rows,
    struct buf *rows, size_t *cursor_row, size_t *cursor_column);
