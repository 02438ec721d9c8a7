/* shot.h - a request as it goes out: its messages, their words, their size.
 *
 * Requests are taken one after another, so that what the new one has in
 * common with the one before is looked at once and not again.
 */
#ifndef COMPACT_SHOT_H
#define COMPACT_SHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "token.h"

struct shot_msg {
	size_t end;		/* in bytes: behind it */
	size_t words;		/* in words: behind its own */
	uint64_t sum;		/* its estimate, in 1/64 token */
	uint64_t total;		/* of all up to it */
	char role;		/* 's', 'u', 'a', 't', or '?' */
};

struct shot {
	enum token_family family;
	struct buf bytes;	/* the messages with commas between */
	struct buf words;	/* what they say, decoded, an LF behind each */
	struct shot_msg *m;
	size_t n, cap;
	uint64_t sum;		/* of all messages */
	size_t kept;		/* words are as they were up to here; the
				 * reader sets it to words.len */
};

/* What is new in a request. */
struct shot_news {
	size_t bytes;		/* of all messages */
	size_t same;		/* of these, the common prefix */
	uint64_t fresh;		/* estimate of what lies behind it */
	size_t first;		/* the first message that is not the same */
	bool broke;		/* what was there is no prefix, but for the
				 * end of its last message */
};

void shot_init(struct shot *s, enum token_family family);
void shot_release(struct shot *s);

#define SHOT_CLOSING 4		/* longest end of a message: "}]} */

/* Take the messages of a request, checked JSON with commas between.  known:
 * so many bytes are known to be those of the last one. */
void shot_take(struct shot *s, struct slice messages, size_t known,
    struct shot_news *news);

/* Put one more message behind them, checked JSON. */
void shot_append(struct shot *s, struct slice message);

/* Forget the messages from n on. */
void shot_cut(struct shot *s, size_t n);

/* The estimate of one message. */
uint64_t shot_message_sum(enum token_family f, struct slice m);
/* How many bytes both begin with. */
size_t shot_common(struct slice a, struct slice b);

/* The bytes of message i. */
struct slice shot_message(const struct shot *s, size_t i);

#endif
