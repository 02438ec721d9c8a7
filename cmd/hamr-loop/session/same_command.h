/* same_command.h - does one shell command run another? */
#pragma once

#include <stdbool.h>

/* Does ran, if it passes, mean that wanted passes?  Blanks, redirections of
 * stderr and a leading "cd ." (or cd to root) do not count; with pipefail set,
 * neither does what the output is piped through. */
bool same_command_covers(const char *ran, const char *wanted, const char *root);
