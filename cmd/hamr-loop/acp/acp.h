/* acp.h - hamr-loop --acp: an agent of the Agent Client Protocol (chapter 11).
 *
 * Speaks JSON-RPC to an editor on stdin and stdout.  Each session is a separate
 * process, hamr-loop --records; this one translates between the two.
 */
#pragma once

#include <stdbool.h>

/* Serve until stdin ends.  argv is the command line; its other options are
 * passed to each session.  images: the model takes them.  Returns the exit
 * status. */
int acp(int argc, char **argv, bool images);
