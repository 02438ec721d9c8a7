/* peer.h - one command of ours run to its end, its output taken. */
#ifndef HAMR_LOOP_PEER_H
#define HAMR_LOOP_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Where its stderr goes: where ours does, nowhere, to its stdout. */
enum peer_err { PEER_ERR_OURS, PEER_ERR_NONE, PEER_ERR_OUT };

/* Run command (a line as of a slot) with these further arguments, nothing on
 * stdin, at most ms.  Its stdout is appended to out up to the ceiling of that.
 * Returns its exit status, 128 and more for a signal or when its time was
 * over; -1 with e when it cannot be started. */
int peer_run(const char *command, const char *const *args, size_t n, int ms,
    enum peer_err err, struct buf *out, struct err *e);

/* Run a program on the terminal in our place: its stdin, stdout and stderr are
 * /dev/tty.  Its exit status as above. */
int peer_on_tty(const char *command, const char *const *args, size_t n,
    struct err *e);

#endif
