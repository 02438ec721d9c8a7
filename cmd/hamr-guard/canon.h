/* canon.h - one spelling for equal JSON: what a signature is made of. */
#ifndef HAMR_GUARD_CANON_H
#define HAMR_GUARD_CANON_H

#include "buf.h"

/* Append val (checked) without white space, with keys in byte order, fewest
 * escapes, null members dropped, numbers normalised as text. */
void canon_value(struct slice val, struct buf *out);

/* Append a number: 1.0 and 10e-1 are 1, -0 is 0. */
void canon_number(struct slice num, struct buf *out);

/* Members by key, for a caller that treats some of them apart: keys decoded,
 * sorted by bytes, nulls dropped.  Zero it, add, sort, use, release. */
struct canon_member {
	struct slice key, val;
	char *owned;		/* the key, where decoding changed it */
};
struct canon {
	struct canon_member *m;
	size_t n, cap;
};
void canon_add(struct canon *c, struct slice key, struct slice val);
void canon_object(struct canon *c, struct slice obj);	/* adds all */
void canon_sort(struct canon *c);
void canon_empty(struct canon *c);			/* memory kept */
void canon_release(struct canon *c);

#endif
