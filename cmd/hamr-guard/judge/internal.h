/* internal.h - what the phases of the guard share. */
#pragma once

#include "advice.h"
#include "guard.h"

#define CALLS_MAX 16		/* that a verdict rests on */

/* ---- guard.c ---- */

void guard_epoch(struct guard *g);	/* progress */
void stall_reset(struct stall *s);

/* Reads allowed in a turn before a warning, or at most; 0: no limit. */
unsigned long guard_reads(const struct guard *g, bool most);

/* One more call of a row. */
void note_call(struct call_row *row, const struct open_call *c);

void guard_count(const struct guard *g, enum rule r, unsigned long value);

/* What a repeat weighs, in sixths: less for calls that may be repeated more. */
int repeat_weight(bool poll, bool transient);
/* By what factor may a call be repeated more often than others?  A poll by
 * poll_multiplier; one that pauses, or is told that the thing still goes on,
 * by more, unless it failed. */
unsigned long guard_times(const struct guard *g, const struct traits *t,
    bool failed);
/* The step weighs at least this much.  spared: such calls may be right, and do
 * not by themselves make us ask for text. */
void step_weigh(struct step *s, int weight, bool spared);

/* Does a streak of n calls count as stuck, if they may be repeated `times`
 * times as often as others? */
void guard_stuck(struct guard *g, unsigned long n, unsigned long times);

/* An answer told the state of what a call asks for: the call is a poll while
 * that goes on, and not once it is over.  So is one that a person asks to be
 * repeated, unless it failed. */
void traits_learn(struct traits *t, enum going state, bool patient,
    bool failed);

/* ---- call_phase.c ---- */

/* The calls of an assistant message: may they run? */
void guard_calls(struct guard *g);

/* Rule, limits and counters of a known signature go into v. */
void streak_judge(struct guard *g, const struct traits *t,
    const struct streak *e, struct verdict *v);
uint64_t streak_pair(const struct streak *e);	/* signature and outcome */
/* And those of a tool and an error; block 0: never. */
void fault_judge(const struct guard *g, const struct traits *t,
    const struct streak *f, struct verdict *v);

/* ---- result_phase.c ---- */

/* Judge the result of a call. */
void guard_result(struct guard *g, struct open_call *c, const struct rec *r);
/* Emit what is due at the end of the step. */
void guard_step(struct guard *g);

/* An assistant message without calls: is it an answer? */
void guard_answer(struct guard *g, const struct rec *r);

/* ---- outcome.c ---- */

/* A result and the one before it.  ALIKE: equal but for what changes by itself;
 * MASKED: equal but for numbers and ids, for warnings only; MEASURED: the same,
 * but the numbers say something, as they do not just count the calls. */
enum likeness { CHANGED, MEASURED, MASKED, ALIKE, SAME };

struct outcome {
	struct digest d;	/* gain: also of a new error */
	bool quick;		/* d is so */
	bool failed, transient;
	bool cached;		/* the hashes are those of the call it repeats,
				 * if that is known */
	bool complains;		/* a check reports a failure, though its
				 * command did not fail: make | tail */
	bool new_error;		/* failed as nothing did in this turn */
	bool mute;		/* printed nothing, or its exit status only */
	bool brief;		/* less text than what counts as news */
	enum going state;	/* of what is asked for, as it says */
	bool patient;		/* under way, in so many words */
	bool none;		/* a short one that there is none, or no text */
	bool nothing;		/* a line that there is none of what the call
				 * names: its words do not count */
	bool past_end;		/* a read behind the end of its file */
	bool shown;		/* a read of lines that were shown */
	enum { SAME_FILES, NEW_STATE, TWEAKED, OLD_STATE } files;
				/* TWEAKED: a new one but for numbers */
	bool reached;		/* and files.last is that state */
	bool back;		/* OLD_STATE, for the second time */
	bool matters;		/* such a change makes checks stale */
	bool novel_edit;	/* an edit that was not made before */
	/* and as the rules see it: */
	enum likeness like;
	bool counts;		/* MASKED, and not only the ids differ */
	uint64_t done;		/* how far it is (volatile_progress), if it is
				 * MASKED or was */
	bool effect;		/* since the last click of this kind something
				 * new was shown */
	bool other;		/* of a call that is new in this epoch */
	bool excused;		/* the free repeat after a compaction */
};

/* Read the result of c, whose streak is e (NULL: it is the first); the sets of
 * g take in what it shows. */
void outcome_read(struct guard *g, const struct open_call *c, struct streak *e,
    const struct rec *r, struct outcome *o);

/* Does the current text report a failure?  Or is it of no use for another
 * reason: an error, none of what was asked for? */
bool outcome_complains(const struct guard *g);
bool outcome_is_vain(const struct guard *g);

/* Few outcomes are compared with a different one, so for a call's first outcome
 * we only make the quick digest, and outcome_keep keeps its text, which is the
 * current one.  outcome_rest makes the rest. */
void outcome_keep(struct guard *g, struct streak *e);
void outcome_rest(struct guard *g, struct streak *e);
