/* canonical.h - one spelling for equal JSON, from which signatures are made. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Append val (checked) without white space, with keys in byte order, fewest
 * escapes, null members dropped, numbers normalized as text: 1.0 and 10e-1
 * are 1, -0 is 0.  `sorted`: as other systems compare arguments, null stays,
 * and a number is its bytes. */
void canonical_value(struct slice val, bool sorted, struct buf *out);

/* Members by decoded key, for a caller that treats some specially.  Zero it,
 * add, sort by bytes, use, release. */
struct members {
	struct named_value {
		struct slice key, val;
		char *owned;	/* the key, where decoding changed it */
	} *m;
	size_t n, cap;
};

void members_add(struct members *c, struct slice key, struct slice val);
void members_add_all(struct members *c, struct slice obj, bool nulls);
void members_sort(struct members *c);
void members_empty(struct members *c);		/* memory kept */
void members_release(struct members *c);
