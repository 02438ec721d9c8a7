/* verdict.h - a verdict, with the evidence for it.
 *
 * The first part is written as a record; the rest stays in the process, for
 * reports.  Strings and arrays are borrowed for the duration of the call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/stage.h"

/* The last calls of a row, oldest first: what a verdict rests on.  Zero it,
 * clear it. */
struct call_ref {
	char *id;		/* JSON text */
	size_t line;		/* where the call stands */
	unsigned step;		/* its step in the turn, from 1 */
	uint64_t hash;		/* of the call; set by the caller, like note */
	char *note;		/* a remark about the call, or NULL */
};

#define ID_MAX 256		/* longer ids are not evidence */

struct call_row {
	struct call_ref *c;
	size_t n, cap;
};

/* Add a call; at most the last max are kept. */
struct call_ref *call_row_add(struct call_row *r, size_t max, const char *id,
    size_t line);
void call_row_clear(struct call_row *r);

enum action { ACT_NONE, ACT_ALLOW, ACT_SHARE, ACT_WARN, ACT_BLOCK, ACT_HALT };
enum phase { PHASE_CALL, PHASE_RESULT, PHASE_TEXT };

/* In the order of the table of chapter 3.2; nudges name them in it.  Its
 * placeholder and sweep speak through stall. */
enum rule {
	RULE_REPEAT, RULE_REPEAT_WEAK, RULE_SAME_ANSWER, RULE_RETRY,
	RULE_SAME_ERROR, RULE_CYCLE, RULE_STALL, RULE_FUTILE_EDITS,
	RULE_REVISIT, RULE_NO_MUTATION, RULE_READS, RULE_CALLS, RULE_BATCH,
	RULE_PLAN_PROSE, RULE_STATUS_ONLY, RULE_PREMATURE, RULE_MONOLOGUE,
	RULES
};

extern const char *const rule_names[RULES];
extern const char *const action_names[];

/* Does this result say that its call did not run? */
bool result_is_refusal(const struct rec *r);

struct verdict {
	const char *call_id, *name;	/* JSON texts; NULL: no call */
	enum action action;
	enum phase phase;
	enum rule rule;
	unsigned long count;
	const char *signature;
	const struct call_ref *evidence;
	size_t nevidence;
	const char *twin;		/* JSON text; NULL: none */
	unsigned long level;		/* 0: none */
	bool note;			/* of level 0: less than a warning */
	const char *message;		/* NULL: none */

	/* Why it was said.  A limit of 0 is one that the rule does not have. */
	unsigned long warn, block, halt;	/* limits in force */
	bool gated;		/* block and halt are put off, as something new
				 * came since the model was last told */
	bool poll, transient;	/* limits multiplied for this */
	bool late;		/* block and halt are multiplied, as the repeat
				 * may be right (traits.late) */
	bool text;		/* the message had to be text only */
	unsigned long same;	/* calls with this outcome in this epoch */
	unsigned long refused;	/* refusals of this signature since */
	unsigned long epoch;	/* how often this turn made progress */
	unsigned long steps;	/* since anything new came, however short */
	unsigned long span;	/* since something new of some length came */
	unsigned long score;	/* of the stall rule, in sixths of a point */
	unsigned long period, laps;	/* of a cycle, else 0 */
	size_t line;		/* the record that the verdict follows */
	size_t call_line;	/* the message with the call; 0: no call */
};

/* Callbacks for an observer. */
struct watch {
	void *self;
	/* A verdict, also one "allow" under -a. */
	void (*fired)(void *self, const struct verdict *v);
	/* A rule's counter has reached this value, whether or not the rule
	 * fired, so that any threshold can be tried. */
	void (*counted)(void *self, enum rule r, unsigned long value,
	    size_t line);
	/* The next message must be text only. */
	void (*constrained)(void *self, enum rule r, size_t line);
};

/* Where verdicts go. */
struct sink {
	struct stage *stage;
	const struct watch *watch;	/* NULL: nobody */
	bool allow;		/* -a: also one for each allowed call */
	bool status;		/* -e: a refusal decides the exit status */
};

void sink_put(const struct sink *o, const struct verdict *v);
/* The next `steps` messages must be text only. */
void sink_constrain(const struct sink *o, enum rule r, unsigned long steps,
    size_t line);

/* The one nudge of a step: messages joined, the rules they come from. */
struct nudge {
	struct buf text;
	bool by[RULES];
	size_t n;		/* verdicts */
	size_t more;		/* of these, those like one that has words */
	bool only;		/* nothing else may be said */
};

/* Add what a verdict says.  only: it asks for text, so what others say of calls
 * is left out. */
void nudge_add(struct nudge *g, const struct verdict *v, bool only);
/* Write it if there is anything to say, and empty it. */
void nudge_put(struct nudge *g, struct stage *s);
