/* readers.h - commands that only read: a table of programs and the options that
 * they may be given.
 *
 * This decides whether to ask, not what is possible: a command taken for a
 * reader still runs in a sandbox that is read-only and has no network.
 */
#pragma once

#include <stdbool.h>

/* Is the command, as bash would read it, one simple command (no pipes, lists,
 * redirections, substitutions, assignments) that runs a program of the table
 * without an option that writes, runs something or never ends? */
bool readers_has(const char *command);
