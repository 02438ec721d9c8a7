/* paint.h - text for a person's terminal. */
#ifndef HAMR_TOOL_PAINT_H
#define HAMR_TOOL_PAINT_H

#include <stdbool.h>

#include "buf.h"

/* Is stdout a terminal?  And if so, are colours wanted (NO_COLOR, TERM)? */
bool paint_is_terminal(void);
bool paint_has_colour(void);

/* Append text; what could steer a terminal or hide text (controls but LF and
 * TAB, bidirectional overrides, invisible tags) is shown in its place as
 * <1B>, <U+202E>. */
void paint_text(struct slice text, struct buf *out);

/* The same of a unified diff, with colours if those are wanted.  Lines before
 * its "--- " are text. */
void paint_diff(struct slice text, bool colour, struct buf *out);

#endif
