/* advice.h - every sentence that the model reads from the guard, in one table.
 *
 * A sentence says what is known, since when nothing new came, and two concrete
 * next actions; never the arguments, as a model repeats what it reads.  For
 * other systems' messages we keep the meaning in our own words.
 */
#pragma once

#include "base/buf.h"
#include "verdict.h"

enum advice {
	A_NONE,
	A_REPEAT_WARN, A_REPEAT_DONE, A_REPEAT_POLL, A_REPEAT_BLOCK,
	A_REPEAT_HALT,
	A_WEAK_WARN, A_SAME_ANSWER, A_SAME_NOTHING,
	A_RETRY_HINT, A_RETRY_WARN, A_RETRY_WAIT, A_RETRY_BLOCK, A_RETRY_HALT,
	A_SAME_ERROR_WARN, A_SAME_ERROR_BLOCK,
	A_CYCLE_WARN, A_CYCLE_BLOCK, A_CYCLE_HALT,
	A_STALL_WARN, A_STALL_IDLE, A_STALL_SWEEP, A_STALL_POLL, A_STALL_TEXT,
	A_TEXT_HALT,
	A_FUTILE_WARN, A_FUTILE_TEXT, A_REVISIT_WARN,
	A_STILL_1, A_STILL_2, A_STILL_3,
	A_READS_WARN, A_READS_WARN_ONLY, A_READS_BLOCK,
	A_CALLS_TEXT,
	A_SHARE,
	A_PLAN_PROSE, A_STATUS_ONLY, A_PREMATURE, A_PREMATURE_NONE,
	A_MONOLOGUE,
	A_MORE,
	A_HAMR_CACHED, A_HAMR_READ, A_HAMR_READ_HALT, A_HAMR_BASH_HALT,
	A_HAMR_READS,
	A_HAMR_STEPS_1, A_HAMR_STEPS_2, A_HAMR_STEPS_3,
	A_OPENFANG_WARN, A_OPENFANG_POLL, A_OPENFANG_BLOCK,
	A_OPENFANG_EXHAUSTED, A_OPENFANG_PING_PONG, A_OPENFANG_SAME,
	A_OPENFANG_SAME_BLOCK, A_OPENFANG_BREAKER,
	A_HERMES_WARN, A_HERMES_WAIT, A_HERMES_BLOCK,
	A_NANOBOT_WARN, A_NANOBOT_STOP, A_NANOBOT_RETRY,
	A_NANOBOT_OTHER_WAY,
	A_KIMI_STALL
};

#define NUDGE_MARK "[hamr-guard] "

/* What the sentences mention besides the verdict's numbers. */
struct facts {
	struct slice tool;	/* decoded name */
	unsigned long wait;	/* seconds */
	const struct call_row *history;	/* of attempts; NULL: none */
	const char *attempts;	/* the same, each after a line end */
};

/* The sentence for a verdict, which the caller frees.  {limit} is the highest
 * that it has.  f may be NULL. */
char *advice(enum advice a, const struct verdict *v, const struct facts *f);
/* Append another text, with its {names} of facts filled in as in advice.c. */
void advice_fill(const char *text, const struct verdict *v,
    const struct facts *f, struct buf *out);

/* How many seconds to wait before the n-th check (from 0): grows from 5 to
 * 60. */
unsigned long advice_wait(unsigned long n);
