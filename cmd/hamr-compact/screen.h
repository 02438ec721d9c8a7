/* screen.h - what the place where a text for people goes can show. */
#ifndef COMPACT_SCREEN_H
#define COMPACT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct screen {
	int width;		/* columns: 40 to 240, 80 if unknown */
	bool utf8;		/* by the locale */
	bool tty;
	bool colour;		/* a terminal, and nobody said no */
};

/* Of stdout. */
struct screen screen_of_stdout(void);

/* Columns that are left beside so many; in a pipe nothing needs to be cut. */
size_t screen_room(const struct screen *s, int taken);

/* Append text of others on one line, at most so many columns: what could
 * steer a terminal, and what it cannot show, as '?'. */
void screen_text(const struct screen *s, struct slice text, size_t columns,
    struct buf *out);

#endif
