/* request.h - a request as it goes out: its messages, their words, their size.
 *
 * Requests are taken one after another, so that what the new one has in
 * common with the one before is looked at once and not again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tokens/token.h"
#include "view/view.h"

struct request_message {
	size_t end;		/* in bytes: behind it */
	size_t words;		/* in words: behind its own */
	uint64_t sum;		/* its estimate, in 1/64 token */
	char role;		/* 's', 'u', 'a', 't', or '?' */
};

struct request {
	enum token_family family;
	struct buf bytes;	/* the messages with commas between */
	struct buf words;	/* what they say, decoded, an LF behind each */
	struct request_message *m;
	size_t n, cap;
	uint64_t sum;		/* of all messages */
	size_t same_words;	/* words are as they were up to here; the
				 * reader sets it to words.len */
};

/* What is new in a request. */
struct request_news {
	size_t bytes;		/* of all messages */
	size_t same;		/* of these, the common prefix */
	uint64_t fresh;		/* estimate of what lies behind it */
	size_t first;		/* the first message that is not the same */
	bool broke;		/* what was there is no prefix, but for the
				 * end of its last message */
};

void request_init(struct request *q);
void request_release(struct request *q);

/* The next request has the first `known` bytes of this one, then tail (checked
 * JSON, commas between messages). */
void request_take(struct request *q, size_t known, struct slice tail,
    struct request_news *news);
/* The same with the messages of a view that was taken the last time too. */
void request_take_view(struct request *q, struct view *v,
    struct request_news *news);

/* One more message behind the first n; the others are forgotten. */
void request_reply(struct request *q, size_t n, struct slice message);

/* The bytes of message i. */
struct slice request_message(const struct request *q, size_t i);
