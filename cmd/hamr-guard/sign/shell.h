/* shell.h - what a bash command is for, judged by its words alone.
 *
 * No shell is run and nothing is expanded.  These are guesses from word lists,
 * biased so that a wrong one costs least: a command not known to be harmless
 * may change files, one not known to be idle may inform.
 */
#pragma once

#include "signature.h"

/* Append cmd with blanks outside quotes folded (chapter 3.1). */
void shell_fold(struct slice cmd, struct buf *out);

/* What the command is for goes to t: idle, poll, waits, pauses, measures,
 * cuts, echoes, reads, seeks, fetches, sends, mutates, moves, matters and
 * runs.  The one path that is all it removes goes to *removes; or p NULL.
 * Returns a hash of what it does, without comments and what it only prints;
 * 0: it does nothing. */
uint64_t shell_judge(struct slice cmd, struct traits *t,
    struct slice *removes);
