/* value_reader.h - reads a foreign file as a sequence of JSON values.
 *
 * A unit is a line, an element of the array that makes up the file, or one of
 * several documents; so memory is bounded by the largest unit.  What other
 * programs let through (scan_repair) is repaired here, as it is read.
 */
#pragma once

#include "record/rec.h"

struct value_reader {
	/* set by the user */
	struct rec_in *in;
	bool lines;		/* each line is one unit or more */
	bool elements;		/* the elements of an array are units */
	/* of the unit last taken */
	struct slice json;	/* valid until the next value_reader_next() */
	size_t line;		/* where it begins */
	bool lossy;		/* U+FFFD replaced something */
	bool cut;		/* the input ends within it */
	/* private */
	size_t now;		/* line of the next byte, from 0 */
	size_t used;		/* bytes to drop before the next unit */
	struct scan_end end;	/* how far a value was searched */
	bool in_array, begun;
	bool after, comma;	/* what came last in the array: a value; a
				 * comma */
	struct slice rest;	/* further values on the current line */
	struct slice again;	/* the line that is to be refused, too */
	struct scan scan;
	struct buf mended;
	bool given;		/* what is whole of a value that is cut short */
	struct buf whole;
};

/* The next unit.  1: it is in u->json; 0: the end; -1: refused, e says why and
 * the next call continues after it (a value over several lines that is cut
 * short is first given without its incomplete part); 2 (only without wait):
 * more must be read first. */
int value_reader_next(struct value_reader *u, bool wait, struct err *e);
void value_reader_release(struct value_reader *u);

/* Append the beginning of a value, completed: cut at the last place where
 * closing what is open, even a string, makes it valid; with `whole` only behind
 * an element of an array. */
void value_complete(struct slice s, bool whole, struct buf *out);

/* The end of the JSON value at the start of s, or 0 if s does not have it. */
size_t value_end(struct slice s);
