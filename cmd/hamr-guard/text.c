/* text.c - what a result says: its hash, and what in it was not yet seen. */
#include <string.h>

#include "text_hash.h"
#include "text_in.h"

#define AT_ONCE 256		/* lines looked up one after the other */

/* ---- the lines at once ---- */

/* What a text's lines are looked up in. */
struct shown {
	struct hset *seen;
	struct text_line line[AT_ONCE];
};

static size_t
add_lines(struct hset *seen, const struct text_line *l, size_t n)
{
	size_t gain = 0;

	for (size_t i = 0; i < n; i++)
		if (hset_add(seen, l[i].hash))
			gain += l[i].chars;
	return gain;
}

static void
look_up(struct pass *a)
{
	struct shown *s = a->self;

	a->d->gain += add_lines(s->seen, s->line,
	    (size_t)(a->line - s->line));
	a->line = s->line;
}

void
text_digest(struct slice json, struct hset *seen, struct buf scratch[2],
    struct digest *d)
{
	struct shown s;
	struct pass a = { .scratch = scratch, .d = d, .line = s.line,
		.limit = s.line + AT_ONCE, .full = look_up, .self = &s };

	s.seen = seen;
	text_walk(&a, json);
	look_up(&a);
}

/* ---- or ahead of that ---- */

struct kept {
	struct buf *out;
	struct text_line spare[AT_ONCE];	/* when that is full */
};

static void
keep(struct pass *a)
{
	struct kept *k = a->self;
	struct buf *out = k->out;

	if (a->line != NULL && !out->over)
		out->len = (size_t)((char *)a->line - out->p);
	a->line = k->spare;
	if (buf_reserve(out, sizeof k->spare) == 0)
		a->line = (void *)(out->p + out->len);
	a->limit = a->line + AT_ONCE;
}

void
text_ahead(struct slice json, struct buf scratch[2], struct buf *out)
{
	struct digest d = { 0 };
	size_t at = out->len;
	struct kept k;
	struct pass a = { .scratch = scratch, .d = &d, .full = keep,
		.self = &k };

	k.out = out;
	buf_add(out, &d, sizeof d);
	text_walk(&a, json);
	if (out->over)
		return;
	if (a.line != NULL)
		out->len = (size_t)((char *)a.line - out->p);
	memcpy(out->p + at, &d, sizeof d);
}

void
text_made(struct slice made, struct hset *seen, struct digest *d)
{
	size_t n = (made.n - sizeof *d) / sizeof(struct text_line);

	memcpy(d, made.p, sizeof *d);
	d->gain = add_lines(seen, (const void *)(made.p + sizeof *d), n);
}

void
text_other(struct slice bytes, struct hset *seen, struct digest *d)
{
	uint64_t h = text_hash(bytes.p, bytes.n, K0);

	d->hash = text_fold(d->hash ^ h, K2);
	d->norm = text_fold(d->norm ^ h, K2);
	d->lines++;
	if (hset_add(seen, h))
		d->gain += bytes.n;
}
