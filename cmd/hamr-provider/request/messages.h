/* messages.h - the messages of a request as the chat completions API has them.
 *
 * Members are carried as slices of the request; our own keys (meta, is_error,
 * usage, finish_reason, reasoning) are not sent.  The output is legal for any
 * input: each call is followed by exactly one result, in order, each result
 * has its call, no id comes twice, and the arguments of past calls are JSON
 * objects.  Appending messages to the input only appends to the output.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"

struct messages_rules {
	bool system_in_place;	/* else later ones are marked user messages */
	bool reasoning;		/* sent back as reasoning_content */
	bool details;		/* encrypted and signed reasoning is sent back
				 * with its calls, as reasoning_details */
	bool no_images;		/* a line of text replaces each image */
	bool user_images;	/* images of results follow them, in a user
				 * message */
	bool carry;		/* calls keep their "carry", for an adapter */
	bool short_ids;		/* ids are 9 letters and digits */
	bool plain_ids;		/* ids are letters, digits, _ and - */
	bool plain_names;	/* names are 64 letters, digits, _ and - */
};

/* Append a name that every API accepts: a JSON string of at most max letters,
 * digits, - and _; _ replaces anything else. */
void messages_safe_name(struct slice word, size_t max, struct buf *out);

/* A cache of what was printed last, up to the last message that no later
 * result can change: a request with the same beginning is walked only from
 * there on.  All zero is empty. */
struct messages_cache {
	struct messages_rules rules;
	struct buf source, printed;
	struct map ids;		/* of calls; each says which it is */
	size_t n;		/* messages printed */
};

void messages_cache_release(struct messages_cache *cache);

/* How many leading bytes of messages are in the cache. */
size_t messages_cached(const struct messages_cache *cache,
    struct slice messages);

/* Append messages (a checked JSON array) to out as a JSON array.  cache is
 * used and updated; NULL: all messages are walked. */
void messages_print(const struct messages_rules *rules,
    struct slice messages, struct messages_cache *cache, struct buf *out);
