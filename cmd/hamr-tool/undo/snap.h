/* snap.h - snapshots of the root: .hamr/snap.git, a bare repository of ours.
 *
 * A snapshot is that repository's index: every file that git tracks or does not
 * ignore, up to 16 MiB each, byte for byte (no filters, no line-ending
 * conversion).  The index is seeded from the user's (unless that uses SHA-256),
 * with the user's objects as alternates; the user's repository is only read,
 * never changed.  Not covered: ignored and larger files, submodules and nested
 * repositories, files that policy hides.  Of larger files it notices that they
 * change.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

#define SNAP_FILE_MAX ((off_t)16 << 20)
#define SNAP_OID 41		/* hex digits of an object's name, and a NUL */

struct files;
struct snap;
struct undo_entry;
struct undo_path;

/* What a snapshot left out. */
struct snap_left {
	long large, nested, unreadable;
};

/* Open the repository of f's root; create: make it if it does not exist.
 * NULL with e (ST_NOINPUT: it does not exist). */
struct snap *snap_open(struct files *f, bool create, struct err *e);
void snap_free(struct snap *s);

/* From now on a snapshot has this time left after a cancel; 0, the default: it
 * stops at once. */
void snap_set_grace(struct snap *s, int ms);

/* Take one.  0, or -1 with e; if 0, the repository is locked until snap_finish.
 * left may be NULL. */
int snap_take(struct snap *s, struct snap_left *left, struct err *e);
/* To see its files again, a snapshot opens folders of ours that were closed
 * (chmod) since the one before.  When what changed in them has been read and
 * recorded: close them again, and unlock. */
void snap_finish(struct snap *s);
/* Save the last snapshot: its index in a file with this number; its folders,
 * and what was too large for it, in out.  Load one, to compare the next
 * snapshot with.  False: it could not be written, or cannot be used. */
bool snap_save(struct snap *s, int slot, struct buf *out);
bool snap_load(struct snap *s, int slot, struct slice kept);
/* When the last snapshot ended, by the file system's clock; 0: unknown. */
int64_t snap_time(const struct snap *s);

/* Add to c what changed from the snapshot before the last to the last: paths,
 * old contents and whole modes; folders new, gone or of another mode. */
void snap_changes(struct snap *s, struct undo_entry *c);
/* Add a file to c, which has none of this path, that is as it was then,
 * whatever came in between. */
void snap_add_unchanged(struct snap *s, struct undo_entry *c,
    const char *path);
/* Call when idle: copy the old contents of all changes so far that only the
 * user's repository holds, so that a git gc there cannot remove them.  What is
 * not done within ms is done with the next snapshot. */
void snap_copy_old(struct snap *s, int ms);

/* Store content; oid gets its name.  0, or -1 with e. */
int snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e);
/* Read the old contents of n paths into out; their slices point into it.  0, or
 * -1 with e. */
int snap_fetch(struct snap *s, struct undo_path *const *v, size_t n,
    struct buf *out, struct err *e);

/* Bound the undo history: drop changes older than days, then the oldest until
 * the rest takes up to bytes on disk (0: no limit), and remove every object
 * that neither the journal nor the index names.  Runs once a day, at the end of
 * a process, if no other process uses the repository.  The journal is replaced
 * first, so a kill in between loses nothing.  Afterwards only snap_free may be
 * called on s. */
void snap_prune(struct snap *s, long long days, long long bytes);
