/* finder.h - searches one text for many others at once, in time that depends on
 * the text searched, not on how many there are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"

enum { FINDER_HEAD = 8 };

/* Zero it; add texts and search, in any order; release it. */
struct finder {
	size_t n, cap;		/* texts */
	/* private */
	struct map by_text;	/* to its number + 1 */
	struct finder_text {
		size_t n;	/* bytes */
		size_t next;	/* number + 1 of a text with the same head and
				 * another length */
	} *v;
	struct map heads;	/* their first bytes, to a number + 1 */
	bool heads_of[FINDER_HEAD + 1];	/* are there heads of this length? */
	uint8_t begins[65536 / 8];	/* bits: their first two bytes */
};

/* Add a text to look for, which must not be empty; returns its number, from 0
 * on. */
size_t finder_add(struct finder *f, struct slice text);

/* Search `in`, which ends with an LF, from byte `from` on.  Sets at[number], if
 * it is 0, to the text's first place plus 1. */
void finder_search(const struct finder *f, struct slice in, size_t from,
    size_t *at);

/* Append what to search in the arguments of a call (JSON): every string in
 * them, decoded, with an LF each. */
void finder_args(struct slice args, struct buf *out);

void finder_release(struct finder *f);
