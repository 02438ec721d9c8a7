/* diff_rows.h - a unified diff as a person reads it: each line behind its
 * number, tabs as blanks, and nothing in it steers a terminal.
 *
 *	struct diff d = { .names = true };
 *
 *	while (slice_line(&text, &line))
 *		if (diff_line(&d, line, &row))
 *			... row, in the colour d.look
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct diff {
	bool names;		/* show what names the files, too */
	const char *look;	/* SGR of the last line */
	size_t old, new;	/* numbers of the next lines, */
	size_t olds, news;	/* and how many are to come */
	bool any;		/* there was a hunk of this file */
};

/* Put a line (without its LF) into row; false: it is not shown. */
bool diff_line(struct diff *d, struct slice line, struct buf *row);

/* Append it, with its LF. */
bool diff_add(struct diff *d, struct slice line, bool colour, struct buf *out);
