/* firing.h - one thing the guard said, with everything it rests on.
 *
 * A verdict is what goes into the record; the rest stays in the process, for
 * a report, an explanation, a calibration.  Strings and arrays are borrowed
 * for the time of the call.
 */
#ifndef HAMR_GUARD_FIRING_H
#define HAMR_GUARD_FIRING_H

#include <stdbool.h>
#include <stddef.h>

enum action { ACT_NONE, ACT_ALLOW, ACT_SHARE, ACT_WARN, ACT_BLOCK, ACT_HALT };
enum phase { PHASE_CALL, PHASE_RESULT, PHASE_TEXT };

/* In the order of the table of chapter 3.2; nudges name them in it. */
enum rule {
	RULE_REPEAT, RULE_REPEAT_WEAK, RULE_SAME_ANSWER, RULE_RETRY, RULE_SAME_ERROR, RULE_CYCLE,
	RULE_STALL, RULE_PLACEHOLDER, RULE_FUTILE_EDITS, RULE_REVISIT,
	RULE_SWEEP, RULE_NO_MUTATION, RULE_READS, RULE_CALLS, RULE_BATCH,
	RULE_PLAN_PROSE, RULE_STATUS_ONLY, RULE_PREMATURE, RULE_MONOLOGUE,
	RULES
};

const char *rule_name(enum rule r);
const char *action_name(enum action a);
const char *phase_name(enum phase p);

struct verdict {
	const char *call_id, *name;	/* JSON texts; NULL: no call */
	enum action action;
	enum phase phase;
	enum rule rule;
	unsigned long count;
	const char *signature;
	char *const *evidence;		/* ids of calls, JSON texts */
	size_t nevidence;
	const char *twin;		/* JSON text; NULL: none */
	unsigned long level;		/* 0: none */
	bool leveled;			/* 0 is a level too */
	const char *message;		/* NULL: none */
};

/* Why it was said.  A limit of 0 is one that the rule does not have. */
struct why {
	unsigned long warn, block, halt;	/* limits in force */
	bool gated;		/* block and halt put off: something new came
				 * since the model was last told */
	bool poll, transient;	/* limits multiplied for this */
	unsigned long same;	/* calls with this outcome in this epoch */
	unsigned long refused;	/* of this signature, since then */
	unsigned long epoch;	/* progress so far in this turn */
	unsigned long steps;	/* since something new came */
	unsigned long score;	/* of the stall rule, in sixths of a point */
	unsigned long period, laps;	/* of a cycle, else 0 */
	const size_t *line;	/* of the evidence: where those calls stand */
};

struct firing {
	const struct verdict *v;
	const struct why *why;
	size_t line;		/* the record that the verdict follows */
	size_t call_line;	/* the message with the call; 0: no call */
	unsigned long turn;	/* which of the transcript, from 0 */
};

/* Who wants to know; all of them may be NULL. */
struct watch {
	void *self;
	/* A verdict, also one "allow" under -a. */
	void (*fired)(void *self, const struct firing *f);
	/* A rule's counter has come to this value (whether it fired or not):
	 * so each threshold can be tried. */
	void (*counted)(void *self, enum rule r, unsigned long value,
	    size_t line);
	/* The next message is to be text only. */
	void (*constrained)(void *self, enum rule r, size_t line);
};

#endif
