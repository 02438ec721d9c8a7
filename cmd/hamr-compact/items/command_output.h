/* command_output.h - stage 0: strips what only a screen needs from command
 * output.
 */
#pragma once

#include "base/buf.h"

/* Append text, cleaned: escape sequences and trailing blanks removed, carriage
 * returns applied, at most two blank lines in a row, repeated lines and stack
 * frames of dependencies counted instead of shown. */
void clean_output(struct buf *out, struct slice text);
