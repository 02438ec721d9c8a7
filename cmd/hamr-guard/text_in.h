/* text_in.h - the inside of text*.c: a pass over a text, line by line. */
#ifndef HAMR_GUARD_TEXT_IN_H
#define HAMR_GUARD_TEXT_IN_H

#include <stdbool.h>

#include "norm.h"
#include "text.h"

/* What a pass over a text carries along. */
struct pass {
	struct buf *scratch;
	struct hset *seen;	/* lines shown before */
	struct digest *d;
	const char *end;	/* of the text; so far may be read */
	bool masks;		/* d->mask is wanted */
	bool differs;		/* d->norm is not d->hash any more */
	bool differs_more;	/* nor d->mask */
	size_t blank;		/* empty lines since the last other one: they
				 * matter only when something follows */
	enum norm_text kind;
};

/* What may be in a line. */
#define MARKS 1			/* something for norm_line */
#define ESCAPES 2
#define DIGITS 8
#define ODD 4			/* escapes that need not be, or of control
				 * bytes without a letter of their own */

/* A line, or what is left of it. */
struct part {
	const char *p, *end;
	unsigned has;
	size_t over;		/* bytes that are no characters: of escapes,
				 * and of characters all but the first */
};

/* ---- text_walk.c ---- */

/* Go over a text once, line by line. */
void text_walk(struct pass *a, struct slice json);

/* ---- text_line.c ---- */

/* A line is whole: its hash, and into those of the text. */
void text_line(struct pass *a, struct part *l);

#endif
