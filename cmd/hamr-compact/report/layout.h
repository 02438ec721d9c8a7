/* layout.h - what stdout can show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct screen {
	int width;		/* columns: 40 to 240; 80 if unknown */
	bool utf8;		/* by the locale */
	bool tty;
	bool colour;		/* a terminal, and color is not disabled */
};

/* Of stdout. */
struct screen screen_of_stdout(void);

/* The columns left when `taken` are used; unlimited in a pipe. */
size_t screen_room(const struct screen *s, int taken);
