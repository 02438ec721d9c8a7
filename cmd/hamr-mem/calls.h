/* calls.h - what calls told that their results do not. */
#ifndef MEM_CALLS_H
#define MEM_CALLS_H

#include "map.h"
#include "rec.h"
#include "redact.h"
#include "when.h"

struct told {
	char *name, *path;	/* NULL: not told */
	int64_t time;
};

struct calls {
	struct map by_id;	/* to index + 1 */
	struct told *v;
	size_t n, cap;
};

void calls_release(struct calls *c);
/* From an assistant message, and from a start. */
void calls_learn(struct calls *c, const struct redact *redact,
    const struct rec *r);
void calls_start(struct calls *c, const struct rec *r);
/* Of the call with this id (a JSON value), or NULL. */
struct told *calls_find(struct calls *c, struct slice id);

#endif
