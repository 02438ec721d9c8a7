/* say.h - the records hamr-guard writes, with their keys in one order. */
#ifndef HAMR_GUARD_SAY_H
#define HAMR_GUARD_SAY_H

#include "firing.h"
#include "stage.h"

void say_verdict(struct stage *s, const struct verdict *v);
void say_constrain(struct stage *s, enum rule rule, unsigned long steps);

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
