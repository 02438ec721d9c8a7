/* snap.h - snapshots of the root: .hamr/snap.git, a bare repository of ours.
 *
 * A snapshot is that repository's index: every file that git tracks or does not
 * ignore, up to 16 MiB each, its bytes as they lie there (no filter, no line
 * ends changed).  The index is seeded from the user's, with the user's objects
 * as alternates; the user's repository is only asked, never changed.  Not
 * covered: ignored and larger files, submodules and repositories within,
 * folders without files, what policy hides.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

#define SNAP_FILE_MAX ((off_t)16 << 20)
#define SNAP_OID 65		/* hex digits of an object's name, and a NUL */

struct files;
struct snap;
struct undo_entry;
struct undo_path;

/* What a snapshot left out. */
struct snap_left {
	long large, nested, unreadable;
};

/* Open the repository of files' root; create: make it when there is none.
 * NULL with e (ST_NOINPUT: there is none). */
struct snap *snap_open(struct files *f, bool create, struct err *e);
void snap_free(struct snap *s);

/* From now on a cancel, or a signal that waits (signals.h), leaves it ms to
 * end; 0: as it was. */
void snap_hurry(struct snap *s, int ms);

/* Take one.  0, or -1 with e.  Takes the repository's lock for as long as it
 * runs. */
int snap_take(struct snap *s, struct snap_left *left, struct err *e);
/* The next one will be compared with the last that another process took before
 * that time (snap_time).  False: there is none. */
bool snap_resume(struct snap *s, int64_t since);
/* When the last one ended, by the clock that files have; 0: not known. */
int64_t snap_time(const struct snap *s);

/* Add to c what changed from the snapshot before the last to the last: paths,
 * old contents and whole modes, new folders. */
void snap_changes(struct snap *s, struct undo_entry *c);
/* When nothing else is to be done: the old contents of all changes so far shall
 * not go away with the user's own objects.  What is left undone after ms is
 * done with the next snapshot. */
void snap_settle(struct snap *s, int ms);

/* Store one content; its name. */
int snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e);
/* Read the old contents of n paths, which then lie in out; one that is not
 * there has p NULL. */
int snap_fetch(struct snap *s, struct undo_path *const *v, size_t n,
    struct buf *out, struct err *e);

/* What can be taken back is bounded, and so is what it takes: once a day, at
 * the end of a process and when nobody else works on the same repository, what
 * is older than so many days, or more than so many bytes on disk (0: no limit),
 * is forgotten, the oldest first, and every object is removed that neither the
 * journal nor the index names.  The journal is replaced first, so
 * a kill in between loses nothing.  s is then good for snap_free only. */
void snap_prune(struct snap *s, long long days, long long bytes);
