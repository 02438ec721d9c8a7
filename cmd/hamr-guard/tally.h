/* tally.h - what one judge said of transcripts, and what it would have saved.
 *
 * Saved is what would not have come about: a call that was refused or shared,
 * with its result; and once a turn was halted, all of its later requests with
 * their calls.  Whether those were of use nobody can tell from a transcript.
 */
#ifndef HAMR_GUARD_TALLY_H
#define HAMR_GUARD_TALLY_H

#include "firing.h"
#include "ledger.h"

struct first {
	size_t line;		/* 0: none yet */
	uint64_t transcript;	/* from 1 */
	uint64_t call;		/* number in it; 0: an answer */
	enum action action;
	enum rule rule;
};

struct tally {
	struct ledger *ledger;
	unsigned bit;		/* of struct entry's saved */
	unsigned long notes;	/* level 0: said, but no warning */
	unsigned long warns, shares, blocks, halts, texts;
	unsigned long rules[RULES];
	struct first first;
	unsigned long calls, requests;	/* saved */
	uint64_t tokens;		/* saved, in 1/64 */
	bool ended;		/* the turn was halted in an earlier step */
	bool ending;		/* in this one */
	bool text_only;		/* the next message would have no calls */
};

/* For each record: after the ledger has it, before the judge. */
void tally_record(struct tally *t, const struct rec *r);
/* A firing of the judge.  False: it came after the turn had ended, and is not
 * counted. */
bool tally_fired(struct tally *t, const struct firing *f);
void tally_constrained(struct tally *t);
void tally_reset(struct tally *t);	/* a new transcript: sums stay */

/* Is it a note rather than a warning? */
bool tally_is_note(const struct verdict *v);
uint64_t tally_tokens(uint64_t sixtyfourths);

#endif
