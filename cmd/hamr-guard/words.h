/* words.h - every sentence that the model reads from the guard, in one table.
 *
 * They say what is known, since when nothing new came, and two concrete next
 * actions; never the arguments, as what is repeated to a model is repeated by
 * it.
 */
#ifndef HAMR_GUARD_WORDS_H
#define HAMR_GUARD_WORDS_H

#include "buf.h"
#include "ids.h"

enum word {
	W_REPEAT_WARN, W_REPEAT_POLL, W_REPEAT_BLOCK, W_REPEAT_HALT,
	W_WEAK_WARN, W_SAME_ANSWER,
	W_RETRY_HINT, W_RETRY_WARN, W_RETRY_WAIT, W_RETRY_BLOCK, W_RETRY_HALT,
	W_SAME_ERROR_WARN, W_SAME_ERROR_BLOCK,
	W_CYCLE_WARN, W_CYCLE_BLOCK, W_CYCLE_HALT,
	W_STALL_WARN, W_STALL_IDLE, W_STALL_SWEEP, W_STALL_TEXT,
	W_TEXT_HALT,
	W_FUTILE_WARN, W_FUTILE_TEXT, W_REVISIT_WARN,
	W_STILL_1, W_STILL_2, W_STILL_3,
	W_READS_WARN, W_READS_WARN_ONLY, W_READS_BLOCK,
	W_CALLS_TEXT,
	W_SHARE,
	W_PLAN_PROSE, W_STATUS_ONLY, W_PREMATURE, W_MONOLOGUE,
	W_MORE
};

#define NUDGE_MARK "[hamr-guard] "

/* What the sentences speak of. */
struct facts {
	struct slice tool;	/* decoded name */
	unsigned long count;
	unsigned long steps;	/* without anything new */
	unsigned long period, laps;
	unsigned long limit;
	const struct ids *history;	/* of attempts; NULL: none */
};

/* Append the sentence. */
void words_say(enum word w, const struct facts *f, struct buf *out);

#endif
