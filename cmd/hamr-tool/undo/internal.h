/* internal.h - what the files of the snapshots share.
 */
#pragma once

#include <sys/stat.h>

#include "base/map.h"
#include "git/gitindex.h"
#include "json/sha.h"
#include "root/path.h"

#include "journal.h"
#include "snap.h"
#include "watch.h"

#define SNAP_MS 60000		/* for one snapshot, and each git */

struct snap {
	struct files *f;
	char *dir;
	int dirfd;
	uid_t me, owner;	/* of the root; git runs as this user */
	dev_t dev;
	struct map folders;	/* mode and inode of each (folder_mark) */
	struct map old_folders;	/* ... before the last snapshot, if it looked
				 * at all of them */
	struct undo_entry opened;	/* its folders: closed ones that are
					 * open until snap_finish, with modes */
	struct map shut;	/* all folders that were ever opened so */
	struct map made;	/* folders that the last snapshot saw first; 1:
				 * older than the one before it */
	int lock;		/* held until then; else -1 */
	struct map older;	/* births of files that are new to the last one
				 * and were there before the one before it */
	struct map others;	/* names of what it left out: ignored, nested
				 * repositories, too large (stat_mark) */
	struct map large;	/* names of files too large for it, or for the
				 * one before it, that have changed since; 1:
				 * are new */
	uint64_t taken;		/* number of snapshots taken */
	int64_t looked;		/* snap_time */
	long long newest;	/* line of the journal when it was unlocked */
	struct gitindex now;	/* our index, as of the last snapshot; modes
				 * are whole, git reads no more than the kind */
	struct gitindex before;	/* and of the one before it; empty when it is */
	bool same;		/* `before' equals `now' */
	uint64_t stamp;		/* of the file `now' was read from; 0: none */
	bool checked;		/* git finds all that it names */
	struct watch watch;	/* of all that the last snapshot looked at */
	struct snap_left left;
	struct undo_entry old;	/* contents that the user's objects may hold */
	const char *why;	/* why the last one failed, or git */
	int grace_ms;		/* left after a cancel; 0: stop at once */
	long long until;	/* a deadline, as set by a cancel; or 0 */
	int use;		/* fd of SNAP_USE; locked while open */
	int begun;		/* our file of the call in progress
				 * (journal_begin), locked; -1: not yet */
	int slot;		/* its number */
	uint64_t kept;		/* stamp of the index that snap_save copied */
	struct journal killed;	/* what calls of killed processes did */
};

/* Every process that uses the repository holds a shared lock on this file; an
 * exclusive lock is needed to remove unused objects (snap_prune), and its mtime
 * is when that was last done, or could first be. */
#define SNAP_USE "hamr-use"
#define SNAP_INDEX "hamr-index"	/* becomes the index when it is written */

/* The value of a folder: its mode and its inode, of which 32 bits will do. */
static inline uint64_t
folder_mark(const struct stat *st)
{
	return (uint64_t)st->st_mode << 32 | (uint32_t)st->st_ino;
}
static inline mode_t
folder_mode(uint64_t mark)
{
	return (mode_t)(mark >> 32);
}

#define GIT_OUT_MAX ((size_t)256 << 20)

/* Run git (argv[0]) on our repository, in the root: its exit status, its output
 * appended to out (NULL: to nowhere); -1 when it could not be run to its end.
 * in is its stdin. */
int snap_git(struct snap *s, const char *const *argv, struct slice in,
    struct buf *out);
/* Cancelled, or to end? */
bool snap_stopped(struct snap *s);

#define OID_BYTES ((size_t)20)	/* of an object's name: SHA-1 */

/* Store a content under its name: 0, or -1 with errno. */
int object_put(const struct snap *s, struct slice content,
    const unsigned char oid[SHA_BYTES]);
/* Bytes on disk of this loose object (we store no packs); 0: there is none. */
long long object_size(const struct snap *s, const char *oid);

/* Read a file, or the target of a link.  False: it is neither any more (see
 * st), or cannot be read. */
bool snap_read(const struct root *root, const char *rel, struct stat *st,
    struct buf *text);

/* Wait for a lock.  0, or -1 with e (ST_TEMP: another process keeps it).  On a
 * file system without locks it is 0 at once. */
int snap_wait_lock(struct snap *s, int fd, int how, struct err *e);

/* Open a file of ours in the repository, creating it if needed, and give it to
 * the owner of the root. */
int snap_file(const struct snap *s, const char *name, int flags);
/* Append such a file to out; overwrite one: truncating a file first, or making
 * a new one, takes a file system longest.  0, or -1 with errno. */
int snap_read_file(const struct snap *s, const char *name, struct buf *out);
int snap_write_file(const struct snap *s, const char *name, struct slice text);

/* Sort the entries and append them to out as an index. */
void snap_print(struct gitindex_entry *v, size_t n, struct buf *out);

/* Drop the index and start without the user's. */
void snap_drop_index(struct snap *s);
