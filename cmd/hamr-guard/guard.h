/* guard.h - the state of one transcript, and what each record does to it.
 *
 * Everything but the pool of open calls is of one turn and forgotten at the
 * next message by a person.  Nothing here grows with the transcript.
 */
#ifndef HAMR_GUARD_GUARD_H
#define HAMR_GUARD_GUARD_H

#include "cycle.h"
#include "hset.h"
#include "msg.h"
#include "say.h"
#include "seen.h"
#include "sig.h"
#include "stage.h"
#include "words.h"

#define LINES_MAX 65536
#define STATES_MAX 8192
#define STALL_IDS 8		/* calls named as evidence of a stall */
#define POINT 6			/* parts of one point of the stall score */

/* What the configuration and the flags say. */
struct policy {
	bool off;		/* -p off, or enabled = false */
	bool allow;		/* -a */
	bool status;		/* -e */
	unsigned long warn, block, halt, fresh_block, poll;
	unsigned long stall_warn, stall_limit, min_gain;
	size_t window;
	const char *const *poll_tools, *const *exempt;
	size_t npoll, nexempt;
};

/* A call that has no result yet, or belongs to the step in hand. */
struct open_call {
	struct about about;
	char *id, *name;	/* JSON texts */
	enum action said;
	bool exempt;
	uint64_t turn;
	unsigned long same;	/* identical ones in this message */
	unsigned long changes;	/* calls before and with it in this step that
				 * may change files */
	unsigned long count;	/* its streak when its result had come */
	bool warn;		/* that is worth a word */
};

/* The step in hand. */
struct step {
	size_t first, left;	/* its calls in the pool; without a result */
	int weight;		/* the largest of its calls, in sixths */
	bool idle, blocked, halted;	/* of its calls */
	bool news;		/* it brought something new */
};

/* The stall score. */
struct stall {
	unsigned long score;	/* in sixths */
	unsigned long steps;	/* steps since something new came */
	bool asked;		/* text was asked for since then */
	bool over;		/* and the stall went on */
	char *id[STALL_IDS];	/* JSON texts, oldest first */
	size_t nid;
};

/* A halt that is in force. */
struct halt {
	bool on;
	enum rule rule;
	unsigned long count;
	char *id;		/* the call it began with, JSON text */
	char *message;
};

struct guard {
	const struct policy *policy;
	struct stage *stage;
	struct sign sign;
	struct buf text;	/* of the message in hand, decoded */
	/* pairing */
	struct pairing pairing;
	struct open_call *call;
	size_t ncall, capcall;
	struct step step;
	/* the turn */
	uint64_t turn;
	uint64_t epoch;
	uint64_t window;	/* compactions so far */
	uint64_t news;		/* how often something new has come */
	struct seen_set seen;
	struct hset lines, states;
	struct cycle cycle;
	struct stall stall;
	struct halt halt;
	unsigned long text_only;	/* messages that are to be text */
	unsigned long nudged_call, nudged_turn;	/* status-only */
};

void guard_init(struct guard *g, struct stage *s, const struct policy *p);
void guard_release(struct guard *g);

/* Is this one of our own products? */
bool guard_is_own(const struct rec *r);
void guard_record(struct guard *g, const struct rec *r);
void guard_reset(struct guard *g);	/* a new transcript */

/* ---- its parts, a file each ---- */

/* calls.c: the calls of an assistant message. */
void guard_calls(struct guard *g, struct slice tool_calls);
/* results.c: a tool message; and the end of a step. */
void guard_result(struct guard *g, const struct rec *r);
/* answers.c: an assistant message without calls. */
void guard_answer(struct guard *g, const struct rec *r);

/* guard.c: the streak of this call is within a cycle: its period and laps go
 * to f and the answer is RULE_CYCLE, else RULE_REPEAT. */
enum rule guard_name_streak(struct guard *g, const struct seen *e,
    struct facts *f);
uint64_t guard_pair(const struct seen *e);	/* signature and outcome */
char *guard_words(enum word w, const struct facts *f);
/* The decoded name of a call; yours. */
char *guard_tool(const struct open_call *c);
void stall_reset(struct stall *s);
/* What a repeat weighs, in sixths: less where it may be repeated more. */
int guard_weight(bool poll, bool transient);
void step_weigh(struct step *s, int weight);

#endif
