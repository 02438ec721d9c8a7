/* fence.h - is this place of an answer inside code?  (Markdown, line by line.)
 *
 * Fed with the text of an answer, cut anywhere.  A fence is a line that begins
 * (after any white space: lists are indented) with three or more ` or ~ and
 * ends at a line of at least as many of the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum fence_line {
	FENCE_INDENT,		/* nothing but white space so far */
	FENCE_RUN, FENCE_INFO, FENCE_CLOSE, FENCE_TEXT
};

/* Zero it to begin. */
struct fence {
	enum fence_line line;
	size_t open;		/* marks of the open fence, 0: none */
	size_t run;		/* marks of this line's run */
	char mark, last;
	unsigned ticks;		/* runs of ` on this line */
	size_t column;		/* of this line's indent */
	bool text;		/* there was text before */
	bool apart;		/* a blank line precedes, or indented code */
	bool quoted;		/* this line begins with > */
	bool list;		/* the last line without indent, with a digit
				 * or a bullet */
};

void fence_feed(struct fence *f, const char *p, size_t n);

/* Is the next byte inside a fence?  Is it after a ` on its line that is not
 * closed there?  Is it in a line of a blockquote or of indented code? */
bool fence_in(const struct fence *f);
bool fence_inline(const struct fence *f);
bool fence_example(const struct fence *f);
