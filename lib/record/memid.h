/* memid.h - the ids of memory items (chapter 6), without the memory.
 *
 * An id is "m:" and 12 hex digits, computed from the item alone, so that any
 * reader of a transcript can name the items that hamr-mem makes of it.
 */
#pragma once

#include "base/buf.h"
#include "json/sha.h"
#include "rec.h"

#define MEMID_SIZE 15		/* "m:", 12 digits and a NUL */

/* A tool result that has an id.  All slices are decoded text. */
void memid_result(struct slice session, struct slice call_id,
    char id[MEMID_SIZE]);
/* Any other message, or a result without an id; text is redacted. */
void memid_message(struct slice session, struct slice role,
    struct slice text, char id[MEMID_SIZE]);
/* A fact; text is redacted. */
void memid_fact(struct slice text, char id[MEMID_SIZE]);

/* The session of a transcript without a header: the hash of its first message
 * other than a system message (many transcripts share that).  The text is not
 * redacted, so that this needs no list of secrets.  The caller frees it. */
char *memid_session(const struct rec *first);
