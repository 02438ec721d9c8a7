/* lock.h - who writes a session: its lock, and whether its holder lives.
 *
 * ID.lock holds the writer's pid under an flock that the stages inherit.  A
 * loop that was killed may so leave it taken, until the last of its stages has
 * noticed; that is waited for.
 */
#pragma once

#include "base/err.h"

/* Take the lock of session id in dir within ms, or, unless ms is 0, in some
 * seconds more where its holder lives no longer.  The descriptor, or -1 with e:
 * ST_TEMP names the holder's pid. */
int lock_take(const char *dir, const char *id, int ms, struct err *e);
