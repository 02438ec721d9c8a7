/* highlight.h - color code line by line: comments, strings, keywords, and what
 * a diff adds and removes.  Cheap on purpose: it does not parse, and remembers
 * only whether a comment or string of several lines is open.
 */
#pragma once

#include "base/buf.h"

struct language;

struct highlight {
	const struct language *language;	/* NULL: plain */
	const char *until;	/* what ends the open comment or string */
};

/* Begin a code block with this info string: "c", "Python", "sh title=x". */
struct highlight highlight_begin(struct slice info);

/* Append a line, without its LF; colors are reset at its end. */
void highlight_line(struct highlight *h, struct slice line, struct buf *out);
