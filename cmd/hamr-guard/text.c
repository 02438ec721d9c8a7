/* text.c - one pass over a result: its hash, and what in it was not yet seen.
 *
 * The hash multiplies 64 by 64 bits and folds (the idea of wyhash); it is no
 * cryptography.  Its constants are digits of pi and decide nothing.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static inline uint64_t
hash(const char *p, size_t n, uint64_t seed)
{
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

uint64_t
text_hash(const void *p, size_t n, uint64_t seed)
{
	return hash(p, n, seed);
}

#ifdef __SSE2__
static inline __m128i
load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t
bits(__m128i x)
{
	return (unsigned)_mm_movemask_epi8(x);
}
#endif

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

/* What a pass over a text carries along. */
struct pass {
	struct hset *seen;
	struct buf *scratch;
	struct digest *d;
	size_t blank;		/* empty lines since the last other one: they
				 * matter only when something follows */
	enum norm_text kind;
};

/* text_hash for the few blanks before a line. */
static inline uint64_t
indent(const char *p, size_t n, uint64_t h)
{
	if (n >= 8)
		return hash(p, n, h);
	return fold(load(p, n) ^ K0, h ^ n * K2);
}

/* What may be in a line. */
#define MARKS 1			/* something for norm_line */
#define WIDE 2			/* characters of several bytes */

static void
line(struct pass *a, const char *p, const char *end, unsigned has)
{
	struct digest *d = a->d;
	const char *start = p;
	uint64_t h, norm, lead = 0;
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
	h = norm = hash(p, n, K2);
	if (p > start)
		lead = indent(start, (size_t)(p - start), h);
	if (((has & MARKS) != 0 || a->kind != NORM_PLAIN) &&
	    norm_line((struct slice){ p, n }, a->kind, a->scratch))
		norm = text_hash(a->scratch->p, a->scratch->len, K2);
	d->hash = (fold(d->hash ^ h, K1) + a->blank) ^ lead;
	if (p > start && norm != h)
		lead = indent(start, (size_t)(p - start), norm);
	d->norm = (fold(d->norm ^ norm, K1) + a->blank) ^ lead;
	a->blank = 0;
	d->lines++;
	if (hset_add(a->seen, h))
		d->gain += (has & WIDE) != 0 ? characters(p, n) : n;
}

#ifdef __SSE2__
/* Bits of bytes: the line feeds, what is not ASCII, and what norm_line looks
 * at in a plain text: digits, and slashes before a t. */
struct found {
	uint64_t feeds, high, marks;
};

static inline void
find16(const char *p, int i, struct found *f)
{
	__m128i x = load16(p + i);
	__m128i digit = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('/')),
	    _mm_cmplt_epi8(x, _mm_set1_epi8(':')));
	__m128i tmp = _mm_and_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('/')),
	    _mm_cmpeq_epi8(load16(p + i + 1), _mm_set1_epi8('t')));

	f->high |= bits(x) << i;
	f->feeds |= bits(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n'))) << i;
	f->marks |= bits(_mm_or_si128(digit, tmp)) << i;
}

/* The lines that end in whole blocks of 64 bytes; where the next begins. */
static const char *
blocks(struct pass *a, const char **at, const char *end)
{
	const char *p = *at, *start = p;
	unsigned has = 0;

	for (; end - p > 64; p += 64) {
		struct found f = { 0, 0, 0 };

		find16(p, 0, &f);	/* -O2 would keep a loop */
		find16(p, 16, &f);
		find16(p, 32, &f);
		find16(p, 48, &f);
		for (; f.feeds != 0; f.feeds &= f.feeds - 1) {
			uint64_t before = f.feeds ^ (f.feeds - 1);

			has |= ((f.marks & before) != 0) * MARKS |
			    ((f.high & before) != 0) * WIDE;
			line(a, start, p + __builtin_ctzll(f.feeds), has);
			start = p + __builtin_ctzll(f.feeds) + 1;
			f.marks &= ~before;
			f.high &= ~before;
			has = 0;
		}
		has |= (f.marks != 0) * MARKS | (f.high != 0) * WIDE;
	}
	*at = p;
	return start;
}
#endif

void
text_digest(struct slice text, struct hset *seen, struct buf *scratch,
    struct digest *d)
{
	const char *p = text.p, *end = p + text.n, *start;
	struct pass a = { .seen = seen, .scratch = scratch, .d = d };

	a.kind = norm_kind(text);
#ifdef __SSE2__
	start = blocks(&a, &p, end);
#else
	start = p;
#endif
	while (start < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			nl = end;
		line(&a, start, nl, MARKS | WIDE);
		start = p = nl + 1;
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
