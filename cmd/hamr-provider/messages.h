/* messages.h - the messages of a request as the chat completions API has them.
 *
 * Members are carried as slices of the request; what is ours (meta, is_error,
 * usage, finish_reason, reasoning) stays here.  Legal whatever comes in: each
 * call has its one result behind it, in order, each result its call, and the
 * arguments of past calls are JSON objects.  Appending messages appends to
 * what is printed.
 */
#ifndef PROVIDER_MESSAGES_H
#define PROVIDER_MESSAGES_H

#include <stdbool.h>

#include "buf.h"

struct messages_rules {
	bool system_in_place;	/* else later ones are marked user messages */
	bool reasoning;		/* sent back as reasoning_content */
};

/* Append messages (a checked JSON array) to out as a JSON array. */
void messages_print(const struct messages_rules *rules,
    struct slice messages, struct buf *out);

#endif
