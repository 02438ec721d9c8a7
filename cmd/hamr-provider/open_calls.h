/* open_calls.h - the calls of one message, and what answers them. */
#ifndef PROVIDER_OPEN_CALLS_H
#define PROVIDER_OPEN_CALLS_H

#include "map.h"
#include "msg.h"

struct open_call {
	struct slice id;	/* a JSON string */
	char *made;		/* or that, made up; quoted */
	struct slice result;	/* a whole tool message, or {NULL, 0} */
};

/* Zeroed it is empty. */
struct open_calls {
	struct open_call *v;
	size_t n, cap;
	/* private */
	struct pairing pairing;	/* tags are places in v */
	struct map seen;	/* their ids, when they are many */
};

/* One more, with the id it has (may be {NULL, 0}).  Without one, or with that
 * of another call of the message, it gets one that depends on nothing but
 * message (its number) and the place in it. */
struct open_call *open_calls_add(struct open_calls *o, struct slice id,
    size_t message);

/* The result of the oldest call of this id that has none, if there is one. */
void open_calls_answer(struct open_calls *o, struct slice id,
    struct slice result);

void open_calls_reset(struct open_calls *o);	/* none; keeps memory */
void open_calls_release(struct open_calls *o);

#endif
