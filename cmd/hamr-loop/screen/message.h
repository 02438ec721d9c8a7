/* message.h - a text being edited: its units, folded long pastes, its undo
 * history, and its rows.
 *
 * The bytes are UTF-8 with no controls but LF and TAB, except that a folded
 * paste is one unit of MESSAGE_FOLD bytes, which begins with \x1a and names the
 * paste.  Positions are byte offsets between units.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"

#define MESSAGE_MAX ((size_t)64 << 20)
#define MESSAGE_FOLD 4
#define MESSAGE_FOLD_LINES 8	/* a paste of more is folded */
#define MESSAGE_FOLD_BYTES 4096	/* and so is one this long */

struct message_paste {
	char *p;		/* NULL: free */
	size_t n;
	char *label;		/* "[pasted 214 lines]" */
};

struct message_change {
	size_t at, added;	/* bytes put at `at` ... */
	char *taken;		/* ... in place of these */
	size_t cursor;		/* before the change */
	bool typed;		/* what is typed next joins this change */
};

struct message {
	struct buf text;
	size_t at;		/* the cursor */
	struct message_paste *pastes;
	size_t npastes, cappastes;
	struct message_change *undo;
	size_t nundo, capundo, undo_bytes;	/* removed, all in all */
	size_t *rows;		/* where the known rows begin ... */
	size_t nrows, caprows;
	size_t width;		/* ... at this width */
	bool all_rows;		/* all rows are known */
};

void message_init(struct message *m);
void message_release(struct message *m);

/* The length of the unit at `at` in bytes, 0 at the end.  Stores its width
 * after `column` columns of its row in *columns, and appends what is shown for
 * it to out; both may be NULL. */
size_t message_unit(const struct message *m, size_t at, size_t column,
    size_t *columns, struct buf *out);
size_t message_next(const struct message *m, size_t at);
size_t message_prev(const struct message *m, size_t at);
/* Where a unit before `at` begins, the last one or a little before that. */
size_t message_back(const struct message *m, size_t at);

/* Replace n bytes at from with in (clean, folds allowed, not part of the
 * message) and put the cursor after it, as one change to undo.  False: no
 * difference, or too long. */
bool message_replace(struct message *m, size_t from, size_t n,
    struct slice in);
void message_type(struct message *m, struct slice in);	/* at the cursor */

/* Paste at the cursor, folded if it is long.  Pasting the same text again
 * unfolds the first paste instead. */
void message_paste(struct message *m, struct slice in);

void message_undo(struct message *m);

/* Append raw with its pastes unfolded; append text with known pastes folded.
 * With whole, a text without any is folded itself if it is very long. */
void message_unfold(const struct message *m, struct slice raw,
    struct buf *out);
void message_fold(struct message *m, struct slice text, bool whole,
    struct buf *raw);

/* Empty the message and its undo history; free the pastes that none of the
 * texts to keep names. */
void message_reset(struct message *m, const struct texts *keep);

/* ---- rows of a given width ---- */

/* How many rows there are, or are up to `more` after that of `at` (call this
 * first); the row of `at`; where row i begins. */
size_t message_rows(struct message *m, size_t width, size_t at, size_t more);
size_t message_row_of(const struct message *m, size_t at);
size_t message_row(const struct message *m, size_t i);
/* The width of the bytes from..to in one row; the position in row i nearest to
 * a column. */
size_t message_columns(const struct message *m, size_t from, size_t to);
size_t message_at_column(const struct message *m, size_t i, size_t column);
