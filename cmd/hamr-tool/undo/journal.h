/* journal.h - the changes that can be undone, one line each, kept with the
 * snapshots.
 *
 * hamr-undo in .hamr/snap.git is NDJSON: `change`, `checkpoint`, `undoing` and
 * `undone`.
 * It is bounded: beyond 16 MiB the older half is forgotten, and snap_prune
 * forgets what is old.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "json/sha.h"
#include "snap.h"

struct files;
struct map;

/* One path of a change. */
struct undo_path {
	char *path;		/* true name */
	char oid[SNAP_OID];	/* the old content; "": there was none or, with
				 * an old_mode, it was too large to keep */
	struct slice old;	/* that content, set by snap_fetch */
	mode_t old_mode;
	char sha[SHA_HEX];	/* of the new content; "": there is none; with
				 * a colon, inode, size and time of one that is
				 * larger than 64 MiB */
	mode_t new_mode;	/* 0: there is nothing, or a folder */
	int64_t born;		/* since when (snap_time) it has existed where
				 * no snapshot looks; else 0 */
	int state;		/* of a folder while it is undone */
};

struct undo_entry {
	char *id, *at, *tool, *call, *checkpoint;
	struct undo_path *v;		/* by path (undo_entry_sort) */
	size_t n, cap;
	struct undo_path *folders;	/* that are new (old_mode 0), gone
					 * (new_mode 0) or have another mode,
					 * by path; no oid, no sha */
	size_t nfolders, capfolders;
	long long number;	/* of its line, as in its id */
	long long since;	/* the newest line when the call began: it
				 * found what was there between that and the
				 * next line */
	bool boxed;		/* it runs in a sandbox (journal_begin) */
	bool git;		/* and may make a .git there */
	size_t undone;		/* 0: it is not; else how many entries there
				 * were when it was */
	bool begun;		/* being undone; if killed, maybe in part */
	bool is_checkpoint;
	size_t offset;		/* where its line was in the file */
};

struct journal {
	struct undo_entry *v;		/* oldest first */
	size_t n, cap;
};

/* The lock of the journal (and of the snapshots): a descriptor to close, or
 * -1 with e.  Do not hold it while taking a snapshot. */
int snap_lock(struct snap *s, struct err *e);

/* Number of the newest line; 0: none. */
long long journal_newest(const struct snap *s);
/* Record c under a new id, which is stored in it.  0, or -1 with e. */
int journal_add(struct snap *s, struct undo_entry *c, struct err *e);
/* A call is about to change these files or, if c lists none, any file since the
 * last snapshot.  If we are killed before journal_end, the next process that
 * opens the snapshots or begins a call records what the call changed
 * (journal_recover) and, if it was boxed, quarantines the protected names that
 * it made.  Returns the descriptor of the file that says so: touch
 * its access time every second or two while the call runs, as a sign of life.
 * -1: it could not be written. */
int journal_begin(struct snap *s, struct undo_entry *c);
/* Add to c, a call that has ended, the files that it left as it found them, but
 * that calls of other processes changed meanwhile: undoing those may bring back
 * what was there in between. */
void journal_add_concurrent(struct snap *s, struct undo_entry *c);
void journal_end(struct snap *s);
void journal_recover(struct snap *s);
/* What journal_recover found of this call; NULL: nothing. */
const struct undo_entry *journal_recovered(const struct snap *s,
    const char *call);
/* Record that these changes are about to be undone, or (done) have been.  The
 * caller holds the lock.  0, or -1 with e. */
int journal_undone(struct snap *s, bool done, char *const *ids, size_t n,
    struct err *e);

/* Read the whole journal.  A missing file is an empty journal; a line cut
 * short by a crash is skipped.  0, or -1 with e. */
int journal_read(struct snap *s, struct journal *j, struct err *e);
void journal_release(struct journal *j);

/* Set t's new mode and hash to those of t->path now ("": no file), and oid, if
 * it is not NULL, to the name of a content that could be kept.  False if they
 * cannot be determined. */
bool undo_path_look(const struct files *f, struct undo_path *t, char *oid);

/* Mark the folders above a file in m. */
enum { UNDO_ABOVE = 1, UNDO_NAMED };
void undo_note_above(struct map *m, const char *path);
/* Does this folder hold only folders, and files that were set aside?  drop:
 * remove those, and the folder. */
bool undo_only_folders(int dir, const char *name, bool drop);

/* Is there an old content that was too large to keep? */
static inline bool
undo_path_is_lost(const struct undo_path *t)
{
	return t->oid[0] == '\0' && t->old_mode != 0;
}

struct undo_path *undo_entry_add(struct undo_entry *c, const char *path);
/* The file with this path in these, which are sorted, or NULL. */
struct undo_path *undo_path_find(struct undo_path *v, size_t n,
    const char *path);
struct undo_path *undo_entry_add_folder(struct undo_entry *c,
    const char *path);
void undo_entry_sort(struct undo_entry *c);
void undo_entry_release(struct undo_entry *c);
