/* term.h - what the place where a text for people goes can show. */
#ifndef COMPACT_TERM_H
#define COMPACT_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct term {
	int width;		/* columns; COLUMNS, the terminal's, or 80 */
	bool utf8;		/* by the locale */
	bool tty;
	bool colour;		/* a terminal, and nobody said no */
};

/* Of stdout. */
struct term term_of_stdout(void);

/* Columns that are left beside so many; in a pipe nothing needs to be cut. */
size_t term_room(const struct term *t, int taken);

/* Append text of others on one line, at most so many columns: what could
 * steer a terminal, and what it cannot show, as '?'. */
void term_text(const struct term *t, struct slice text, size_t columns,
    struct buf *out);

#endif
