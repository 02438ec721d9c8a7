/* prune.h - what can be taken back is bounded, and so is what it takes.
 *
 * Once a day, at the end of a process and when nobody else works on the same
 * repository, what is older than the limits is forgotten, the oldest first,
 * and then every object that neither the journal nor the index names.  The
 * journal is replaced first, and an object goes only when nothing names it any
 * more: a kill in between loses nothing.  What takes too long goes on the next
 * time.
 */
#ifndef HAMR_TOOL_PRUNE_H
#define HAMR_TOOL_PRUNE_H

#include "snap.h"

#define PRUNE_NEWEST 20		/* changes that do not grow too old */

struct prune_limits {
	long long days;		/* 0: no limit */
	long long bytes;	/* on disk, of old contents; 0: no limit */
};

/* It is a day since the last time?  Then do it.  s is not used any more, but
 * freed. */
void snap_prune(struct snap *s, const struct prune_limits *limits);

#endif
