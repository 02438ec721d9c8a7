/* journal.h - what can be taken back: one line a change, beside the snapshots.
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

/* One path of a change. */
struct undo_path {
	char *path;		/* true name */
	char oid[SNAP_OID];	/* the old content; "": there was none */
	struct slice old;	/* that, once snap_fetch has read it */
	mode_t old_mode;
	char sha[SHA_HEX];	/* of the new content; "": there is none */
	mode_t new_mode;	/* 0: there is nothing, or a folder */
	int folders;		/* how many folders were made for it */
	int64_t born;		/* it was there, where no snapshot looks, since
				 * this time (snap_time); else 0 */
};

struct undo_entry {
	char *id, *at, *tool, *call, *checkpoint;
	struct undo_path *v;
	size_t n, cap;
	bool undone;
	bool begun;		/* to be; what was killed may have done some */
	bool is_checkpoint;
	size_t offset;		/* where its line was in the file */
};

struct journal {
	struct undo_entry *v;		/* oldest first */
	size_t n, cap;
};

/* The lock of the journal (and of the snapshots): a descriptor to close, or
 * -1 with e.  Not to be held while a snapshot is taken. */
int snap_lock(struct snap *s, struct err *e);

/* Write one down, under a new id, which is set.  0, or -1 with e. */
int journal_add(struct snap *s, struct undo_entry *c, struct err *e);
/* A call may begin to change things: these files, or (none) whatever it does.
 * If it is not over before we are killed, the next process that opens the
 * snapshots, or has a call to begin, writes down what it changed
 * (journal_recover).  Returns the file that says so, which is this process's as
 * long as the call runs: its access time is to be the last sign of life, to two
 * seconds.  Or -1: of several calls at once, of as many processes, only the
 * first is remembered. */
int journal_begin(struct snap *s, const struct undo_entry *c);
void journal_over(struct snap *s);
void journal_recover(struct snap *s);
/* What that was; NULL: nothing. */
const struct undo_entry *journal_recovered(const struct snap *s);
/* These are about to be taken back, or were.  The lock is held. */
int journal_undone(struct snap *s, bool done, char *const *ids, size_t n,
    struct err *e);

/* All of it; an absent one is empty, a line cut short by a crash is passed. */
int journal_read(struct snap *s, struct journal *j, struct err *e);
void journal_release(struct journal *j);

/* What is at t->path now: its new mode and hash ("": no file).  False: that
 * cannot be told. */
bool undo_path_look(const struct files *f, struct undo_path *t);

struct undo_path *undo_entry_add(struct undo_entry *c, const char *path);
void undo_entry_release(struct undo_entry *c);
