/* definitions.h - picks the jq library definitions that a program uses.
 *
 * libjq 1.6 binds each definition by walking the whole program, so compile
 * time grows with the number of definitions times the program's size.
 */
#pragma once

#include "base/slice.h"

/* Write the definitions of library that program calls, and those that they
 * call, in order to out, which has room for all of library; return their
 * length.  A definition begins with "def " at the left margin.  Calls are
 * recognized by name and number of arguments, without a parser: if in doubt,
 * a definition is included. */
size_t definitions_used(struct slice library, struct slice program, char *out);
