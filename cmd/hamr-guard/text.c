/* text.c - one pass over a result: its hash, and what in it was not yet seen.
 *
 * The hash multiplies 64 by 64 bits and folds (the idea of wyhash); it is no
 * cryptography.  Its constants are digits of pi and decide nothing.
 */
#include <string.h>

#include "norm.h"
#include "text.h"

#define K0 UINT64_C(0x243f6a8885a308d3)
#define K1 UINT64_C(0x13198a2e03707345)
#define K2 UINT64_C(0xa4093822299f31d1)

__extension__ typedef unsigned __int128 wide;

static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	wide m = (wide)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t
load4(const char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* Fewer than 8 bytes, by loads that overlap. */
static inline uint64_t
load(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (n >= 4)
		return load4(p) | load4(p + n - 4) << 8 * (n - 4);
	if (n == 0)
		return 0;
	return u[0] | (uint64_t)u[n / 2] << 8 * (n / 2) |
	    (uint64_t)u[n - 1] << 8 * (n - 1);
}

static inline uint64_t
load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

uint64_t
text_hash(const void *bytes, size_t n, uint64_t seed)
{
	const char *p = bytes;
	uint64_t h = seed ^ fold(n ^ K0, K1);

	while (n >= 16) {
		h = fold(load8(p) ^ K1, load8(p + 8) ^ h);
		p += 16;
		n -= 16;
	}
	if (n >= 8) {
		h = fold(load8(p) ^ K1, h ^ K2);
		p += 8;
		n -= 8;
	}
	h = fold(load(p, n) ^ K2, h ^ K1);
	return fold(h, K0);
}

static inline bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Code points of valid UTF-8. */
static size_t
characters(const char *p, size_t n)
{
	size_t c = n;

	for (; n >= 16; p += 16, n -= 16) {
		unsigned char more = 0;

		for (int i = 0; i < 16; i++)
			more = (unsigned char)(more +
			    (((unsigned char)p[i] & 0xc0) == 0x80));
		c -= more;
	}
	while (n-- > 0)
		c -= ((unsigned char)*p++ & 0xc0) == 0x80;
	return c;
}

/* The high bit of each byte that norm_line would look at in a plain text: a
 * digit, or the slash that stands before them in ASCII. */
static inline uint64_t
marks_of(uint64_t x)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t from = UINT64_C(0x5151515151515151);	/* 0x80-'/' */
	const uint64_t past = UINT64_C(0x4646464646464646);	/* 0x80-':' */

	return ((x & low) + from) & ~((x & low) + past) & ~x & ~low;
}

/* text_hash of a line, and its marks in the same go. */
static inline uint64_t
line_hash(const char *p, size_t n, uint64_t *marks)
{
	uint64_t h = K2 ^ fold(n ^ K0, K1), x, y, found = 0;

	for (; n >= 16; p += 16, n -= 16) {
		x = load8(p);
		y = load8(p + 8);
		found |= marks_of(x) | marks_of(y);
		h = fold(x ^ K1, y ^ h);
	}
	if (n >= 8) {
		x = load8(p);
		found |= marks_of(x);
		h = fold(x ^ K1, h ^ K2);
		p += 8;
		n -= 8;
	}
	x = load(p, n);
	*marks = found | marks_of(x);
	h = fold(x ^ K2, h ^ K1);
	return fold(h, K0);
}

/* What a pass over a text carries along. */
struct pass {
	struct hset *seen;
	struct buf *scratch;
	struct digest *d;
	size_t blank;		/* empty lines since the last other one: they
				 * matter only when something follows */
	enum norm_text kind;
};

static void
line(struct pass *a, const char *p, const char *end)
{
	struct digest *d = a->d;
	const char *start = p;
	uint64_t h, norm, marks, lead = 0;
	size_t n;

	while (end > p && is_blank(end[-1]))
		end--;
	while (p < end && is_blank(*p))
		p++;
	if (p == end) {
		a->blank++;
		return;
	}
	n = (size_t)(end - p);
	h = norm = line_hash(p, n, &marks);
	if (p > start)
		lead = text_hash(start, (size_t)(p - start), h);
	if ((marks != 0 || a->kind != NORM_PLAIN) &&
	    norm_line((struct slice){ p, n }, a->kind, a->scratch))
		norm = text_hash(a->scratch->p, a->scratch->len, K2);
	d->hash = (fold(d->hash ^ h, K1) + a->blank) ^ lead;
	if (p > start && norm != h)
		lead = text_hash(start, (size_t)(p - start), norm);
	d->norm = (fold(d->norm ^ norm, K1) + a->blank) ^ lead;
	a->blank = 0;
	d->lines++;
	if (hset_add(a->seen, h))
		d->gain += characters(p, n);
}

void
text_digest(struct slice text, struct hset *seen, struct buf *scratch,
    struct digest *d)
{
	const char *p = text.p, *end = p + text.n;
	struct pass a = { .seen = seen, .scratch = scratch, .d = d };

	a.kind = norm_kind(text);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			nl = end;
		line(&a, p, nl);
		p = nl + 1;
	}
}

void
text_other(struct slice bytes, struct hset *seen, struct digest *d)
{
	uint64_t h = text_hash(bytes.p, bytes.n, K0);

	d->hash = fold(d->hash ^ h, K2);
	d->norm = fold(d->norm ^ h, K2);
	d->lines++;
	if (hset_add(seen, h))
		d->gain += bytes.n;
}
