/* text.h - one pass over a result: its hash, and what in it was not yet seen.
 *
 * Lines are compared trimmed; the hash of the whole forgives line ends and
 * trailing blanks, nothing else (chapter 3.1).
 */
#ifndef HAMR_GUARD_TEXT_H
#define HAMR_GUARD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "hset.h"

struct digest {
	uint64_t hash;		/* of the cleaned text */
	uint64_t norm;		/* and without what changes by itself */
	uint64_t mask;		/* and with all numbers and ids alike; 0: not
				 * asked for, and the text is long */
	uint64_t sketch;	/* the same of its first lines, and how many */
	size_t lines;		/* lines that are not blank */
	size_t chars;		/* characters of these lines */
	size_t gain;		/* and of lines not in the set before */
};

/* Go over a text once; its lines are in the set afterwards.  It is given as
 * the inside of a JSON string; how that is escaped makes no difference.  Both
 * buffers are for single lines.  d->mask of a
 * long text is made only if `masks`. */
void text_digest(struct slice json, struct hset *seen, bool masks,
    struct buf scratch[2], struct digest *d);

/* Something that is no text (an image), told by its bytes. */
void text_other(struct slice bytes, struct hset *seen, struct digest *d);

#endif
