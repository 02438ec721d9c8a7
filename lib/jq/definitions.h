/* definitions.h - of a library of jq definitions those that a program uses.
 *
 * libjq 1.6 binds each definition by walks through the whole program, so what
 * a program takes to compile is their number times its size.
 */
#pragma once

#include "base/slice.h"

/* Write the definitions of library that program calls, and those that these
 * call, in their order to out, which has room for the whole of it, and return
 * their length.  A definition begins with "def " at the left margin.  Calls
 * are told by their names and numbers of arguments, without a parser: where
 * that cannot tell, one too many is written. */
size_t definitions_used(struct slice library, struct slice program, char *out);
