/* inline.h - the text of a paragraph, heading or table cell (emphasis, code,
 * links; parsed by md4c) as rows of a terminal.
 *
 * Nothing is lost: HTML, entities that are unusual or would control the
 * terminal, and links whose URL is elsewhere, [text][label], stay as they were
 * written.  A link is shown as its text, its URL and its title.  What
 * CommonMark takes for emphasis but may be code (*.c, __init__, 2**8, f[i](x),
 * \d+\.) is shown as written, too.  In scripts without blanks emphasis also
 * begins and ends next to punctuation.
 *
 * Rows break at blanks and next to wide characters, but not within code or a
 * URL.  A word wider than a row gets a row of its own.
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
	size_t columns;			/* of a whole row */
	unsigned look;			/* of all the text */
	bool colour;			/* if unset, marks of emphasis and
					 * code are kept */
	bool cut;			/* break words that are too wide */
};

struct row {
	size_t at, n;		/* in rows.text, without its LF */
	size_t columns;
	size_t source;		/* where it begins in the source, or
				 * NO_SOURCE */
	bool inside;		/* of a span: parsing cannot begin here */
};

struct rows {
	struct buf text;	/* each row with its LF */
	struct row *row;
	size_t n, cap;
	struct buf plain;	/* of all rows; LF: a break */
	struct piece *piece;	/* each has one look */
	size_t pieces, piece_cap;
};

/* Load md4c once.  False: it is not installed, and all text is plain. */
bool inline_open(void);

void rows_init(struct rows *r);
void rows_release(struct rows *r);

/* Make rows of the lines of one block, in place of r's previous rows.  After
 * characters whose width terminals disagree about a row sets its column,
 * counted from its own beginning. */
void rows_of(struct rows *r, struct slice source,
    const struct rows_style *how);

/* Where an opening mark (** or a backtick) in the source may still be closed;
 * NO_SOURCE: none. */
size_t rows_open_mark(const struct rows *r);

/* Append text of our own, dim if colour is set. */
void rows_dim(struct buf *out, const char *text, bool colour);
