/* file_states.h - the states files were in during this turn.
 *
 * If results report hashes, a state is path and hash.  Otherwise it is derived
 * from the edits themselves: a write sets it, an edit adds its new text and
 * subtracts its old, so that undoing an edit leads back to the same state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sign/code.h"
#include "text/hash_set.h"

#define PATHS_MAX 1024		/* with more files, some share entries */

struct file_state {
	uint64_t path, state;
	uint64_t turn;		/* not the current turn: free */
	bool created;		/* by this turn */
	uint64_t learned;	/* what was known at its last change */
	uint64_t tried;		/* and at the last edit of numbers alone */
	uint64_t shown;		/* what was shown at its last write */
	unsigned rewrites;	/* in a row, nothing shown in between */
};

struct file_states {
	struct hash_set states;
	struct hash_set edits;	/* that were made, and states returned to */
	struct hash_set tries;	/* places where no code changed, and where it
				 * did not twice */
	struct file_state *file;	/* PATHS_MAX, NULL while empty */
	unsigned long edited;	/* novel edits and changes so far */
	uint64_t learned;	/* what was run and showed anything new */
	uint64_t shown;		/* and whatever else did, but edits */
	uint64_t written;	/* learned at the last write of any file */
	bool ran;		/* something was run since then */
	uint64_t turn;
	uint64_t last, left;	/* what the latest change led to, and from */
};

/* The file's entry, zeroed if there is none in this turn. */
struct file_state *files_of(struct file_states *f, uint64_t path);
/* A state the file was in, known without a change. */
void files_base(struct file_states *f, uint64_t path, uint64_t state);
/* A change led to this state: true if the state is new.  *back: the file is
 * back in a state it had left, for the second time and with nothing learned in
 * between.  Once is a deliberate undo, and a model that learns may go on. */
bool files_reach(struct file_states *f, uint64_t path, uint64_t state,
    bool *back);

/* An edit that may change nothing that runs: does it change too little to be
 * called progress?  Not at first, nor numbers if something was learned by the
 * last.  whole: all of the file is written; a draft is one more try the third
 * time that nothing new was shown since the one before, or if a run of the
 * same code in other files showed nothing new. */
enum trifle { NO_TRIFLE, ONE_MORE_TRY, ONLY_COMMENTS };
enum trifle files_trifle(struct file_states *f, uint64_t path, bool whole,
    const struct code *code);

void files_clear(struct file_states *f);
void files_release(struct file_states *f);
