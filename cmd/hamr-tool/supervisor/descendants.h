/* descendants.h - every process that descends from this one, found and ended.
 *
 * The supervisor of a box is process 1 of a namespace, or child subreaper:
 * what a command leaves behind (setsid, double fork) becomes its child, so all
 * that /proc says descends from it belongs to the command that runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Send sig to every descendant that still runs; their number. */
size_t descendants_signal(int sig);

/* The command lines of those that run and have no children themselves,
 * sorted, each once, as "a, b"; nothing when there are none. */
void descendants_names(struct buf *out);

/* One more try to kill them all; true when there was nobody left. */
bool descendants_kill(void);
