/* profile_words.h - what other systems tell the model, in our words.
 *
 * The sense is theirs, the sentences are not: as all of hamr's they quote no
 * arguments.
 */
#ifndef HAMR_GUARD_PROFILE_WORDS_H
#define HAMR_GUARD_PROFILE_WORDS_H

#include "buf.h"

enum pword {
	PW_NONE,
	PW_HAMR_CACHED, PW_HAMR_READ, PW_HAMR_READ_HALT, PW_HAMR_BASH_HALT,
	PW_HAMR_READS, PW_HAMR_READS_BLOCK,
	PW_HAMR_STEPS_1, PW_HAMR_STEPS_2, PW_HAMR_STEPS_3,
	PW_OPENFANG_WARN, PW_OPENFANG_POLL, PW_OPENFANG_BLOCK,
	PW_OPENFANG_EXHAUSTED, PW_OPENFANG_PING_PONG, PW_OPENFANG_SAME,
	PW_OPENFANG_SAME_BLOCK, PW_OPENFANG_BREAKER,
	PW_HERMES_WARN, PW_HERMES_WAIT, PW_HERMES_BLOCK,
	PW_NANOBOT_WARN, PW_NANOBOT_STOP, PW_NANOBOT_RETRY,
	PW_NANOBOT_OTHER_WAY,
	PW_KIMI_STALL
};

struct pfacts {
	const char *tool;	/* decoded name */
	const char *history;	/* lines, each behind a line end; or NULL */
	unsigned long count, limit, period, laps, wait;
};

void profile_words(enum pword w, const struct pfacts *f, struct buf *out);

#endif
