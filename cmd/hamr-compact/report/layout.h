/* layout.h - what stdout can show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen {
	int width;		/* columns: 40 to 240; 80 if unknown */
	bool utf8;		/* by the locale */
	bool tty;
	bool colour;		/* a terminal, and color is not disabled */
};

/* The columns left when `taken` are used; unlimited in a pipe. */
static inline size_t
screen_room(const struct screen *s, int taken)
{
	if (!s->tty)
		return SIZE_MAX;
	return s->width > taken + 10 ? (size_t)(s->width - taken) : 10;
}
