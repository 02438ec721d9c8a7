/* journal.h - what can be taken back: one line a change, beside the snapshots.
 *
 * hamr-undo in .hamr/snap.git is NDJSON: `change`, `checkpoint` and `undone`.
 * It is bounded: beyond 16 MiB the older half is forgotten, and prune.h forgets
 * what is old.
 */
#ifndef HAMR_TOOL_JOURNAL_H
#define HAMR_TOOL_JOURNAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"
#include "sha.h"
#include "snap.h"

/* One path of a change. */
struct trace {
	char *path;		/* true name */
	char oid[SNAP_OID];	/* the old content; "": there was none */
	mode_t old_mode;
	char sha[SHA_HEX];	/* of the new content; "": there is none */
	mode_t new_mode;
	int folders;		/* how many folders were made for it */
};

struct undo_entry {
	char *id, *at, *tool, *call, *checkpoint;
	struct trace *v;
	size_t n, cap;
	bool undone;
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

/* A new id, PREFIX and a number, never used before here; yours. */
char *journal_id(struct snap *s, const char *prefix, struct err *e);

/* Write one down; entry->id and at are set here when they are NULL.  0, or
 * -1 with e. */
int journal_add(struct snap *s, struct undo_entry *c, struct err *e);
/* These were taken back. */
int journal_undone(struct snap *s, char *const *ids, size_t n,
    struct err *e);

/* All of it; an absent one is empty, a line cut short by a crash is passed. */
int journal_read(struct snap *s, struct journal *j, struct err *e);
void journal_release(struct journal *j);

/* Forget what was written before this entry of a journal that nobody has
 * written to since it was read; at once, so that a crash leaves the old one or
 * the new one.  0, or -1. */
int journal_forget(struct snap *s, const struct undo_entry *first);

struct trace *entry_trace(struct undo_entry *c, const char *path);
void entry_release(struct undo_entry *c);

#endif
