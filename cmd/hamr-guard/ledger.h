/* ledger.h - what a transcript cost: turns, steps, calls, tokens, line by line.
 *
 * Tokens are estimates, as hamr-compact's.  A step is one request: it costs
 * all the messages before it (since the last compaction) and its answer.
 * Keeps no more than the step in hand and the calls that wait for a result.
 */
#ifndef HAMR_GUARD_LEDGER_H
#define HAMR_GUARD_LEDGER_H

#include <stdint.h>

#include "msg.h"

struct amounts {
	uint64_t transcripts, turns, steps, calls;
	uint64_t tokens;	/* sent and answered, in 1/64 */
};

/* A call of the step in hand, or one without a result. */
struct entry {
	char *id, *name;	/* JSON texts */
	char *args;		/* of the step in hand: what it is about */
	size_t line;
	uint64_t number;	/* of the transcript's calls, from 1 */
	unsigned saved;		/* a bit for each who would not have run it */
};

struct ledger {
	struct amounts all, here;	/* everything; this transcript */
	size_t first_line, last_line;	/* of this transcript */
	uint64_t context;	/* of the messages so far, in 1/64 tokens */
	uint64_t tools;
	uint64_t step_cost;	/* of the step in hand */
	/* the last result: */
	uint64_t result_cost;
	unsigned result_saved;
	const struct entry *result_of;	/* NULL: of no call */
	/* private */
	struct pairing pairing;
	struct entry *entry;
	size_t n, cap, first;
	struct scan scan;
	struct buf text;
};

void ledger_record(struct ledger *l, const struct rec *r);
/* The call with this id of the message at this line; NULL: not of the step in
 * hand. */
struct entry *ledger_find(struct ledger *l, size_t line, const char *id);
/* The calls of the step in hand. */
struct entry *ledger_step(struct ledger *l, size_t *n);
void ledger_reset(struct ledger *l);	/* a new transcript */
void ledger_release(struct ledger *l);

#endif
