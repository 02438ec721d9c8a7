/* files.h - the states files were in during this turn.
 *
 * Where results tell hashes, a state is path and hash.  Elsewhere it is made
 * of the edits themselves: a write sets it, an edit adds its new text and
 * takes away its old, so that undoing an edit leads back to where it was.
 */
#ifndef HAMR_GUARD_FILES_H
#define HAMR_GUARD_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "hset.h"
#include "ids.h"

#define STATES_MAX 8192
#define PATHS_MAX 1024		/* files told apart; more share places */
#define MADE_MAX 64		/* calls known by the state they left */

struct file {
	uint64_t path, state;
	uint64_t turn;		/* another than now: free */
	bool created;		/* by this turn */
};

struct made {
	uint64_t state;
	struct ids by;
};

struct files {
	struct hset states, edits, returned;
	struct file *file;	/* PATHS_MAX, NULL while empty */
	unsigned long edited;	/* novel edits and changes so far */
	struct made made[MADE_MAX];
	bool used;		/* else there is nothing to clear */
	uint64_t turn;
	uint64_t last, left;	/* what the latest change led to, and from */
};

/* A state that was there, known without a change. */
void files_base(struct files *f, uint64_t path, uint64_t state);
/* The file was made in this turn. */
void files_created(struct files *f, uint64_t path);
bool files_is_created(const struct files *f, uint64_t path);
/* A change led to this state: true if it is a new one.  *back: the file had
 * left it, and is back for the second time; once is a deliberate undo. */
bool files_reach(struct files *f, uint64_t path, uint64_t state, bool *back);
/* Somebody else led the file back to this state: no return of the model's. */
void files_undone(struct files *f, uint64_t path, uint64_t state);
/* The state of a file that only its edits tell about. */
uint64_t files_state(const struct files *f, uint64_t path);

/* Which call led to the latest state, for who comes back to it; of a state
 * that no call led to, the one that left it first. */
void files_made(struct files *f, const char *id, size_t line, unsigned step);
const struct ids *files_maker(struct files *f, uint64_t state);

void files_clear(struct files *f);
void files_release(struct files *f);

#endif
