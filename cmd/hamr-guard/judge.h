/* judge.h - the rules of a profile that has its own (chapter 3.3).
 *
 * The frame (guard.c, calls.c, results.c, step.c) reads records, signs calls,
 * pairs results, writes verdicts and nudges, and keeps a halt in force; a
 * judge only says what it makes of a call, a result, the end of a step, an
 * answer.  policy.judge NULL: the rules of chapter 3.2, which are not one.
 */
#ifndef HAMR_GUARD_JUDGE_H
#define HAMR_GUARD_JUDGE_H

#include "guard.h"

/* What a judge says; it comes zeroed, ACT_ALLOW.  In the call phase any
 * action; in the others ACT_ALLOW or ACT_WARN. */
struct opinion {
	enum action action;
	enum rule rule;
	unsigned long count, level;
	struct why why;		/* limits and counters, for reports */
	struct ids evidence;	/* released by the frame */
	const char *twin;	/* of a share: JSON text, borrowed */
	char *message;		/* malloc'ed; released by the frame */
	unsigned long text_only;	/* messages that are to be text from
					 * now on: writes a constrain */
};

void opinion_clear(struct opinion *o);

/* A call as a judge sees it. */
struct judged {
	const struct open_call *c;	/* about, id, line, step */
	struct slice tool;	/* decoded name, after [loop_guard] tools */
	struct slice args;	/* text of the arguments, as given */
	struct slice canonical;	/* and in one spelling */
};

struct judge {
	const char *name;
	void *(*make)(const struct policy *p);
	void (*release)(void *self);
	/* A person's message, or a new transcript: forget. */
	void (*turn)(void *self);
	/* All that follow may be NULL. */
	void (*recover)(void *self);
	void (*compacted)(void *self);
	void (*begin)(void *self);	/* a message with calls comes */
	void (*call)(void *self, const struct judged *j, struct opinion *o);
	/* Not asked for refused and shared calls. */
	void (*result)(void *self, const struct open_call *c,
	    const struct outcome *out, struct opinion *o);
	/* All results of the step are in; the verdict is on its last call. */
	void (*step)(void *self, struct opinion *o);
	void (*answer)(void *self, struct slice text, struct opinion *o);
};

/* The judge of that name; NULL: it is none (profiles.c). */
const struct judge *judge_of(const char *profile);

#endif
