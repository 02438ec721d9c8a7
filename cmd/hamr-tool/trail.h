/* trail.h - what a call changed, kept so that it can be taken back.
 *
 * Before the first call of a turn that may write there is a checkpoint; after
 * each call that wrote, what differs is its meta.mutated and an entry for
 * hamr-tool undo.  Where no snapshot can be made it is said, once a turn, and
 * the call goes on.
 */
#ifndef HAMR_TOOL_TRAIL_H
#define HAMR_TOOL_TRAIL_H

#include "job.h"

struct trail;

struct trail *trail_new(struct tool *t);
void trail_free(struct trail *tr);

/* A person's message; a new transcript. */
void trail_turn(struct trail *tr);
/* A checkpoint that is recorded already. */
void trail_known(struct trail *tr, const char *id);
/* The calls of one go are over: others may change files from now on. */
void trail_pause(struct trail *tr);

/* Before its start: put the checkpoint if one is due. */
void trail_checkpoint(struct trail *tr, struct job *j);
/* Behind the work: its result is completed. */
void trail_end(struct trail *tr, struct job *j);

#endif
