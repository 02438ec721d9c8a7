/* paint.h - a diff for a person's terminal. */
#ifndef HAMR_TOOL_PAINT_H
#define HAMR_TOOL_PAINT_H

#include <stdbool.h>

#include "buf.h"

/* Append a unified diff as term_escape does, with colours if those are
 * wanted.  Lines before its "--- " are text. */
void paint_diff(struct slice text, bool colour, struct buf *out);

#endif
