/* message_call.h - a past call, as every server can read it. */
#ifndef PROVIDER_MESSAGE_CALL_H
#define PROVIDER_MESSAGE_CALL_H

#include <stdbool.h>

#include "buf.h"
#include "scan.h"

/* Zero it but for carry: calls keep their "carry". */
struct call_printer {
	bool carry;
	/* private */
	struct scan scan;
	struct buf tmp;
};

/* Append the call (an object), with this id (quoted; NULL: its own); a name is
 * made up if it has none, arguments that are no JSON object are wrapped in one,
 * for servers crash on them. */
void message_call(struct call_printer *p, struct slice call, const char *id,
    struct buf *out);
void call_printer_release(struct call_printer *p);

/* Append ,"key":val to an object that is being written; "{" first. */
void message_member(struct buf *out, bool *first, struct slice key,
    struct slice val);

#endif
