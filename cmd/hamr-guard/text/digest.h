/* digest.h - one pass over a result: its hashes, and which of its lines are
 * new.
 *
 * Lines are compared trimmed; the hash of the whole forgives line ends and
 * trailing blanks, nothing else (chapter 3.1).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "hash_set.h"

struct digest {
	uint64_t hash;		/* of the cleaned text */
	uint64_t norm;		/* and without what changes by itself */
	uint64_t mask;		/* and with all numbers and ids alike */
	uint64_t kind;		/* as norm, without the words of the call */
	uint64_t fault;		/* and without lines and columns */
	uint64_t sum;		/* of the numbers that norm has */
	size_t lines;		/* lines that are not blank */
	size_t chars;		/* characters of these lines */
	size_t own;		/* of these, in words of the call */
	size_t gain;		/* and of lines not in the set before */
	bool told;		/* some lines stand in the call itself: they
				 * count in hash and chars only */
};

/* What is asked of a text. */
struct digest_of {
	bool quick;		/* make hash, lines, chars, gain and told */
	bool sum;		/* and sum, which compares with another */
	bool pages;		/* of a web or a screen, or of what was sent:
				 * with other ids it is the same page, or the
				 * same hits in another order: that is no gain
				 */
	bool failed;		/* lines that were written over, like a
				 * progress bar, count in hash only */
	struct slice given;	/* what the call says of itself is no gain; p
				 * NULL: of no interest */
	size_t given_min;	/* bytes of a line that is looked for there */
	struct slice call;	/* for d->kind, fault and own; or p NULL */
	struct slice asked;	/* what is new in a short text only by words
				 * of this is no gain; or p NULL */
};

/* Go over a text once; its lines are in the set afterwards, if there is one,
 * and it may have moved.  Both buffers of scratch are for single lines. */
void digest_text(struct buf *text, struct hash_set *seen,
    const struct digest_of *of, struct buf scratch[2], struct digest *d);

/* Digest something that is not text (an image), by its bytes. */
void digest_bytes(struct slice bytes, struct hash_set *seen,
    struct digest *d);
