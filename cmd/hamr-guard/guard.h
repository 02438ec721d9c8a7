/* guard.h - the state of one transcript, and what each record does to it.
 *
 * Nearly all of it is of one turn and forgotten at the next message by a
 * person.  Nothing here grows with the transcript.
 */
#ifndef HAMR_GUARD_GUARD_H
#define HAMR_GUARD_GUARD_H

#include "conf.h"
#include "cycle.h"
#include "files.h"
#include "firing.h"
#include "hset.h"
#include "ids.h"
#include "msg.h"
#include "outcome.h"
#include "policy.h"
#include "say.h"
#include "seen.h"
#include "shown.h"
#include "sig.h"
#include "stage.h"
#include "words.h"


#define LINES_MAX 65536
#define ERRORS_MAX 4096
#define POINT 6			/* parts of one point of the stall score */
#define WARNS_MAX 5		/* rules that may speak of one result */
#define READS_AGAIN 8		/* reads from one warning to the next */

/* What few records lead to is kept apart from what nearly all do, or the
 * processor's memory for code is too small for both. */
#define COLD __attribute__((cold, noinline))

/* What is to be said of a result when its step is over. */
struct word_due {
	enum rule rule;
	unsigned long count;
	uint64_t about;		/* the state of a file, the error, the answer */
};

/* A call that has no result yet, or belongs to the step in hand. */
struct open_call {
	struct about about;
	char *id, *name;	/* JSON texts */
	size_t line;		/* of its message */
	unsigned step;		/* in its turn */
	enum action said;
	bool exempt;
	uint64_t turn;
	unsigned long same;	/* identical ones in this message */
	unsigned long changes;	/* calls before and with it in this step that
				 * may change files */
	struct word_due due[WARNS_MAX];
	size_t ndue;
};

/* The step in hand. */
struct step {
	size_t first, left;	/* its calls in the pool; without a result */
	int weight;		/* the largest of its calls, in sixths */
	bool idle, sweep;	/* of its calls, one cannot inform; reads what
				 * was shown, or past an end */
	bool blocked, halted;
	bool news;		/* it brought something new */
	bool changed;		/* or changed a file */
	bool stuck;		/* of its calls, one is at stuck_at_cap */
	unsigned long futile;	/* edits that did not help: text is due */
};

/* The stall score. */
struct stall {
	unsigned long score;	/* in sixths */
	unsigned long steps;	/* steps since something new came */
	unsigned sweeps;	/* steps of its score that only read again */
	bool asked;		/* text was asked for since then */
	bool over;		/* and the stall went on */
	struct ids ids;
};

/* A halt that is in force. */
struct halt {
	bool on;
	enum rule rule;
	unsigned long count;
	char *id;		/* the call it began with, JSON text */
	size_t line;
	char *message;
};

/* What an answer is judged by, besides its words. */
struct answers {
	unsigned long nudged_call, nudged_turn;
	uint64_t text;		/* hash of the last one without calls */
	unsigned same;		/* how often in a row */
	bool ran;		/* something was run since the last change;
				 * survives turns */
	bool compacted;		/* none was given since a compaction */
};

struct guard {
	const struct policy *policy;
	struct stage *stage;
	struct watch watch;
	struct sign sign;
	struct buf text;	/* of the message in hand, decoded */
	struct buf joined;	/* and of several parts, spelled as JSON */
	struct buf scratch[2];
	size_t line;		/* of the record in hand */
	/* pairing */
	struct pairing pairing;
	struct open_call *call;
	size_t ncall, capcall;
	struct step step;
	/* of the transcript */
	bool contract;		/* agent.contract says: files are to change */
	bool few_reads;		/* the window is small */
	bool few_first;		/* ... and what that is at the beginning */
	struct answers answers;
	struct memory memory;	/* outcomes by the id of the call */
	/* the turn */
	uint64_t turn;
	uint64_t epoch;
	uint64_t window;	/* compactions so far */
	uint64_t news;		/* how often something new has come */
	unsigned steps;		/* with calls */
	unsigned long calls, reads;	/* that ran */
	unsigned long still;	/* steps without a change of a file */
	bool task;		/* meta.contract says they are to change */
	bool calls_asked;
	struct seen_set seen;
	struct seen_set faults;	/* of a tool and an error, in this epoch */
	struct seen_set same;	/* of a tool and a short answer, ditto */
	struct hset lines, errors, answered;
	struct shown shown;
	struct files files;
	struct cycle cycle;
	struct stall stall;
	struct halt halt;
	struct ids last;	/* a call of each of the last steps */
	unsigned stuck;		/* the largest streak of this epoch */
	unsigned long text_only;	/* messages that are to be text */
	enum rule text_rule;	/* that asked for it */
	unsigned long text_count;
};

void guard_init(struct guard *g, struct stage *s, const struct policy *p,
    const struct watch *w);
void guard_release(struct guard *g);

/* Is this one of our own products? */
bool guard_is_own(const struct rec *r);
void guard_record(struct guard *g, const struct rec *r);
void guard_reset(struct guard *g);	/* a new transcript */

/* ---- its parts, a file each ---- */

/* calls.c: the calls of an assistant message. */
void guard_calls(struct guard *g, struct slice tool_calls);
/* results.c: a tool message. */
void guard_result(struct guard *g, const struct rec *r);
/* step.c: the last result of a step has come. */
void step_end(struct guard *g);
/* answers.c: an assistant message without calls. */
void guard_answer(struct guard *g, const struct rec *r);
/* turn.c: what begins again. */
void turn_begin(struct guard *g);
void turn_task(struct guard *g, const struct rec *r);	/* by a person */
void turn_recover(struct guard *g);
void turn_epoch(struct guard *g);	/* progress */
void turn_undo(struct guard *g, const struct rec *r);
/* agent.contract, from a config record; NULL: from the policy alone. */
void turn_contract(struct guard *g, const struct rec *r);
/* The window, from a limit record; NULL: from the policy alone. */
void turn_limit(struct guard *g, const struct rec *r);
/* Reads allowed in a turn before a warning, or at most; 0: no limit. */
unsigned long guard_reads(const struct guard *g, bool most);

/* tell.c: a verdict goes out, and to who watches. */
void tell(struct guard *g, const struct open_call *c, struct verdict *v,
    struct why *w);
void tell_count(const struct guard *g, enum rule r, unsigned long value);

/* streak.c: what the rules make of a signature that is known. */
struct limits {
	unsigned long warn, block, halt;
	bool gated;
};
struct limits streak_limits(const struct guard *g, const struct about *a,
    const struct seen *e);
/* repeat, retry or cycle; its period and laps go to f. */
enum rule streak_rule(struct guard *g, const struct seen *e,
    struct facts *f);
uint64_t streak_pair(const struct seen *e);	/* signature and outcome */
void streak_why(const struct guard *g, const struct about *a,
    const struct seen *e, struct why *w);

/* A tool's errors in this epoch: the one met most often, by other calls than
 * one; NULL if there is none. */
struct seen *fault_worst(struct guard *g, const struct about *a);
/* The limits of same-error for a call; block 0: never. */
struct limits fault_limits(const struct guard *g, const struct about *a,
    const struct seen *f);

/* A streak of n calls: does it count as stuck? */
void guard_stuck(struct guard *g, unsigned n, bool poll);

char *guard_words(enum word w, const struct facts *f);
void stall_reset(struct stall *s);
/* What a repeat weighs, in sixths: less where it may be repeated more. */
int guard_weight(bool poll, bool transient);
void step_weigh(struct step *s, int weight);
void call_due(struct open_call *c, enum rule r, unsigned long count,
    uint64_t about);
void halt_lift(struct halt *h);

#endif
