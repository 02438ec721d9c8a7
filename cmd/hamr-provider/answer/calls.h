/* calls.h - tool calls put together from the deltas of a stream, and their ids.
 *
 * A delta belongs to the call with its index, else with its id, else begins a
 * new call if it brings a new name, else goes to the last open call.  One that
 * brings nothing begins no call.  A name may come in pieces before the
 * arguments.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"

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

/* What a delta says of a call: JSON values, {NULL, 0} where nothing. */
struct call_delta {
	struct slice index, id, name, args, carry, extra;
};

/* That of an element of tool_calls (checked JSON). */
struct call_delta call_delta(struct slice element);

/* Merge a delta.  fresh gets what is new of the call to look at: the name, or
 * arguments. */
void calls_merge(struct calls *c, const struct call_delta *d,
    struct buf *fresh);

/* A call that is whole, found in a text. */
void calls_add(struct calls *c, struct slice name, struct slice args);

/* Append all calls as elements of tool_calls, behind its [, with ids made by
 * ids_make; the ids of those whose arguments are not JSON go to malformed, with
 * commas.  carry: elements that go with the first one. */
void calls_put(const struct calls *c, const struct map *seen,
    struct map *fresh, struct slice carry, struct buf *out,
    struct buf *malformed);

/* ---- ids: never empty, never twice in one transcript ---- */

/* Put into seen the ids of a tool_calls value; of the messages of an array, but
 * those in its first bytes that are known. */
void ids_note(struct map *seen, struct slice tool_calls);
void ids_note_all(struct map *seen, struct slice messages, size_t known);

/* Append to out an id like wanted (decoded, may be empty) that is neither in
 * seen nor in fresh, and put it into fresh: the ids of the answer in hand,
 * which count only when its record is read. */
void ids_make(const struct map *seen, struct map *fresh, struct slice wanted,
    struct buf *out);

/* Append checked JSON; if it has line ends, without the blanks between its
 * tokens: so it can stand in a record. */
void one_line(struct slice json, struct buf *out);
