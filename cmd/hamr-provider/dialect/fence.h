/* fence.h - is this place of an answer inside code?  (Markdown, line by line.)
 *
 * Fed with the text of an answer, cut anywhere.  A fence is a line that begins
 * (after any white space: lists are indented) with three or more ` or ~ and
 * ends at a line of at least as many of the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Zero it to begin. */
struct fence {
	size_t open;		/* marks of the open fence, 0: none */
	char mark, last;
	bool text;		/* there was text before */
	/* this line */
	bool begun;		/* it is more than white space */
	bool quoted;		/* it begins with > */
	bool apart;		/* a blank line precedes, or indented code */
	size_t column;		/* of its indent */
	size_t run;		/* marks that it begins with ... */
	bool rest, tick;	/* ... and behind them: anything, a ` */
	unsigned ticks;		/* runs of ` */
	bool list;		/* the last line without indent, with a digit
				 * or a bullet */
};

void fence_feed(struct fence *f, const char *p, size_t n);

/* Is the next byte inside a fence?  Is it after a ` on its line that is not
 * closed there?  Is it in a line of a blockquote or of indented code? */
bool fence_in(const struct fence *f);
bool fence_inline(const struct fence *f);
bool fence_example(const struct fence *f);
