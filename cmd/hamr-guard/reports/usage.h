/* usage.h - what a transcript cost: turns, steps, calls, tokens, line by line.
 *
 * Tokens are estimates, as hamr-compact's.  A step is one request: it costs
 * all the messages before it (since the last compaction) and its answer.
 * Keeps no more than the step in hand and the calls that wait for a result.
 */
#pragma once

#include <stdint.h>

#include "record/msg.h"

struct amounts {
	uint64_t turns, steps, calls;
	uint64_t tokens;	/* sent and answered, in 1/64 */
};

/* A call of the step in hand, or one without a result. */
struct usage_call {
	char *id, *name;	/* JSON texts */
	char *args;		/* what it is about */
	size_t line;
	uint64_t number;	/* of the transcript's calls, from 1 */
	unsigned saved;		/* a bit for each who would not have run it */
};

struct usage {
	uint64_t transcripts;
	struct amounts all, here;	/* the transcripts before; this one */
	size_t first_line, last_line;	/* of this transcript */
	uint64_t context;	/* of the messages so far, in 1/64 tokens */
	uint64_t tools;
	uint64_t step_cost;	/* of the step in hand */
	struct usage_call *call;	/* those of the step from first to n */
	size_t n, first;
	/* the last result: */
	uint64_t result_cost;
	const struct usage_call *result_of;	/* NULL: of no call */
	/* private */
	struct pairing pairing;
	size_t cap;
	struct scan scan;
	struct buf text;
};

void usage_record(struct usage *u, const struct rec *r);
/* The call with this id of the message at this line; NULL: not of the step in
 * hand. */
struct usage_call *usage_find(struct usage *u, size_t line, const char *id);
void usage_reset(struct usage *u);	/* a new transcript */
void usage_release(struct usage *u);
