/* rows.h - inline text (inline.h) broken into rows of a terminal.
 *
 * Rows break at blanks, and beside wide characters; not within code or a URL.
 * A word wider than a row is a row for itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "inline.h"

/* How rows look. */
struct rows_style {
	struct slice first, next;	/* before the first row, and others */
	size_t indent;			/* how wide both are */
	size_t columns;			/* for all of a row */
	size_t left;			/* the row's column on the terminal */
	unsigned look;			/* of all the text */
	bool colour;
	bool cut;			/* break words that are too wide */
};

struct row {
	size_t at, n;		/* in rows.text, without its LF */
	size_t columns;
	size_t source;		/* where it begins in the source, or
				 * NO_SOURCE */
	bool inside;		/* of a span */
};

struct rows {
	struct buf text;	/* each row with its LF */
	struct row *row;
	size_t n, cap;
};

void rows_init(struct rows *r);
void rows_release(struct rows *r);

/* Break text; what r held before goes. */
void rows_wrap(struct rows *r, const struct inlines *text,
    const struct rows_style *how);

/* What turns a look on (0: off). */
void rows_look(struct buf *out, unsigned look);

/* Append text that is ours, dim where there is colour. */
void rows_dim(struct buf *out, const char *text, bool colour);
