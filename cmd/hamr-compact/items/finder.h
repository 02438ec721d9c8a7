/* finder.h - many texts looked for in one, all at once, so that a look costs
 * what there is to look at, however many they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum { FINDER_HEAD = 8 };

/* Zero it; add texts and look, in any order; release it. */
struct finder {
	size_t n, cap;		/* texts */
	/* private */
	struct map by_text;	/* to its number + 1 */
	struct finder_text {
		size_t n;	/* bytes */
		size_t next;	/* number + 1 of one with the same head and
				 * another length */
	} *v;
	struct map heads;	/* how longer ones begin, to a number + 1 */
	bool shorter[FINDER_HEAD];	/* there are some of so many bytes */
	uint8_t begins[65536 / 8];	/* bits: their first two bytes */
};

/* Look for this text, too, which is not empty: its number, from 0 on. */
size_t finder_add(struct finder *f, struct slice text);

/* Look through `in`, which ends with an LF, from a byte on.  at[number] becomes
 * where the text stands first, plus 1, if it is 0. */
void finder_look(const struct finder *f, struct slice in, size_t from,
    size_t *at);

void finder_release(struct finder *f);
