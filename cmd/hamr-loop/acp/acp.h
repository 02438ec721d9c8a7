/* acp.h - hamr-loop --acp: an agent of the Agent Client Protocol (chapter 11).
 *
 * JSON-RPC on stdin and stdout for an editor; each of its sessions is a process
 * of its own, hamr-loop --records, and this one translates between the two.
 */
#pragma once

/* Serve until stdin ends.  argv is the command line, whose other options each
 * session is given.  The status. */
int acp(int argc, char **argv);
