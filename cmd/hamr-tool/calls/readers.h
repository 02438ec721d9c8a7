/* readers.h - commands that only look: a table of programs and what of their
 * options they may be given.
 *
 * This decides who is asked, not what is possible: what is taken for a reader
 * runs in a sandbox that is read-only and without network all the same.
 */
#pragma once

#include <stdbool.h>

/* Is the command, as bash would read it, one simple command (no pipes, lists,
 * redirections, substitutions, assignments) of a program of the table, without
 * an option that writes, runs something or goes on for ever? */
bool readers_has(const char *command);
