/* file_states.h - the states that files were in during this turn.
 *
 * If results report hashes, a state is path and hash.  Otherwise it is derived
 * from the edits: a write sets it; an edit adds its new text and subtracts its
 * old one, so that undoing an edit leads back to the earlier state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sign/code.h"
#include "text/hash_set.h"

#define PATHS_MAX 1024		/* with more files, some share entries */

struct file_state {
	uint64_t path, state;
	uint64_t turn;		/* if not the current one, the entry is free */
	bool created;		/* in this turn */
	uint64_t learned;	/* file_states.learned at its last change */
	uint64_t tried;		/* ... and at the last edit of numbers alone */
	uint64_t shown;		/* file_states.shown at its last write */
	unsigned rewrites;	/* in a row, with nothing shown in between */
};

struct file_states {
	struct hash_set states;
	struct hash_set edits;	/* made so far, and states returned to */
	struct hash_set tries;	/* places edited without changing code, once
				 * and twice */
	struct file_state *file;	/* PATHS_MAX; NULL while empty */
	unsigned long edited;	/* novel edits and changes so far */
	uint64_t learned;	/* commands that showed anything new */
	uint64_t shown;		/* other calls that did, edits aside */
	uint64_t written;	/* `learned' at the last write of any file */
	bool ran;		/* something was run since then */
	uint64_t turn;
	uint64_t last, left;	/* the state the latest change led to, and the
				 * one it left */
};

/* The file's entry, zeroed if there is none in this turn. */
struct file_state *files_of(struct file_states *f, uint64_t path);
/* The file was seen in this state; nothing changed it. */
void files_set_state(struct file_states *f, uint64_t path, uint64_t state);
/* A change led to this state.  True if the state is new.  *back: the file
 * returned to a state it had left, for the second time and with nothing learned
 * in between: once is a deliberate undo, and a model that learns may go on. */
bool files_enter_state(struct file_states *f, uint64_t path, uint64_t state,
    bool *back);

/* Does an edit that may change nothing that runs change too little to be called
 * progress?  The first one does not, nor does one of numbers if something was
 * learned from the last.  whole: all of the file is written; a draft is one
 * more try the third time that nothing new was shown since the one before, or
 * if running the same code in other files showed nothing new. */
enum minor_edit { NOT_MINOR, ONE_MORE_TRY, ONLY_COMMENTS };
enum minor_edit files_minor_edit(struct file_states *f, uint64_t path,
    bool whole, const struct code *code);

void files_clear(struct file_states *f);
void files_release(struct file_states *f);
