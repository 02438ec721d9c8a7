/* editor.h - the input: a message of several lines, edited by keys.
 *
 * Pure: keys come in, rows come out; it reads and writes only the history's
 * file.  Its keys are those of emacs and of hamr-loop(1).  A long paste is one
 * unit, shown as [pasted 214 lines], and is sent whole.
 *
 *	while (keys_next(&keys, now, &key))
 *		switch (editor_key(e, &key)) {
 *		case EDITOR_SEND:
 *			message = editor_take(e);
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"
#include "complete.h"
#include "keys.h"

enum editor_event {
	EDITOR_NONE,		/* nothing but to draw it again */
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

	struct texts *queue;	/* Up in an empty input takes the newest of
				 * these messages; NULL: none */
};

struct editor;			/* editor.c */

struct editor *editor_new(const struct editor_options *o);
void editor_free(struct editor *e);

enum editor_event editor_key(struct editor *e, const struct key *key);

/* Is the input empty? */
bool editor_is_empty(const struct editor *e);

/* The whole message with its pastes; the caller frees it. */
char *editor_text(const struct editor *e);

/* Move the message from the input to the history and return it; the caller
 * frees it. */
char *editor_take(struct editor *e);

/* Replace the text; pastes that it still contains stay folded.  Ctrl-_ undoes
 * that. */
void editor_set(struct editor *e, struct slice text);

/* Bring back n messages that were taken and not sent, the oldest first.  The
 * oldest is put into the input; Down leads to the others and the previous text.
 */
void editor_recall(struct editor *e, char *const *v, size_t n);

/* Change the prompt, as to "no, because: ". */
void editor_prompt(struct editor *e, const char *prompt);

/* Append its rows with LF between them, at most max_rows (1 or more), each at
 * most columns - 1 wide, and store the cursor's place in them.  They contain
 * SGR if colour is on, and no other controls. */
void editor_draw(struct editor *e, size_t columns, size_t max_rows,
    struct buf *rows, size_t *cursor_row, size_t *cursor_column);
