/* lock.h - a session's lock: one writer, and whether it is still alive.
 *
 * ID.lock holds the writer's pid, negative once it is ending, under an flock
 * that the stages inherit.  So the lock of a loop that was killed stays taken
 * until its last stage notices; lock_take waits for that.
 */
#pragma once

#include "base/err.h"

/* Take the lock of session id in dir within ms; unless ms is 0, wait some
 * seconds more if its holder is dead or about to end.  Returns the descriptor,
 * or -1 with e: ST_TEMP names the holder's pid. */
int lock_take(const char *dir, const char *id, int ms, struct err *e);

/* We are about to end: have the next one wait for that. */
void lock_leave(int fd);
