/* command_output.h - stage 0: command output without what only a screen needs.
 */
#pragma once

#include "base/buf.h"

/* Append text, cleaned: escape sequences out, carriage returns applied,
 * trailing blanks away, blank lines at most two in a row, repeated lines and
 * stack frames of dependencies counted instead of shown. */
void clean_output(struct buf *out, struct slice text);
