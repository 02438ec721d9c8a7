/* file_states.h - the states files were in during this turn.
 *
 * Where results tell hashes, a state is path and hash.  Elsewhere it is made
 * of the edits themselves: a write sets it, an edit adds its new text and
 * takes away its old, so that undoing an edit leads back to where it was.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sign/code.h"
#include "text/hash_set.h"
#include "verdict.h"

#define STATES_MAX 8192
#define PATHS_MAX 1024		/* files told apart; more share places */
#define MADE_MAX 64		/* calls known by the state they left */

struct file_state {
	uint64_t path, state;
	uint64_t turn;		/* another than now: free */
	bool created;		/* by this turn */
	uint64_t learned;	/* what was known at its last change */
	uint64_t tried;		/* and at the last edit of numbers alone */
	uint64_t shown;		/* what was shown at its last write */
	unsigned rewrites;	/* in a row, nothing shown in between */
};

struct file_states {
	struct hash_set states, edits, returned;	/* of STATES_MAX */
	struct file_state *file;	/* PATHS_MAX, NULL while empty */
	unsigned long edited;	/* novel edits and changes so far */
	struct hash_set once, twice;	/* places where no code changed */
	uint64_t learned;	/* what was run and showed anything new */
	uint64_t shown;		/* and whatever else did, but edits */
	struct made {
		uint64_t state;
		struct call_ref by;
	} made[MADE_MAX];
	bool any_made;
	uint64_t turn;
	uint64_t last, left;	/* what the latest change led to, and from */
};

/* The file's entry, made zero if there is none in this turn. */
struct file_state *files_of(struct file_states *f, uint64_t path);
/* A state that was there, known without a change. */
void files_base(struct file_states *f, uint64_t path, uint64_t state);
/* A change led to this state: true if it is a new one.  *back: the file had
 * left it, and is back for the second time, nothing learned by leaving it; once
 * is a deliberate undo, and who learns by it may go on. */
bool files_reach(struct file_states *f, uint64_t path, uint64_t state,
    bool *back);

/* An edit that may change nothing that runs: does it change too little to be
 * called progress?  Not at first, nor numbers if something was learned by the
 * last.  whole: all of the file is written; a draft is one more try the third
 * time that nothing new was shown since the one before. */
enum trifle { NO_TRIFLE, ONE_MORE_TRY, ONLY_COMMENTS };
enum trifle files_trifle(struct file_states *f, uint64_t path, bool whole,
    const struct code *code);

/* Which call led to the latest state, for who comes back to it; of a state
 * that no call led to, the one that left it first.  NULL: not known. */
void files_made(struct file_states *f, const char *id, size_t line);
const struct call_ref *files_maker(struct file_states *f, uint64_t state);

void files_clear(struct file_states *f);
void files_release(struct file_states *f);

/* ---- lines shown ----
 *
 * Which lines of which files the model has in its context, as far as results
 * tell ranges. */

#define SHOWN_FILES 256		/* files told apart; more share places */
#define SPANS_MAX 32		/* of a file; the oldest is forgotten */

struct shown {
	struct shown_file {
		uint64_t path, state;
		struct span {
			int64_t first, last;
		} span[SPANS_MAX];
		unsigned n;
	} *file;		/* NULL while empty */
};

/* Lines first to last of the file, whose content has the hash `state`, are
 * shown: true if all of them were shown before. */
bool shown_add(struct shown *s, uint64_t path, uint64_t state, int64_t first,
    int64_t last);

void shown_clear(struct shown *s);
