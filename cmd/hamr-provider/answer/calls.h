/* calls.h - tool calls assembled from the deltas of a stream, and their ids.
 *
 * A delta belongs to the call with its index, else with its id, else begins a
 * new call if it has a new name, else goes to the last open call.  An empty
 * delta does not begin a call.  A name may arrive in pieces before the
 * arguments.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"

struct part {
	struct buf index;	/* the JSON text of "index", or empty */
	struct buf id, name;	/* decoded */
	struct buf args;	/* all pieces, concatenated */
	struct buf carry;	/* JSON to send back with it, or empty */
	struct buf extra;	/* the same, in the form of Gemini's chat API */
	size_t last;		/* where the last piece begins */
};

struct calls {
	struct part *v;
	size_t n, cap;
	/* private: the newest call of an index, of an id; its place + 1 */
	struct map by_index, by_id;
};

void calls_reset(struct calls *c);		/* and frees its memory */

/* What a delta says about a call: JSON values, {NULL, 0} where absent. */
struct call_delta {
	struct slice index, id, name, args, carry, extra;
};

/* Make one from an element of tool_calls (checked JSON), borrowed. */
struct call_delta call_delta(struct slice element);

/* Merge a delta.  fresh gets the new visible part of the call: its name, or
 * arguments. */
void calls_merge(struct calls *c, const struct call_delta *d,
    struct buf *fresh);

/* Add a complete call that was found in a text. */
void calls_add(struct calls *c, struct slice name, struct slice args);

/* No deltas follow: put the calls in the order of their indexes, if each has
 * one of its own. */
void calls_sort(struct calls *c);

/* Move elements to the list that the newest call, if there is one, carries. */
void calls_carry(struct calls *c, struct buf *elements);

/* Append all calls as elements of tool_calls, whose [ is written already, with
 * ids from ids_make; the ids of calls whose arguments are not JSON are appended
 * to malformed, separated by commas. */
void calls_put(const struct calls *c, const struct map *seen,
    struct map *fresh, struct buf *out, struct buf *malformed);

/* ---- ids: never empty, never twice in one transcript ---- */

/* Add to seen the ids of a tool_calls value, or of an array of messages except
 * those within its first `known` bytes. */
void ids_note(struct map *seen, struct slice tool_calls);
void ids_note_all(struct map *seen, struct slice messages, size_t known);

/* Append to out an id like wanted (decoded, may be empty) that is neither in
 * seen nor in fresh, and put it into fresh: the ids of the current answer,
 * which count only when its record is read. */
void ids_make(const struct map *seen, struct map *fresh, struct slice wanted,
    struct buf *out);

/* Append checked JSON; if it has line ends, drop the white space between its
 * tokens, so that it fits on a record's line. */
void json_one_line(struct slice json, struct buf *out);
