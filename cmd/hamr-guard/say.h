/* say.h - the records hamr-guard writes, with their keys in one order. */
#ifndef HAMR_GUARD_SAY_H
#define HAMR_GUARD_SAY_H

#include "stage.h"

enum action { ACT_NONE, ACT_ALLOW, ACT_SHARE, ACT_WARN, ACT_BLOCK, ACT_HALT };
enum phase { PHASE_CALL, PHASE_RESULT, PHASE_TEXT };
enum rule { RULE_REPEAT, RULE_CYCLE, RULE_STALL, RULE_BATCH, RULE_STATUS_ONLY,
	RULES };

const char *rule_name(enum rule r);

/* A verdict.  Ids and name are JSON texts, NULL when there is no call. */
struct verdict {
	const char *call_id, *name;
	enum action action;
	enum phase phase;
	enum rule rule;
	unsigned long count;
	const char *signature;
	char *const *evidence;	/* JSON texts */
	size_t nevidence;
	const char *twin;	/* JSON text, NULL: none */
	const char *message;	/* NULL: none */
};

void say_verdict(struct stage *s, const struct verdict *v);
void say_constrain(struct stage *s, enum rule rule);

/* The one nudge of a step: messages joined, the rules they come from. */
struct nudge {
	struct buf text;
	bool by[RULES];
	size_t n;
};

void nudge_add(struct nudge *g, enum rule rule, const char *message);
/* Write it if there is anything to say; it is empty then. */
void nudge_say(struct nudge *g, struct stage *s);

#endif
