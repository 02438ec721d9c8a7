/* width.h - how many columns a text takes on a terminal.
 *
 * East Asian characters and emoji take two, combining marks none: libc's
 * wcwidth in a UTF-8 locale knows.  Texts are valid UTF-8.  What could steer
 * a terminal is shown as '?', a line end or a tab as one blank.
 */
#ifndef HAMR_GUARD_WIDTH_H
#define HAMR_GUARD_WIDTH_H

#include "buf.h"

/* Use a UTF-8 locale for the process's characters; call it first. */
void width_init(void);

size_t width_of(struct slice text);

/* Append text, cut to at most max columns (the last one then "…"); returns
 * the columns taken. */
size_t width_put(struct buf *out, struct slice text, size_t max);

/* The same of its end, what is cut off being the beginning. */
size_t width_put_end(struct buf *out, struct slice text, size_t max);

/* Append n blanks. */
void width_pad(struct buf *out, size_t n);

/* Append text in lines of at most `columns`, each behind `indent` blanks; the
 * first one stands at column `at` already. */
void width_wrap(struct buf *out, struct slice text, size_t at, size_t indent,
    size_t columns);

#endif
