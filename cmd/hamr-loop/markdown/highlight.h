/* highlight.h - code coloured line by line: comments, strings, keywords, and
 * what a diff adds and takes away.  Cheap on purpose: no grammar is followed,
 * and only a comment or a string of several lines is remembered.
 */
#pragma once

#include "base/buf.h"

struct language;

struct highlight {
	const struct language *language;	/* NULL: plain */
	const char *until;	/* what ends the comment or string we are in */
};

/* For a code block whose fence says this: "c", "Python", "sh title=x". */
struct highlight highlight_begin(struct slice info);

/* Append a line, without its LF, the colours set back at its end. */
void highlight_line(struct highlight *h, struct slice line, struct buf *out);
