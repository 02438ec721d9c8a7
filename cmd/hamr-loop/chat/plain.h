/* plain.h - messages of a person on a terminal that edits its lines itself:
 * TERM=dumb, or [ui] plain. */
#ifndef HAMR_LOOP_PLAIN_H
#define HAMR_LOOP_PLAIN_H

#include <stdbool.h>

#include "ui/ui.h"

/* The next message, yours: a line, or several that were pasted at once.  NULL
 * at the end of input, also of a line that was begun, or when a signal came:
 * *interrupted is set where that is SIGINT. */
char *plain_line(struct ui *u, const char *prompt, bool *interrupted);

#endif
