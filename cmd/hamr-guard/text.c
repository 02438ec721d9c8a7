/* text.c - what a result says: its hash, and what in it was not yet seen. */
#include "text_hash.h"
#include "text_in.h"

void
text_digest(struct slice json, struct hset *seen, bool masks,
    struct buf scratch[2], struct digest *d)
{
	struct pass a = { .scratch = scratch, .d = d, .seen = seen,
		.masks = masks };

	text_walk(&a, json);
}

void
text_other(struct slice bytes, struct hset *seen, struct digest *d)
{
	uint64_t h = text_hash(bytes.p, bytes.n, K0);

	d->hash = text_fold(d->hash ^ h, K2);
	d->norm = text_fold(d->norm ^ h, K2);
	d->mask = text_fold(d->mask ^ h, K2);
	d->lines++;
	d->chars += bytes.n;
	if (hset_add(seen, h))
		d->gain += bytes.n;
}
