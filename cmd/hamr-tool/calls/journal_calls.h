/* journal_calls.h - record what a call changed, so that it can be undone.
 *
 * A checkpoint is made before the first call of a turn that may write; after
 * each call that wrote, the difference becomes its meta.mutated and an entry
 * for hamr-tool undo.  If no snapshot can be made, that is reported once a
 * turn, and the call proceeds.
 */
#pragma once

#include "job.h"

struct journal_calls;

struct journal_calls *journal_calls_new(struct tool *t);
void journal_calls_free(struct journal_calls *jc);

/* A person's message; a new transcript. */
void journal_calls_turn(struct journal_calls *jc);
/* A checkpoint that is recorded already; takes id over, which may be NULL. */
void journal_calls_known(struct journal_calls *jc, char *id);
/* The calls of one `go' are over: others may change files from now on. */
void journal_calls_pause(struct journal_calls *jc);

/* Call when idle: does the work that can wait. */
void journal_calls_idle(struct journal_calls *jc);

/* Before its start: put the checkpoint if one is due. */
void journal_calls_checkpoint(struct journal_calls *jc, struct job *j);
/* A process that is gone began this call: report what it changed. */
void journal_calls_tell_killed(struct journal_calls *jc, struct job *j);
/* Call before the work (journal_begin, or -1), and after it to complete the
 * result. */
int journal_calls_begin(struct journal_calls *jc, struct job *j);
void journal_calls_end(struct journal_calls *jc, struct job *j);
