/* internal.h - what the phases of the guard share. */
#pragma once

#include "advice.h"
#include "guard.h"

#define CALLS_MAX 16		/* that a verdict rests on */

/* ---- guard.c ---- */

/* Progress was made: a new epoch begins. */
void guard_note_progress(struct guard *g);
void stall_reset(struct stall *s);

/* Reads allowed in a turn before a warning, or (most) at all; 0: no limit. */
unsigned long guard_reads(const struct guard *g, bool most);

/* Append a call to a row. */
void note_call(struct call_row *row, const struct open_call *c);

void guard_count(const struct guard *g, enum rule r, unsigned long value);

/* The weight of a repeat, in sixths: less for calls that may be repeated more
 * often. */
int repeat_weight(bool poll, bool transient);
/* How many times as often as others may a call be repeated?  A poll:
 * poll_multiplier times; more if it pauses, or was told that the work is still
 * under way, unless it failed. */
unsigned long guard_repeat_factor(const struct guard *g, const struct traits *t,
    bool failed);
/* Raise the weight of the step to at least this.  spared: such calls may be
 * right, so they do not by themselves make us ask for text. */
void step_raise_weight(struct step *s, int weight, bool spared);

/* Note that the turn is stuck if a streak of n calls, which may be repeated
 * `times` times as often as others, is long enough for that. */
void guard_note_stuck(struct guard *g, unsigned long n, unsigned long times);

/* An answer reported the state of what a call asks about.  While that is under
 * way the call is a poll; once it is over it is not.  A call that a person
 * asked to be repeated is a poll, too, unless it failed. */
void traits_update(struct traits *t, enum going state, bool patient,
    bool failed);

/* ---- call_phase.c ---- */

/* The calls of an assistant message: may they run? */
void guard_calls(struct guard *g);

/* Fill v with the rule, limits and counters of a known signature. */
void streak_judge(struct guard *g, const struct traits *t,
    const struct streak *e, struct verdict *v);
/* A hash of its signature and outcome. */
uint64_t streak_outcome_key(const struct streak *e);
/* The same as streak_judge for a tool and an error; block 0: never blocked. */
void error_judge(const struct guard *g, const struct traits *t,
    const struct streak *f, struct verdict *v);

/* ---- result_phase.c ---- */

/* Judge the result of a call. */
void guard_result(struct guard *g, struct open_call *c, const struct rec *r);
/* Emit what is due at the end of the step. */
void guard_step(struct guard *g);

/* An assistant message without calls: is it an answer? */
void guard_answer(struct guard *g, const struct rec *r);

/* ---- outcome.c ---- */

/* How a result compares with the one before it.  ALIKE: equal except for what
 * changes by itself; MASKED: equal except for numbers and ids, which is for
 * warnings only; MEASURED: the same, but the numbers mean something, as they do
 * not just count the calls. */
enum likeness { CHANGED, MEASURED, MASKED, ALIKE, SAME };

struct outcome {
	struct digest d;	/* its gain includes a new error's */
	bool quick;		/* d is the quick digest only */
	bool failed, transient;
	bool cached;		/* its hashes are those of the call it repeats,
				 * if that is known */
	bool complains;		/* a check reports a failure, though its
				 * command did not fail: make | tail */
	bool new_error;		/* failed as nothing did in this turn */
	bool mute;		/* printed nothing but its exit status */
	bool brief;		/* too little text to count as news */
	enum going state;	/* of what is asked about, as it says */
	bool patient;		/* it says so: "still running" */
	bool none;		/* it is empty, or briefly says there is none */
	bool nothing;		/* one line says there is none of what the call
				 * names; its words do not count */
	bool past_end;		/* a read past the end of its file */
	bool shown;		/* a read of lines that were shown before */
	enum { SAME_FILES, NEW_STATE, TWEAKED, OLD_STATE } files;
				/* TWEAKED: new in its numbers alone */
	bool reached;		/* files.last is the state it led to */
	bool back;		/* OLD_STATE for the second time */
	bool matters;		/* such a change makes earlier checks stale */
	bool novel_edit;	/* an edit not made before */
	/* As the rules see it: */
	enum likeness like;
	bool counts;		/* MASKED, and more than ids differs */
	uint64_t done;		/* its progress (volatile_progress), if it is
				 * MASKED or was before */
	bool effect;		/* something new was shown since the last click
				 * of this kind */
	bool other;		/* its call is new in this epoch */
	bool excused;		/* the free repeat after a compaction */
};

/* Read the result of c, whose streak is e (NULL: it is the first), and add what
 * it shows to the sets of g. */
void outcome_read(struct guard *g, const struct open_call *c, struct streak *e,
    const struct rec *r, struct outcome *o);

/* Does the current text report a failure? */
bool outcome_reports_failure(const struct guard *g);
/* Or is it useless for another reason: an error, none of what was asked for? */
bool outcome_is_useless(const struct guard *g);

/* Few outcomes are compared with a different one.  So a call's first outcome
 * gets only the quick digest, and outcome_defer keeps its text (the current
 * one), from which outcome_complete makes the whole digest when needed. */
void outcome_defer(struct guard *g, struct streak *e);
void outcome_complete(struct guard *g, struct streak *e);
