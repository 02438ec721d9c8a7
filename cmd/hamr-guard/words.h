/* words.h - every sentence that the model reads from the guard, in one table.
 *
 * They say what is known, since when nothing new came, and two concrete next
 * actions; never the arguments, as what is repeated to a model is repeated by
 * it.
 */
#ifndef HAMR_GUARD_WORDS_H
#define HAMR_GUARD_WORDS_H

#include "buf.h"

enum word {
	W_REPEAT_WARN, W_REPEAT_POLL, W_REPEAT_BLOCK, W_REPEAT_HALT,
	W_CYCLE_WARN, W_CYCLE_BLOCK, W_CYCLE_HALT,
	W_STALL_WARN, W_STALL_IDLE, W_STALL_TEXT, W_STALL_HALT,
	W_SHARE, W_STATUS_ONLY, W_MORE
};

#define NUDGE_MARK "[hamr-guard] "

/* What the sentences speak of. */
struct facts {
	struct slice tool;	/* decoded name */
	unsigned long count;
	unsigned long steps;	/* without anything new */
	unsigned long period, laps;
};

/* Append the sentence. */
void words_say(enum word w, const struct facts *f, struct buf *out);

#endif
