/* value_reader.h - a foreign file as a row of JSON values.
 *
 * A unit is a line, or an element of the array that is the file, or one of
 * several documents; so memory is bounded by the largest of them.  What other
 * programs let through (bytes that are no UTF-8, NUL, raw control bytes, lone
 * surrogates) is mended here, where it enters.
 */
#pragma once

#include "record/rec.h"

struct value_reader {
	/* set by the user */
	struct rec_in *in;
	bool lines;		/* each line is a unit, or several */
	bool elements;		/* the elements of an array are units */
	/* of the unit last taken */
	struct slice json;	/* valid until the next value_reader_next() */
	size_t line;		/* where it begins */
	bool lossy;		/* U+FFFD stands where something else stood */
	bool cut;		/* refused: the input ends in the middle */
	/* private */
	size_t now;		/* line of the next byte, from 0 */
	size_t used;		/* bytes to drop before the next unit */
	size_t at;		/* how far a line was looked through */
	struct scan_end end;	/* how far a value was */
	bool in_array, begun, skipping;
	struct slice rest;	/* further values on the line in hand */
	struct scan scan;
	struct buf mended;
};

/* The next unit: 1 in u->json; 0 the end; -1 refused, e says why and the next
 * call goes on behind it; 2 (only without wait): more must be read first. */
int value_reader_next(struct value_reader *u, bool wait, struct err *e);
void value_reader_release(struct value_reader *u);

/* Mend text that no scanner takes; true when something was lost.  What is no
 * JSON for another reason stays so. */
bool value_mend(struct slice text, struct buf *out);

/* The end of the JSON value at the start of s, or 0 if it has none there. */
size_t value_end(struct slice s);
