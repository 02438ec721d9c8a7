/* wire.h - what hamr-tool and the supervisor of a box say to each other.
 *
 * Packets of one size over a socket pair (SOCK_SEQPACKET).  A box runs one
 * command at a time: RUN, then STARTED, EXIT and EMPTY as they happen, END and
 * its answer ENDED.  When one end closes, the other ends everything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WIRE_TEXT 1024
#define WIRE_FDS 4		/* with RUN */
/* bytes of the files on fd WIRE_SETUP and WIRE_ARGS; of the texts of RUN */
#define WIRE_SETUP_MAX ((size_t)4 << 20)
#define WIRE_TEXTS_MAX ((size_t)64 << 20)

/* What confines a command, strongest last. */
enum box_layer {
	LAYER_NONE,		/* nothing does */
	LAYER_SECCOMP,		/* no network, no mounts; files are open */
	LAYER_LANDLOCK,		/* and files by Landlock */
	LAYER_BWRAP		/* namespaces: all of chapter 5.3 */
};

enum { WIRE_CTL = 3, WIRE_SETUP = 4, WIRE_EXE = 5, WIRE_ARGS = 6 };

enum wire_op {
	WIRE_READY,		/* a: it is not well; text: why */
	WIRE_RUN,		/* a: nargs, b: nenv; fds: the texts, 0, 1, 2 */
	WIRE_STARTED,		/* a: 0 or errno */
	WIRE_SIGNAL,		/* a: the signal */
	WIRE_EXIT,		/* a: si_code, b: si_status */
	WIRE_EMPTY,		/* nothing of the command is left */
	WIRE_END,		/* a: names wanted */
	WIRE_ENDED		/* a: not all could be killed; text: names */
};

struct wire {
	int op, a, b;
	char text[WIRE_TEXT];
};

/* What the supervisor is to be, at the head of the file on fd WIRE_SETUP.
 * Texts follow, each ended by NUL: the root; a read-only path in it, or "";
 * the writable paths; the hidden paths; the mount points, as "DEV INO PATH" of
 * what is mounted (INO 0: anything). */
struct wire_setup {
	int layer;		/* enum box_layer */
	bool network, unix_sockets;
	bool root_writable;
	int nwritable, nhidden;	/* for Landlock */
	int nmounts;
};
