/* ids.h - ids of calls: never empty, never twice in one transcript. */
#ifndef PROVIDER_IDS_H
#define PROVIDER_IDS_H

#include "buf.h"
#include "map.h"

/* The ids of all calls read so far. */
struct ids {
	struct map seen;
};

/* All calls of a tool_calls value; of the messages of an array, but those in
 * its first bytes that are known. */
void ids_note(struct ids *s, struct slice tool_calls);
void ids_note_all(struct ids *s, struct slice messages, size_t known);
void ids_reset(struct ids *s);

/* Append to out an id like wanted (decoded, may be empty) that is neither in
 * s nor in fresh, and put it into fresh: the ids of the answer in hand, which
 * count only when its record is read. */
void ids_make(const struct ids *s, struct ids *fresh, struct slice wanted,
    struct buf *out);

#endif
