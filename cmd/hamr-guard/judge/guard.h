/* guard.h - is a transcript still getting anywhere?  The rules of chapter 3.2.
 *
 * Nearly all of the state belongs to one turn, and is forgotten when a person
 * writes the next message.  None of it grows with the transcript.
 */
#pragma once

#include "text/digest.h"
#include "file_states.h"
#include "policy.h"
#include "prose/asks.h"
#include "record/msg.h"
#include "sign/signature.h"
#include "streaks.h"
#include "verdict.h"

#define POINT 6			/* parts of one point of the stall score */
#define WARNS_MAX 5		/* rules that may warn about one result */
#define NUDGES_CALL 3		/* answers refused since the last call */
#define PLAN 2			/* the score from which a text is a plan */
#define MONOLOGUE 3
#define CALLED_MAX 1024		/* calls known by their ids */
#define FUTILE_TEXT 3		/* times futile_edit_warn: text is asked for */
#define FAULT_TIMES 2		/* and for one failure of several checks */

/* A call that has no result yet, or belongs to the current step. */
struct open_call {
	struct traits is;
	char *id, *name;	/* JSON; id's memory holds name and tool */
	char *tool;		/* its decoded name, after [loop_guard] tools */
	size_t line;		/* of its message */
	unsigned step;		/* in its turn */
	enum action action;	/* of its verdict */
	uint64_t turn;
	struct seen *seen;	/* what another system's rules know of it */
	/* For our rules: */
	bool exempt;
	unsigned long same;	/* identical calls in this message */
	unsigned long changes;	/* calls up to this one in the step that may
				 * change files */
	struct due {		/* warnings due at the end of its step */
		enum rule rule;
		unsigned long count;
		uint64_t about;	/* the file's state, the error, the answer;
				 * 0: the call */
	} due[WARNS_MAX];
	size_t ndue;
};

struct guard;

/* The rules that judge: ours, or another system's. */
struct rules {
	/* A message's calls came; they are the current step. */
	void (*calls)(struct guard *g);
	/* One of these was read; args are decoded (p NULL: not JSON).  May be
	 * NULL. */
	void (*taken)(struct guard *g, struct open_call *c, struct slice args);
	/* The result of a call of this turn that ran. */
	void (*result)(struct guard *g, struct open_call *c,
	    const struct rec *r);
	/* All results of the step have come. */
	void (*step)(struct guard *g);
	/* A message without calls.  May be NULL. */
	void (*answer)(struct guard *g, const struct rec *r);
	/* Any other record, and a person's message after the turn has begun. */
	void (*record)(struct guard *g, const struct rec *r);
	/* A turn begins: what came before is no longer evidence. */
	void (*turn)(struct guard *g);
	void (*forget)(struct seen *s);	/* may be NULL */
};
extern const struct rules guard_rules;	/* ours */

struct guard {
	const struct rules *rules;
	void *self;		/* another system's state */
	const struct policy *policy;
	struct sink sink;
	struct signer signer;
	struct buf text;	/* of the current message, decoded */
	struct buf scratch[2];
	size_t line;		/* of the current record */
	/* pairing */
	struct pairing pairing;
	struct open_call *call;
	size_t ncall, capcall;
	struct step {		/* the current step */
		size_t first, left;	/* its calls; without a result */
		int weight;	/* the largest of its calls, in sixths */
		bool idle;	/* one of its calls cannot tell anything new */
		bool sweep;	/* one reads what was shown, or past an end */
		bool polls;	/* all wait for something yet to come */
		bool spared;	/* all that weighs is a first repeat, or one
				 * more thing of a kind that is being made */
		bool blocked, halted;
		bool news;	/* it brought something new */
		bool shown;	/* ... or at least a little */
		bool changed;	/* it changed a file */
		bool stuck;	/* one of its calls is at stuck_at_cap */
		unsigned long futile;	/* edits that did not help, if text
					 * is due for them */
	} step;
	/* ---- of the transcript ---- */
	bool contract;		/* agent.contract says files must change */
	bool patch;		/* agent.mode, if it is known */
	bool few_reads;		/* the window is small ... */
	bool small;		/* ... as configured */
	struct answers {	/* about answers, besides their words */
		unsigned long nudged_call, nudged_turn;
		uint64_t text;	/* hash of the last one without calls */
		unsigned same;	/* how often it came in a row */
		enum { NEVER, BEFORE_CHANGE, AFTER_CHANGE } ran;
				/* when something ran that may prove the last
				 * change; survives turns */
		bool compacted;	/* none was given since a compaction */
	} answers;
	struct buf kept;	/* texts that streaks rest on */
	/* ---- of the turn ---- */
	/* The signatures of its last calls by their ids, for results that only
	 * name the call they repeat.  Direct-mapped: a newer id may push out
	 * an older one. */
	struct called {
		uint64_t id;		/* hashed with turns */
		struct sig sig;
	} called[CALLED_MAX];
	uint64_t turns;			/* so far, over all transcripts */
	uint64_t turn;
	uint64_t epoch;
	uint64_t window;	/* compactions so far */
	uint64_t news;		/* how often something new has come */
	uint64_t shown_new;	/* ... or anything new, however short */
	uint64_t passed;	/* how often something that ran did not fail */
	uint64_t thought;	/* traits.thought of the last such call */
	uint64_t ran;		/* new calls that did more than ask */
	uint64_t acted;		/* calls known to have done something new */
	uint64_t made;		/* hash of what was last made or changed,
				 * without its numbers */
	unsigned steps;		/* steps with calls */
	unsigned long calls, reads;	/* those that ran */
	unsigned long still;	/* steps without a change of a file */
	bool task;		/* meta.contract says that files must change */
	enum asks asks;		/* what the person's message asks for ... */
	unsigned long often;	/* ... and how often */
	struct buf person;	/* that message, or the answer that it approves
				 * of */
	struct buf errand;	/* the same, or the message before, if this one
				 * only replies to a question */
	struct buf said;	/* the last answer, if it may be a plan */
	bool calls_asked;
	struct streaks seen;	/* by signature */
	struct streaks faults;	/* of a tool and an error, in this epoch */
	struct streaks same;	/* of a tool and a short answer, likewise */
	struct streaks states;	/* of a file's state: the call that first led
				 * to it, or left it */
	struct hash_set lines, answered;
	struct hash_set errors;	/* those of one call since it passed, too */
	struct file_states files;
	struct cycle cycle;
	struct stall {
		unsigned long score;	/* in sixths */
		unsigned long steps;	/* steps since something new came */
		unsigned long empty;	/* ... anything new, however short */
		uint64_t gain;		/* what came, too little at once */
		unsigned long others;	/* of the score, by steps not spared */
		unsigned sweeps;	/* steps of it that only read again */
		unsigned polls;		/* steps of it that only polled */
		bool told;	/* it was warned of repeats, or of this */
		bool asked;	/* text was asked for since */
		bool over;	/* ... and the stall went on */
		struct call_row calls;
	} stall;
	struct halt {		/* the one in force */
		bool on;
		struct verdict v;
		struct call_ref call;	/* the call it began with */
		char *message;
	} halt;
	struct call_row last;	/* one call of each of the last steps */
	unsigned stuck;		/* the largest streak of this epoch */
	bool waited, planned;	/* the last step did nothing else */
	unsigned long text_only;	/* messages that must be text only */
	enum rule text_rule;	/* the rule that asked for it */
	unsigned long text_count;
};

void guard_init(struct guard *g, const struct rules *rules,
    const struct sink *v, const struct policy *p);
void guard_release(struct guard *g);

/* Did the guard itself produce this record? */
bool guard_is_own(const struct rec *r);
/* Judge any other record. */
void guard_record(struct guard *g, const struct rec *r);
void guard_reset(struct guard *g);	/* a new transcript */

/* ---- for rules ---- */

/* A turn begins, whichever record said so. */
void guard_turn(struct guard *g);
/* Emit a verdict on a call (NULL: on an answer). */
void guard_put(struct guard *g, const struct open_call *c,
    struct verdict *v);
/* Emit a verdict on a call that just came, and note it as that call's. */
void guard_put_call(struct guard *g, struct open_call *c, struct verdict *v);
/* Put the halt v on c in force for all later calls of the turn. */
void guard_halt(struct guard *g, const struct open_call *c,
    const struct verdict *v);
/* Emit the verdict on such a later call. */
void guard_put_halted(struct guard *g, struct open_call *c);
