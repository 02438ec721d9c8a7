/* messages.h - the messages of a request as the chat completions API has them.
 *
 * Members are carried as slices of the request; what is ours (meta, is_error,
 * usage, finish_reason, reasoning) stays here.  Legal whatever comes in: each
 * call has its one result behind it, in order, each result its call, and the
 * arguments of past calls are JSON objects.  Appending messages appends to
 * what is printed.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct messages_rules {
	bool system_in_place;	/* else later ones are marked user messages */
	bool reasoning;		/* sent back as reasoning_content */
	bool details;		/* what of it is encrypted, with its calls, as
				 * reasoning_details */
	bool no_images;		/* each is a line of text in its place */
	bool carry;		/* calls keep their "carry", for an adapter */
	bool short_ids;		/* ids are 9 letters and digits */
	bool plain_names;	/* names are 64 letters, digits, _ and - */
};

/* Append a name or an id as APIs take them: a JSON string of letters, digits, _
 * (in place of anything else) and -, at most max. */
void messages_word(struct slice word, size_t max, struct buf *out);

/* What was printed last, up to its last message that no result can follow to
 * change: a request that begins the same is not walked again up to there.
 * Zeroed it is empty. */
struct messages_past {
	struct messages_rules rules;
	struct buf source, printed;
	size_t n;		/* messages printed */
};

void messages_past_release(struct messages_past *past);

/* How many first bytes of messages are those of the past. */
size_t messages_known(const struct messages_past *past,
    struct slice messages);

/* Append messages (a checked JSON array) to out as a JSON array.  past is
 * brought up to them; NULL: everything is walked. */
void messages_print(const struct messages_rules *rules,
    struct slice messages, struct messages_past *past, struct buf *out);
