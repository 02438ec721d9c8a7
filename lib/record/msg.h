/* msg.h - messages: content, calls, who wrote them, which result answers which
 * call.
 *
 * These functions read checked records (rec.h) and copy only where they say so.
 * A value of an unexpected type (a number as content) reads as absent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"
#include "rec.h"

/* A call of an assistant message: JSON values as slices of the record; a value
 * that is not a string is absent (p == NULL). */
struct call {
	struct slice id;
	struct slice name;
	struct slice args;	/* the string that holds the arguments */
	struct slice given;	/* the arguments, of any type */
	struct slice type;	/* any value */
	struct slice whole;	/* the element of tool_calls */
};

/* The text of arguments, given as an object or as its text; NULL if there are
 * none, or null.  Other values are not refused here.  The caller frees it. */
char *msg_arguments(struct slice given);

/* Put the arguments that a request shows into out: a JSON object's text, or {}
 * for none; {"_invalid":"..."} holds what is no object.  s lists the members
 * of an object.  True if given is a string of exactly that text. */
bool msg_object(struct scan *s, struct slice given, struct buf *out);

/* Walk over tool_calls: walk_of(rec_get(r, "tool_calls")), then this.  A
 * value that is not an array has no calls. */
bool msg_next_call(struct walk *w, struct call *c);
size_t msg_count_calls(struct slice tool_calls);

/* Append what a server wants back with a call: `,"carry":...` and
 * `,"extra_content":...`, if it has them.  briefly: objects only, which are a
 * server's marks on the call itself; lists hold its reasoning. */
void msg_put_carried(struct slice call, bool briefly, struct buf *out);

/* Append the text of a content value: a string, or the text parts of an array
 * joined without a separator.  False if there is none. */
bool msg_text(struct slice content, struct buf *out);
/* The same, with a newline between parts: they may be messages of their own. */
bool msg_lines(struct slice content, struct buf *out);
bool msg_has_image(struct slice content);

/* Did a person write this user message (chapter 3)?  meta.by is then absent,
 * "user" or "shell", and the text does not begin with "[hamr-guard]". */
bool msg_is_person(const struct rec *r);
bool msg_by(const struct rec *r, const char *who);	/* meta.by equals who */

/* Does this result repeat another one, from the read cache or of a twin? */
bool msg_is_copy(const struct rec *r);

/* meta.KEY of a message. */
struct slice msg_meta(const struct rec *r, const char *key);

/* ---- pairing: a call pairs with the oldest result of its id ---- */

/* Calls without a result yet, by id, first in first out. */
struct pairing {
	struct map by_id;	/* index + 1 of the id's oldest open call; in
				 * the upper 32 bits, of its newest */
	struct pairing_call *c;
	size_t n, cap;
	size_t open;		/* how many have no result yet */
};

struct pairing_call {
	size_t tag;		/* the caller's number for this call */
	size_t next;		/* index + 1 of the next open call of this id */
};

void pairing_call(struct pairing *p, struct slice id, size_t tag);
/* Close the call that a result with this id answers, and return its tag;
 * (size_t)-1 if no call of that id is open.  id is a JSON string. */
size_t pairing_result(struct pairing *p, struct slice id);
void pairing_reset(struct pairing *p);
