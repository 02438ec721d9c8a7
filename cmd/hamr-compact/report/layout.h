/* layout.h - what stdout can show. */
#pragma once

#include <stdint.h>

#include "term/term.h"

/* The columns left when `taken` are used; unlimited in a pipe. */
static inline size_t
screen_room(const struct term *t, size_t taken)
{
	if (!t->tty)
		return SIZE_MAX;
	return t->columns > taken + 10 ? t->columns - taken : 10;
}
