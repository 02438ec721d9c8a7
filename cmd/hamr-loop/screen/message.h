/* message.h - a text that is being edited: its units, long pastes that are
 * shown folded, what can be undone, and the rows it takes.
 *
 * The bytes are UTF-8 with LF and TAB and no other controls, but that a folded
 * paste is one unit of MESSAGE_FOLD bytes, the first of them \x1a, which names
 * it.  Positions are bytes and lie between units.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define MESSAGE_MAX ((size_t)64 << 20)
#define MESSAGE_FOLD 4
#define MESSAGE_FOLD_LINES 8	/* a paste of more is folded, */
#define MESSAGE_FOLD_BYTES 4096	/* and one as long as that */

struct message_paste {
	char *p;		/* NULL: free */
	size_t n;
	char *label;		/* "[pasted 214 lines]" */
};

struct message_change {
	size_t at, added;	/* bytes that were put there ... */
	struct slice taken;	/* ... for these, ours */
	size_t cursor;		/* before it */
	bool typed;		/* the next typed one is part of it */
};

struct message {
	struct buf text;
	size_t at;		/* the cursor */
	struct message_paste *pastes;
	size_t npastes, cappastes;
	struct message_change *undo;
	size_t nundo, capundo, undo_bytes;
	size_t *rows;		/* where the rows begin that are known ... */
	size_t nrows, caprows;
	size_t width;		/* ... at this one */
	bool all_rows;		/* there are no more */
};

void message_init(struct message *m);
void message_release(struct message *m);

/* The bytes of the unit at `at`, 0 at the end; with its columns behind
 * `column` columns of its row, and what is shown for it appended to out, both
 * of which may be NULL. */
size_t message_unit(const struct message *m, size_t at, size_t column,
    size_t *columns, struct buf *out);
size_t message_next(const struct message *m, size_t at);
size_t message_prev(const struct message *m, size_t at);

/* One change that can be undone: n bytes at from become in (clean, folds
 * allowed), and the cursor stands behind them.  False: it would change nothing,
 * or be too long. */
bool message_replace(struct message *m, size_t from, size_t n,
    struct slice in);
void message_type(struct message *m, struct slice in);	/* at the cursor */

/* A paste at the cursor: folded if it is long; the one it repeats is shown
 * whole instead. */
void message_paste(struct message *m, struct slice in);

/* False: nothing is left to undo. */
bool message_undo(struct message *m);

/* Append the text with its pastes; fold those again that stand in a text, and
 * where there are none, with whole, all of it if it is as long as a paste. */
void message_unfold(const struct message *m, struct slice raw,
    struct buf *out);
void message_fold(struct message *m, struct slice text, bool whole,
    struct buf *raw);

/* Empty, with nothing to undo; pastes that no text of keep (n of them) names
 * are given back. */
void message_reset(struct message *m, const struct buf *keep, size_t n);

/* ---- rows of so many columns ---- */

/* How many there are, or those up to `more` behind the one where `at` stands;
 * that one; where row i begins. */
size_t message_rows(struct message *m, size_t width, size_t at, size_t more);
size_t message_row_of(const struct message *m, size_t at);
size_t message_row(const struct message *m, size_t i);
/* The columns of the bytes from..to of one row; the position in row i that is
 * nearest to a column. */
size_t message_columns(const struct message *m, size_t from, size_t to);
size_t message_at_column(const struct message *m, size_t i, size_t column);
