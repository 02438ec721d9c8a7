/* snap.h - snapshots of the root: .hamr/snap.git, a bare repository of ours.
 *
 * A snapshot is a tree of every file that git tracks or does not ignore, up to
 * 16 MiB each, its bytes as they lie there (no filter, no line ends changed).
 * It has an index of its own, seeded from the user's, and the user's objects
 * as alternates; the user's repository is only asked, never changed.  Not
 * covered: ignored and larger files, submodules and repositories within,
 * folders without files, what policy hides.
 */
#ifndef HAMR_TOOL_SNAP_H
#define HAMR_TOOL_SNAP_H

#include <stdbool.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"

#define SNAP_FILE_MAX ((off_t)16 << 20)
#define SNAP_OID 65		/* hex digits of an object's name, and a NUL */

struct files;
struct snap;

/* What a snapshot left out. */
struct snap_left {
	long large, nested, unreadable;
};

/* One path that differs between two trees. */
struct snap_change {
	char *path;		/* true name */
	char oid[SNAP_OID];	/* of the old content; "": it was not there */
	mode_t mode;		/* and its whole mode; S_IFLNK: a link */
	bool gone;		/* it is not in the new tree */
};

struct snap_changes {
	struct snap_change *v;
	size_t n, cap;
};

/* Open the repository of files' root; create: make it when there is none.
 * NULL with e (ST_NOINPUT: there is none). */
struct snap *snap_open(struct files *f, bool create, struct err *e);
void snap_free(struct snap *s);

/* Its folder, absolute. */
const char *snap_dir(const struct snap *s);

/* From now on a cancel, or a signal that is held (hold.h), leaves it ms to end;
 * 0: as it was. */
void snap_hurry(struct snap *s, int ms);

/* Take one: the tree's name.  0, or -1 with e.  Takes the repository's lock
 * for as long as it runs. */
int snap_take(struct snap *s, char tree[SNAP_OID], struct snap_left *left,
    struct err *e);

/* What changed from the snapshot before the last to the last.  The old
 * contents will not go away with the user's own objects. */
int snap_changes(struct snap *s, const char *before, const char *after,
    struct snap_changes *c, struct err *e);
void snap_changes_release(struct snap_changes *c);

/* Store one content; its name. */
int snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e);
/* The contents of n objects, one behind the other; len[i] is the length of
 * each, -1 when it is not there. */
int snap_fetch(struct snap *s, const char *const *oids, size_t n,
    struct buf *out, long long *len, struct err *e);

#endif
