/* calls.h - tool calls put together from the deltas of a stream.
 *
 * A delta belongs to the call with its index, else with its id, else begins a
 * new call if it brings a new name, else goes to the last open call.  One that
 * brings nothing begins no call.
 */
#ifndef PROVIDER_CALLS_H
#define PROVIDER_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "ids.h"
#include "json.h"
#include "map.h"

struct part {
	struct buf index;	/* the JSON text of "index", or empty */
	struct buf id, name;	/* decoded */
	struct buf args;	/* all pieces one after the other */
	struct buf carry;	/* JSON that must go back with it, or empty */
	struct buf extra;	/* the same, as Gemini's chat API has it */
	size_t last;		/* where the last piece begins */
};

struct calls {
	struct part *v;
	size_t n, cap;
	/* private: the newest call of an index, of an id; its place + 1 */
	struct map by_index, by_id;
};

void calls_reset(struct calls *c);		/* and gives memory back */

/* Merge one element of tool_calls (checked JSON).  fresh, if not NULL, gets
 * what is new of it to look at: the name, or arguments. */
void calls_merge(struct calls *c, struct slice element, struct buf *fresh);

/* A call that is whole: an element of a message, or found in a text. */
void calls_take(struct calls *c, struct slice element);
void calls_add(struct calls *c, struct slice name, struct slice args);

/* Append the arguments of a call as one text.  True when that is valid JSON;
 * what is empty or null is {}. */
bool calls_args(const struct part *p, struct buf *out);

/* Add all calls to list as elements of tool_calls, with ids that are neither
 * in seen nor in fresh (ids.h); those whose arguments are no JSON are named
 * in malformed.  carry: elements that go with the first one. */
void calls_json(const struct calls *c, const struct ids *seen,
    struct ids *fresh, struct slice carry, struct json *list,
    struct json *malformed);

#endif
