/* cache.h - reads of files in this turn, so that none is made twice.
 *
 * From a path and the range that was asked for to the result.  A file is the
 * same when its identity is (device, inode, size, both times), or else when
 * its content's hash is.  Entries of a recorded transcript have no identity.
 */
#ifndef HAMR_TOOL_CACHE_H
#define HAMR_TOOL_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "buf.h"
#include "sha.h"

struct cached {
	char *rel, *id;		/* true name; of the call */
	int64_t first, last;	/* as asked; INT64_MAX: to the end */
	long from, to, lines;	/* as shown; from 0: no line was */
	char sha[SHA_HEX];
	char *text;		/* the content */
	size_t len;
	long long bytes;
	bool truncated, lossy;
	bool elided;		/* a compaction took it away */
	struct stat st;		/* st_ino 0: not to be relied on */
};

struct cache {
	struct cached *v;
	size_t n, cap;
};

/* What was read so; NULL when nothing was.  Valid until the next change. */
struct cached *cache_find(const struct cache *c, const char *rel,
    int64_t first, int64_t last);
/* A new one in the place of an older of the same file and range; fill in all
 * but rel, id, first and last. */
struct cached *cache_add(struct cache *c, const char *rel, const char *id,
    int64_t first, int64_t last);
/* The file was changed. */
void cache_drop(struct cache *c, const char *rel);
/* Lines of it were elided. */
void cache_elide(struct cache *c, const char *rel, long first, long last);
/* The one of this call was shown whole again. */
void cache_shown(struct cache *c, const char *id);
void cache_reset(struct cache *c);

/* Keep st as the identity, unless it may change without being seen: that of
 * a file that was written just now. */
void cached_identity(struct cached *e, const struct stat *st);
bool cached_same(const struct cached *e, const struct stat *st);

#endif
