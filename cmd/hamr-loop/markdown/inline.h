/* inline.h - what is inside of a paragraph, a heading or a cell of a table:
 * emphasis, code, links; read by md4c.
 *
 * Nothing is lost: HTML, and entities that are not among the usual ones or
 * would steer the terminal, stay as they were written, and so does a link whose
 * URL stands elsewhere, [text][label].  A link is its text and its URL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

enum look {
	LOOK_EM = 1, LOOK_STRONG = 2, LOOK_STRIKE = 4, LOOK_CODE = 8,
	LOOK_URL = 16, LOOK_UNDERLINE = 32, LOOK_DIM = 64,
	LOOK_WHOLE = LOOK_CODE | LOOK_URL	/* not broken at blanks */
};

#define NO_SOURCE ((size_t)-1)

/* Bytes of one look, in order and without gaps between. */
struct piece {
	size_t at, n;		/* in inlines.text */
	size_t source;		/* where they stand in the source */
	unsigned look;
	bool inside;		/* of a span: nothing can begin here */
	bool escaped;		/* its first byte has a backslash before */
};

struct inlines {
	struct buf text;	/* LF: a break */
	struct piece *piece;
	size_t n, cap;
};

/* Load md4c, once.  False: it is not installed, and all text is plain. */
bool inline_open(void);

/* Read source, some lines that are one block.  With `marks` the marks of
 * emphasis and code stay. */
void inline_read(struct inlines *in, struct slice source, bool marks);

void inline_init(struct inlines *in);
void inline_release(struct inlines *in);
