/* savings.h - what one judge said of transcripts, and what it would have saved.
 *
 * Saved is what would not have come about: a call that was refused or shared,
 * with its result; and once a turn was halted, all of its later requests with
 * their calls.  Whether those were of use nobody can tell from a transcript.
 */
#pragma once

#include "usage.h"
#include "judge/verdict.h"

struct savings {
	struct usage *usage;
	unsigned bit;		/* of a call's saved */
	unsigned long notes;	/* level 0: said, but not a warning */
	unsigned long warns, shares, blocks, halts, texts;
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
/* A firing of the judge.  False: it came after the turn had ended, and is not
 * counted. */
bool savings_fired(struct savings *t, const struct verdict *v);
void savings_constrained(struct savings *t);
void savings_reset(struct savings *t);	/* a new transcript: sums stay */

/* Is it a note rather than a warning? */
bool verdict_is_note(const struct verdict *v);
