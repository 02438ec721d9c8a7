/* journal_calls.h - what a call changed, kept so that it can be taken back.
 *
 * Before the first call of a turn that may write there is a checkpoint; after
 * each call that wrote, what differs is its meta.mutated and an entry for
 * hamr-tool undo.  Where no snapshot can be made it is said, once a turn, and
 * the call goes on.
 */
#pragma once

#include "job.h"

struct journal_calls;

struct journal_calls *journal_calls_new(struct tool *t);
void journal_calls_free(struct journal_calls *jc);

/* A person's message; a new transcript. */
void journal_calls_turn(struct journal_calls *jc);
/* A checkpoint that is recorded already. */
void journal_calls_known(struct journal_calls *jc, const char *id);
/* The calls of one go are over: others may change files from now on. */
void journal_calls_pause(struct journal_calls *jc);

/* Nothing else is to be done: what can wait until then. */
void journal_calls_idle(struct journal_calls *jc);

/* Before its start: put the checkpoint if one is due. */
void journal_calls_checkpoint(struct journal_calls *jc, struct job *j);
/* It was begun by a process that is gone: what it changed is told. */
void journal_calls_tell_killed(struct journal_calls *jc, struct job *j);
/* Before the work: journal_begin, or -1; and after it: its result is
 * completed. */
int journal_calls_begin(struct journal_calls *jc, struct job *j);
void journal_calls_end(struct journal_calls *jc, struct job *j);
