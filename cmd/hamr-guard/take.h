/* take.h - the calls of an assistant message, one after the other, as the
 * rules want them: read from the message, or as they were read ahead.
 */
#ifndef HAMR_GUARD_TAKE_H
#define HAMR_GUARD_TAKE_H

#include <stdbool.h>

#include "msg.h"
#include "policy.h"
#include "sig.h"

/* A call; its slices lie in the record. */
struct taken {
	struct call call;
	struct about about;
	bool exempt;		/* never judged */
};

struct taking {
	const struct policy *policy;
	struct sign *sign;
	struct walk calls;
	struct slice made;	/* what take_ahead made; p NULL: nothing */
	bool alone;		/* the call in hand is the only one */
	bool any;		/* private */
};

/* The decoded name as [loop_guard] tools has it; yours. */
char *take_tool(const struct policy *p, struct slice name);

/* Begin with the calls of a message; made may have none. */
void take_begin(struct taking *t, const struct policy *p, struct sign *s,
    struct slice tool_calls, struct slice made);
/* The next call; its signature is one of this step. */
bool take_next(struct taking *t, struct taken *c);

/* Add to out what take_next then needs of all calls.  s is for this alone; the
 * length of out stays a multiple of 8. */
void take_ahead(const struct policy *p, struct sign *s,
    struct slice tool_calls, struct buf *out);

#endif
