/* clean.h - cleans a command's output of terminal control sequences.
 *
 * CSI, OSC, DCS and the like, C0 (except LF and TAB), DEL and C1 are removed;
 * NUL and every byte that is not UTF-8 become U+FFFD.  A CR within a line ends
 * it, so that the states of a progress bar become lines.  A sequence that
 * never ends swallows no more than its line.  The bytes may be split anywhere
 * between calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct clean {
	enum { CLEAN_TEXT, CLEAN_ESC, CLEAN_CSI, CLEAN_STRING } state;
	unsigned char part[4];	/* a character cut by the end of a read */
	size_t n;
	bool inside;		/* within a line: some of it was kept */
	bool cr;		/* and a CR followed */
	bool lossy;		/* something became U+FFFD */
};

/* Append p cleaned; whole characters only. */
void clean_add(struct clean *c, const char *p, size_t n, struct buf *out);

/* The end: a piece of a character becomes U+FFFD. */
void clean_end(struct clean *c, struct buf *out);
