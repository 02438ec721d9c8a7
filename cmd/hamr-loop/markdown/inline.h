/* inline.h - what is inside of a paragraph, a heading or a cell of a table
 * (emphasis, code, links; read by md4c), as rows of a terminal.
 *
 * Nothing is lost: HTML, and entities that are not among the usual ones or
 * would steer the terminal, stay as they were written, and so does a link whose
 * URL stands elsewhere, [text][label].  A link is its text and its URL.  Marks
 * of emphasis that are code all the same (*.c, __init__, 2**8, f[i](x), \d+\.)
 * stay, though CommonMark takes them for marks: what may be either is shown as
 * it was written.
 *
 * Rows break at blanks, and beside wide characters; not within code or a URL.
 * A word wider than a row is a row for itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum look {
	LOOK_EM = 1, LOOK_STRONG = 2, LOOK_STRIKE = 4, LOOK_CODE = 8,
	LOOK_URL = 16, LOOK_UNDERLINE = 32, LOOK_DIM = 64,
	LOOK_WHOLE = LOOK_CODE | LOOK_URL	/* not broken at blanks */
};

#define NO_SOURCE ((size_t)-1)

/* How rows look. */
struct rows_style {
	struct slice first, next;	/* before the first row, and others */
	size_t indent;			/* how wide both are */
	size_t columns;			/* for all of a row */
	size_t left;			/* the row's column on the terminal */
	unsigned look;			/* of all the text */
	bool colour;			/* else marks of emphasis and code
					 * stay */
	bool cut;			/* break words that are too wide */
};

struct row {
	size_t at, n;		/* in rows.text, without its LF */
	size_t columns;
	size_t source;		/* where it begins in the source, or
				 * NO_SOURCE */
	bool inside;		/* of a span: nothing can begin here */
};

struct rows {
	struct buf text;	/* each row with its LF */
	struct row *row;
	size_t n, cap;
	struct buf plain;	/* of all rows; LF: a break */
	struct piece *piece;	/* of one look each */
	size_t pieces, piece_cap;
};

/* Load md4c, once.  False: it is not installed, and all text is plain. */
bool inline_open(void);

void rows_init(struct rows *r);
void rows_release(struct rows *r);

/* Make rows of some lines that are one block; what r held before goes. */
void rows_of(struct rows *r, struct slice source,
    const struct rows_style *how);

/* Where a mark stands in the source that something may still close, ** or a
 * backtick; else NO_SOURCE. */
size_t rows_open_mark(const struct rows *r);

/* Append text that is ours, dim where there is colour. */
void rows_dim(struct buf *out, const char *text, bool colour);
