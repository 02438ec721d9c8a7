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
	uint64_t norm;		/* ... without what changes by itself */
	uint64_t mask;		/* ... and with all numbers and ids alike */
	uint64_t kind;		/* norm without the words of the call */
	uint64_t fault;		/* ... and without lines and columns */
	uint64_t sum;		/* of the numbers left in norm */
	size_t lines;		/* lines that are not blank */
	size_t chars;		/* characters of these lines */
	size_t own;		/* of these, those in words of the call */
	size_t gain;		/* of these, those in lines new to the set */
	bool told;		/* some lines were in the call itself: they
				 * count in hash and chars only */
};

/* What is asked of a text. */
struct digest_of {
	bool quick;		/* only hash, lines, chars, gain and told */
	bool sum;		/* ... and sum, to compare with another */
	bool pages;		/* it is a web page, a screen, or what was
				 * sent: the same with other ids, or the same
				 * hits in another order, is no gain */
	bool failed;		/* lines that were overwritten, as by a
				 * progress bar, count in hash only */
	struct slice given;	/* the call's own text, which is no gain; or p
				 * NULL */
	size_t given_min;	/* shorter lines are not looked for in it */
	struct slice call;	/* for d->kind, fault and own; or p NULL */
	struct slice asked;	/* a short text that is new only in words of
				 * this is no gain; or p NULL */
};

/* Digest a text in one pass, and add its lines to seen (NULL: none).  The text
 * may move in memory.  Both buffers of scratch are for single lines. */
void digest_text(struct buf *text, struct hash_set *seen,
    const struct digest_of *of, struct buf scratch[2], struct digest *d);

/* Digest something that is not text (an image), by its bytes. */
void digest_bytes(struct slice bytes, struct hash_set *seen,
    struct digest *d);
