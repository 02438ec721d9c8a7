/* scan_in.h - the inside of the scanner; of scan_*.c only.
 *
 * scan.c checks grammar, scan_blocks.c the harder part of strings, scan_keys.c
 * that no key is there twice, scan_past.c what was checked before, scan_text.c
 * makes and reads the text of strings, scan_walk.c steps through what was
 * checked.  What is inline here is so because a call for each string would cost
 * more than the string.
 */
#ifndef HAMR_SCAN_IN_H
#define HAMR_SCAN_IN_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bits.h"
#include "scan.h"

static inline bool
refuse(struct scan *s, const char *at, const char *why)
{
	s->why = why;
	s->at = (size_t)(at - s->start);
	return false;
}

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

#ifdef __SSE2__
/* The bytes of x that are a quote, a backslash or a control byte. */
static inline __m128i
marked(__m128i x)
{
	__m128i odd = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));

	return _mm_or_si128(odd, _mm_cmpeq_epi8(
	    _mm_min_epu8(x, _mm_set1_epi8(0x1f)), x));
}

/* A bit for each of 16 bytes that is such, or not ASCII. */
static inline unsigned
odd_bytes(const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(marked(x), x));
}

/* Copy 16 bytes; a bit for each that is such, that is, wants an escape. */
static inline unsigned
copy_marked(char *o, const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	_mm_storeu_si128((__m128i *)(void *)o, x);
	return (unsigned)_mm_movemask_epi8(marked(x));
}
#endif

/* The first such byte, or end. */
static inline const char *
plain_run(const char *p, const char *end)
{
#ifdef __SSE2__
	while (end - p >= 16) {
		unsigned bits = odd_bytes(p);

		if (bits != 0)
			return p + __builtin_ctz(bits);
		p += 16;
	}
#else
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;

	while (end - p >= 8) {
		uint64_t x, q, b;

		memcpy(&x, p, 8);
		q = x ^ ones * '"';
		b = x ^ ones * '\\';
		if ((((x - ones * 0x20) | (q - ones) | (b - ones) | x) &
		    high) != 0)
			break;
		p += 8;
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 && *p != '"' &&
	    *p != '\\' && (unsigned char)*p < 0x80)
		p++;
	return p;
}

static inline int
hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9' ? c - '0' :
		    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static inline struct slice
inside(struct slice val)
{
	return (struct slice){ val.p + 1, val.n - 2 };
}


/* ---- scan_blocks.c ---- */

/* What may follow a backslash: 1, and 2 for u. */
extern const unsigned char scan_escapes[256];

/* One byte of a string's inside that is not plain, at s->p: left behind it. */
bool scan_special(struct scan *s);

/* Walk blocks of 64 bytes from s->p: stops at a closing quote (true), at what
 * is not plain and no escape of one letter, or near the end. */
bool scan_blocks(struct scan *s, bool *escaped);

/* ---- scan_text.c ---- */

/* Append the inside of a checked string, decoded.  An unpaired surrogate
 * becomes U+FFFD, or with wtf its own three bytes, so that two different ones
 * stay two different keys. */
void scan_decode(struct buf *out, const char *p, size_t n, bool wtf);

/* ---- scan_keys.c ---- */

/* Note the key of n bytes at p in the object whose keys begin at first.  bloom
 * has a bit for each key of the object, 0 at its beginning.  False: it stands
 * there already (objects with few keys), s->why says it. */
bool scan_keys_add(struct scan *s, size_t first, uint64_t *bloom,
    const char *p, size_t n, bool escaped);

/* The object ends: false when a key of many stands twice. */
bool scan_keys_end(struct scan *s, size_t first);

/* ---- scan_past.c ---- */

/* The first array of a text with so much left is worth remembering. */
#define SCAN_PAST_MIN 4096

/* s->p is at the array's first element: left at the first one that the last
 * text had not. */
void scan_past_open(struct scan *s);
void scan_past_end(struct scan *s);	/* s->p is behind an element's comma */
void scan_past_close(struct scan *s);	/* the array is whole: keep it */
void scan_past_release(struct scan *s);

#endif
