/* text.c - one pass over a result: its hash, and what in it was not yet seen.
 *
 * The pass reads the text as its JSON string spells it.  With the fewest
 * escapes equal lines are equal bytes, so hardly any line is decoded; one
 * that is spelled otherwise is respelled first.
 *
 * The hash multiplies 64 by 64 bits and folds (the idea of wyhash); it is no
 * cryptography.  Its constants are digits of pi and decide nothing.
 */
#include <string.h>

#include "bits.h"
#include "mark.h"
#include "norm.h"
#include "scan.h"
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

void
text_hash2(const char *p, size_t n, uint64_t out[2])
{
	uint64_t a = n * K2, b = n ^ K0;

	for (; n >= 16; p += 16, n -= 16) {
		uint64_t x = load8(p), y = load8(p + 8);

		a = fold(x ^ K1, y ^ a);
		b = fold(x ^ b, y ^ K2);
	}
	if (n >= 8) {
		a = fold(load8(p) ^ K1, a ^ K0);
		b = fold(load8(p) ^ b, K2);
		p += 8;
		n -= 8;
	}
	out[0] = fold(load(p, n) ^ K0, a);
	out[1] = fold(load(p, n) ^ b, K1);
}

/* The same for lines, of which most are short: with as few branches as may
 * be, as none of them can be foreseen.  Not inline: where registers are few
 * the products go through memory. */
__attribute__((noinline)) static uint64_t
line_hash(const char *p, size_t n)
{
	const char *last = p + n - 16;
	uint64_t h = n * K2;

	if (n < 8)
		return fold(load(p, n) ^ K1, h ^ K0);
	if (n < 16)
		return fold(load8(p) ^ K1, load8(last + 8) ^ h);
	for (; p < last; p += 16)
		h = fold(load8(p) ^ K1, load8(p + 8) ^ h);
	return fold(load8(last) ^ K0, load8(last + 8) ^ h);
}

/* What a pass over a text carries along. */
struct pass {
	struct hset *seen;
	struct buf *scratch;
	struct digest *d;
	const char *end;	/* of the text; so far may be read */
	bool differs;		/* d->norm is not d->hash any more */
	size_t blank;		/* empty lines since the last other one: they
				 * matter only when something follows */
	enum norm_text kind;
};

/* What may be in a line. */
#define MARKS 1			/* something for norm_line */
#define WIDE 2			/* characters of several bytes */
#define ESCAPES 4
#define ODD 8			/* escapes that need not be, or of control
				 * bytes without a letter of their own */

/* ---- blanks, also spelled with escapes ---- */

#ifdef __SSE2__
/* How many of 16 bytes from p on are like those wanted. */
static inline unsigned
run16(const char *p, __m128i want)
{
	return (unsigned)__builtin_ctz(~(unsigned)like16(p, want));
}
#endif

/* The blanks at p; end is the line's, limit where reading must end. */
static inline const char *
over_spaces(const char *p, const char *end, const char *limit)
{
#ifdef __SSE2__
	if (limit - p >= 16) {
		p += run16(p, _mm_set1_epi8(' '));
		if (p >= end)
			return end;
	}
#else
	(void)limit;
#endif
	while (p < end && *p == ' ')
		p++;
	return p;
}

static bool
is_blank_escape(char c)
{
	return c == 't' || c == 'r' || c == 'f';
}

/* A line, or what is left of it. */
struct part {
	const char *p, *end;
	unsigned has;
	size_t over;		/* bytes of its escapes that stand for none */
};

/* Of a line with escapes: without the blanks it begins with. */
static void
trim_front(struct part *l, const char *limit)
{
	for (;;) {
		size_t n = 2;

		if (l->p < l->end && *l->p == ' ')
			l->p = over_spaces(l->p, l->end, limit);
		if (l->end - l->p < 2 || *l->p != '\\')
			return;
		if (l->end - l->p >= 6 && memcmp(l->p, "\\u000b", 6) == 0)
			n = 6;
		else if (!is_blank_escape(l->p[1]))
			return;
		l->p += n;
		l->over -= n - 1;
	}
}

/* Is the backslash at p the first byte of an escape? */
static bool
is_escape(const char *start, const char *p)
{
	const char *q = p;

	while (q > start && q[-1] == '\\')
		q--;
	return (p - q) % 2 == 0;
}

/* And those it ends with. */
static void
trim_back(struct part *l)
{
	for (;;) {
		size_t n = 2;

		if (l->end - l->p < 2 || (l->end[-2] != '\\' &&
		    l->end[-1] != ' ' && l->end[-1] != 'b'))
			return;		/* most lines */
		while (l->end > l->p && l->end[-1] == ' ')
			l->end--;
		if (l->end - l->p >= 6 && memcmp(l->end - 6, "\\u000b", 6) == 0)
			n = 6;
		else if (l->end - l->p < 2 || l->end[-2] != '\\' ||
		    !is_blank_escape(l->end[-1]))
			return;
		if (!is_escape(l->p, l->end - n))
			return;
		l->end -= n;
		l->over -= n - 1;
	}
}

/* ---- a line ---- */

/* A hash of the lines before and this one: the blanks it begins with and the
 * empty lines above it count. */
static inline uint64_t
mixed(uint64_t before, uint64_t h, size_t blank, const char *start,
    const char *p)
{
	uint64_t all = fold(before ^ h, K1) + blank;

	return p > start ? all ^ hash(start, (size_t)(p - start), h) : all;
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

/* The hash of a line without what changes by itself; h if nothing does. */
static uint64_t
normalised(struct pass *a, const struct part *l, uint64_t h)
{
	struct slice text = { l->p, (size_t)(l->end - l->p) };
	struct buf *plain = &a->scratch[0], *out = &a->scratch[1];

	if ((l->has & ESCAPES) != 0) {
		buf_reset(plain);
		scan_inside(text, plain);
		text = buf_view(plain);
	}
	return norm_line(text, a->kind, out) ?
	    text_hash(out->p, out->len, K2) : h;
}

static void
line(struct pass *a, struct part *l)
{
	struct digest *d = a->d;
	const char *start = l->p;
	uint64_t h, norm, was = d->hash;
	size_t n;

	if ((l->has & ESCAPES) != 0) {
		trim_front(l, a->end);
		trim_back(l);
	} else {
		l->p = over_spaces(l->p, l->end, a->end);
		while (l->end > l->p && l->end[-1] == ' ')
			l->end--;
	}
	if (l->p == l->end) {
		a->blank++;
		return;
	}
	n = (size_t)(l->end - l->p);
	h = norm = line_hash(l->p, n);
	d->hash = mixed(was, h, a->blank, start, l->p);
	if ((l->has & MARKS) != 0)
		norm = normalised(a, l, h);
	if (norm != h && !a->differs) {
		d->norm = was;
		a->differs = true;
	}
	if (a->differs)
		d->norm = mixed(d->norm, norm, a->blank, start, l->p);
	a->blank = 0;
	d->lines++;
	if (hset_add(a->seen, h))
		d->gain += ((l->has & WIDE) != 0 ? characters(l->p, n) : n) -
		    l->over;
}

/* A line as it may be spelled: respelled with the fewest escapes it may be
 * several, as a line feed has two spellings. */
__attribute__((cold, noinline)) static void
odd_line(struct pass *a, const struct part *l)
{
	struct buf plain = BUF_INIT(BUF_RECORD_MAX);
	struct buf json = BUF_INIT(BUF_RECORD_MAX);
	struct part now = { .has = MARKS | WIDE | ESCAPES };
	const char *q, *end, *limit = a->end;

	scan_inside((struct slice){ l->p, (size_t)(l->end - l->p) }, &plain);
	scan_quote(&json, plain.p, plain.len);
	now.p = q = json.p + 1;
	a->end = json.p + json.len;
	end = json.p + json.len - 1;
	while ((q = memchr(q, '\\', (size_t)(end - q))) != NULL) {
		size_t n = q[1] == 'u' ? 6 : 2;

		if (q[1] == 'n') {
			now.end = q;
			line(a, &now);
			now = (struct part){ .p = q + 2, .has = now.has };
		} else {
			now.over += n - 1;
		}
		q += n;
	}
	now.end = end;
	line(a, &now);
	a->end = limit;
	buf_release(&plain);
	buf_release(&json);
}

/* ---- a block ---- */

/* Bits of 64 bytes. */
struct found {
	uint64_t feeds;		/* the second bytes of escaped line feeds */
	uint64_t escapes;	/* those of all others */
	uint64_t odd;		/* and of odd ones: \u and \/, which alone are
				 * odd numbers in ASCII */
	uint64_t high;		/* what is not ASCII */
	uint64_t digits;	/* the first of each run */
	uint64_t slashes;	/* before a t */
	uint64_t colons;	/* in JSON */
};

#ifdef __SSE2__
static inline __m128i
load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t
digit16(const char *p)
{
	__m128i x = _mm_sub_epi8(load16(p), _mm_set1_epi8('0'));

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(
	    _mm_min_epu8(x, _mm_set1_epi8(9)), x));
}

static inline uint64_t
odd16(const char *p)
{
	return (unsigned)_mm_movemask_epi8(_mm_slli_epi16(load16(p), 7));
}

static inline uint64_t
odd_bits(const char *p)
{
	return odd16(p) | odd16(p + 16) << 16 | odd16(p + 32) << 32 |
	    odd16(p + 48) << 48;
}

static inline uint64_t
digit_bits(const char *p)
{
	return digit16(p) | digit16(p + 16) << 16 | digit16(p + 32) << 32 |
	    digit16(p + 48) << 48;
}
#else
static inline uint64_t
odd_bits(const char *p)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)(p[i] & 1) << i;
	return found;
}

static inline uint64_t
digit_bits(const char *p)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)((unsigned char)(p[i] - '0') < 10) << i;
	return found;
}
#endif

static inline void
find(const char *p, enum norm_text kind, uint64_t *carry, struct found *f)
{
	uint64_t behind = escaped_bits(bytes_like(p, '\\'), carry);
	uint64_t digits = digit_bits(p);

	f->feeds = f->odd = 0;
	if (behind != 0) {
		f->feeds = behind & bytes_like(p, 'n');
		f->odd = behind & odd_bits(p);
	}
	f->escapes = behind & ~f->feeds;
	f->high = high_bits(p);
	f->digits = digits & ~(digits << 1);
	f->slashes = bytes_like(p, '/');
	if (f->slashes != 0)
		f->slashes &= bytes_like(p, 't') >> 1 | UINT64_C(1) << 63;
	f->colons = kind == NORM_JSON ? bytes_like(p, ':') : 0;
}

/* Does what is marked in a block change by itself? */
static unsigned
marks(struct slice text, const char *p, const struct found *f, uint64_t here)
{
	const char *end = text.p + text.n;
	uint64_t bits;

	for (bits = f->digits & here; bits != 0; bits &= bits - 1)
		if (mark_digits(text.p, p + __builtin_ctzll(bits), end))
			return MARKS;
	for (bits = f->slashes & here; bits != 0; bits &= bits - 1)
		if (mark_slash(p + __builtin_ctzll(bits), end))
			return MARKS;
	for (bits = f->colons & here; bits != 0; bits &= bits - 1)
		if (mark_colon(text.p, p + __builtin_ctzll(bits)))
			return MARKS;
	return 0;
}

static inline unsigned
count_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) +
	    (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Take note of what a line has in a block. */
static inline void
note(struct part *l, struct slice text, const char *p, const struct found *f,
    uint64_t here)
{
	if ((l->has & MARKS) == 0 &&
	    ((f->digits | f->slashes | f->colons) & here) != 0)
		l->has |= marks(text, p, f, here);
	l->has |= ((f->high & here) != 0) * WIDE;
	if ((f->escapes & here) != 0) {
		l->has |= ESCAPES | ((f->odd & here) != 0) * ODD;
		l->over += count_bits(f->escapes & here);
	}
}

static inline void
close_line(struct pass *a, struct part *l, const char *end)
{
	l->end = end;
	if ((l->has & ODD) != 0)
		odd_line(a, l);
	else
		line(a, l);
}

/* ---- a text ---- */

static enum norm_text
kind_of(struct slice json, struct buf *scratch)
{
	const char *p = json.p, *end = p + json.n;

	while (p < end && (*p == ' ' || (*p == '\\' && p[1] == 'n')))
		p += *p == ' ' ? 1 : 2;
	if (p < end && *p == '\\') {
		buf_reset(scratch);
		scan_inside(json, scratch);
		return norm_kind(buf_view(scratch));
	}
	return norm_kind((struct slice){ p, (size_t)(end - p) });
}

void
text_digest(struct slice json, struct hset *seen, struct buf scratch[2],
    struct digest *d)
{
	const char *p = json.p, *end = p + json.n;
	struct pass a = { .seen = seen, .scratch = scratch, .d = d };
	struct part l = { .p = p };
	uint64_t carry = 0;
	struct found f;
	char last[64];

	a.end = end;
	a.kind = kind_of(json, &scratch[0]);
	for (; p < end; p += 64) {
		uint64_t rest = ~UINT64_C(0);

		if (end - p >= 64) {
			find(p, a.kind, &carry, &f);
		} else {
			memset(last, 0, sizeof last);
			memcpy(last, p, (size_t)(end - p));
			find(last, a.kind, &carry, &f);
		}
		for (; f.feeds != 0; f.feeds &= f.feeds - 1) {
			const char *nl = p + __builtin_ctzll(f.feeds);
			uint64_t here = (f.feeds ^ (f.feeds - 1)) & rest;

			note(&l, json, p, &f, here);
			close_line(&a, &l, nl - 1);
			l = (struct part){ .p = nl + 1 };
			rest &= ~here;
		}
		note(&l, json, p, &f, rest);
	}
	if (l.p < end)
		close_line(&a, &l, end);
	if (!a.differs)
		d->norm = d->hash;
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
