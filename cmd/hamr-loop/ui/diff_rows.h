/* diff_rows.h - a unified diff for a person: each line after its number, tabs
 * as blanks, escaped so that nothing in it controls the terminal.
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
	bool names;		/* show the lines that name the files, too */
	const char *look;	/* SGR of the last line */
	size_t old, new;	/* numbers of the next lines */
	size_t olds, news;	/* how many are left in the hunk */
	bool any;		/* this file had a hunk */
	size_t changed;		/* lines that were added or removed */
};

/* Put a line (without its LF) into row.  False: it is not shown. */
bool diff_line(struct diff *d, struct slice line, struct buf *row);

/* Append a line's row to out, with an LF.  False: it is not shown. */
bool diff_add(struct diff *d, struct slice line, bool colour, struct buf *out);
