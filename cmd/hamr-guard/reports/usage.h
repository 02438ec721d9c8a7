/* usage.h - what a transcript cost, line by line: turns, steps, calls, tokens;
 * what one judge said of it, and what that would have saved.
 *
 * Tokens are estimates, as hamr-compact's.  A step is one request: it costs
 * all the messages before it (since the last compaction) and its answer.
 * Keeps only the current step and the calls that wait for a result.
 */
#pragma once

#include <stdint.h>

#include "judge/verdict.h"
#include "record/msg.h"

struct amounts {
	uint64_t turns, steps, calls;
	uint64_t tokens;	/* sent and answered, in 1/64 */
};

/* A call of the current step, or one without a result. */
struct usage_call {
	char *id, *name;	/* JSON texts */
	char *args;		/* what it is about */
	size_t line;
	uint64_t number;	/* of the transcript's calls, from 1 */
	unsigned saved;		/* a bit for each judge that would not run it */
};

struct usage {
	uint64_t transcripts;
	struct amounts all, here;	/* the transcripts before; this one */
	size_t first_line, last_line;	/* of this transcript */
	uint64_t context;	/* of the messages so far, in 1/64 tokens */
	uint64_t tools;
	uint64_t step_cost;	/* of the current step */
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
/* The call with this id of the message at this line; NULL: it is not in the
 * current step. */
struct usage_call *usage_find(struct usage *u, size_t line, const char *id);
void usage_reset(struct usage *u);	/* a new transcript */
void usage_release(struct usage *u);

/* ---- what a judge would have saved ----
 *
 * What would not have happened: a call that was refused or shared, with its
 * result; and once a turn was halted, all of its later requests with their
 * calls.  A transcript cannot tell whether those were useful.
 */

struct savings {
	struct usage *usage;
	unsigned bit;		/* of a call's saved */
	unsigned long notes;	/* level 0: said, but not a warning */
	unsigned long said[ACT_HALT + 1];	/* by action */
	unsigned long texts;
	unsigned long rules[RULES];
	struct {		/* the first firing */
		size_t line;	/* 0: none yet */
		uint64_t call;	/* number in its transcript; 0: an answer */
		enum action action;
		enum rule rule;
	} first;
	unsigned long calls, requests;	/* saved */
	uint64_t tokens;		/* saved, in 1/64 */
	bool ended;		/* the turn was halted in an earlier step */
	bool ending;		/* in this one */
	bool text_only;		/* the next message would have no calls */
};

/* For each record: after the usage has it, before the judge. */
void savings_record(struct savings *t, const struct rec *r);
/* The judge fired.  False: the turn had ended, so it is not counted. */
bool savings_verdict(struct savings *t, const struct verdict *v);
void savings_reset(struct savings *t);	/* a new transcript: sums stay */
