/* lock.h - who writes a session: its lock, and whether its holder lives.
 *
 * ID.lock holds the writer's pid under an flock that the stages inherit.  A
 * loop that was killed may so leave it taken, until the last of its stages has
 * noticed; that is waited for.  A loop that lives is not.
 */
#pragma once

#include "base/err.h"

/* Take the lock of session id in dir; stages left over get ms to go.  The
 * descriptor, or -1 with e: ST_TEMP names the holder's pid. */
int lock_take(const char *dir, const char *id, int ms, struct err *e);
