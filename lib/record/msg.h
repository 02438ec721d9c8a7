/* msg.h - messages: content, calls, who wrote them, which result answers which
 * call.
 *
 * All of this reads checked records (rec.h) and copies only where it says so.
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
	struct slice given;	/* the same, of any type */
	struct slice type;	/* any value */
	struct slice whole;	/* the element of tool_calls */
};

/* Walk over tool_calls: walk_of(rec_get(r, "tool_calls")), then this.  A
 * value that is not an array has no calls. */
bool msg_next_call(struct walk *w, struct call *c);
size_t msg_count_calls(struct slice tool_calls);

/* Append what a server wants back with a call: `,"carry":...` and
 * `,"extra_content":...`, as far as it has them.  briefly: without lists, which
 * are its thoughts; marks of a server on the call itself are objects. */
void msg_put_carried(struct slice call, bool briefly, struct buf *out);

/* Append the text of a content value: a string, or the text parts of an array
 * one after the other.  False when there was none. */
bool msg_text(struct slice content, struct buf *out);
bool msg_has_image(struct slice content);

/* meta.by is absent, "user" or "shell", and the text does not begin with
 * "[hamr-guard]": this user message was written by a person (chapter 3). */
bool msg_is_person(const struct rec *r);
bool msg_by(const struct rec *r, const char *who);	/* meta.by equals who */

/* meta.KEY of a message. */
struct slice msg_meta(const struct rec *r, const char *key);

/* ---- pairing: a call pairs with the oldest result of its id ---- */

/* Calls without a result yet, by id, first in first out. */
struct pairing {
	struct map by_id;	/* index + 1 of its oldest open call; above 32
				 * bits the same of its newest one */
	struct pairing_call *c;
	size_t n, cap;
	size_t open;		/* how many have no result yet */
};

struct pairing_call {
	size_t tag;		/* the caller's number for this call */
	size_t next;		/* index + 1 of the next open one of this id */
};

/* False: another call had this id. */
bool pairing_call(struct pairing *p, struct slice id, size_t tag);
/* The tag of the call that a result with this id answers, now closed; or
 * (size_t)-1 when no call of that id is open.  id is a JSON string. */
size_t pairing_result(struct pairing *p, struct slice id);
void pairing_reset(struct pairing *p);
void pairing_empty(struct pairing *p);	/* the same; keeps its memory */
