/* store.h - the objects in the repository of the snapshots: which there are,
 * and away with those that nobody needs.
 */
#ifndef HAMR_TOOL_STORE_H
#define HAMR_TOOL_STORE_H

#include "map.h"
#include "snap.h"

struct pack {
	char *name;		/* without its ending */
	long long size;
	size_t n, kept;		/* objects */
};

struct object {
	char oid[SNAP_OID];
	long long size;		/* on disk */
	size_t pack;		/* its place in packs + 1; 0: a file of its
				 * own */
	bool kept;
};

struct store {
	struct object *v;
	size_t n, cap;
	struct pack *packs;
	size_t npacks, packs_cap;
	struct map by_oid;	/* -> place in v + 1 */
};

/* All that is in objects/, without the user's.  0, or -1: it cannot be told. */
int store_read(struct snap *s, struct store *st);
void store_release(struct store *st);

/* Somebody needs it. */
void store_keep(struct store *st, const char *oid);
/* Its size on disk if nobody else needs it; 0 too when it is not ours. */
long long store_size(const struct store *st, const char *oid);

/* Remove what nobody needs, many small packs put into one.  False: it took
 * longer than ms, some is left (but not all of it). */
bool store_sweep(struct snap *s, struct store *st, int ms);

#endif
