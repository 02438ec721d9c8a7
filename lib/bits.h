/* bits.h - 64 bytes of a text as the bits of a word, for who reads JSON by
 * blocks: bit 0 is the first byte.
 */
#ifndef HAMR_BITS_H
#define HAMR_BITS_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
static inline uint64_t
like16(const char *p, __m128i want)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(
	    _mm_loadu_si128((const __m128i *)(const void *)p), want));
}

/* A bit for each of 64 bytes that equals c.  No loop: -O2 would keep it one. */
static inline uint64_t
bytes_like(const char *p, char c)
{
	__m128i want = _mm_set1_epi8(c);

	return like16(p, want) | like16(p + 16, want) << 16 |
	    like16(p + 32, want) << 32 | like16(p + 48, want) << 48;
}

static inline uint64_t
high16(const char *p)
{
	return (unsigned)_mm_movemask_epi8(
	    _mm_loadu_si128((const __m128i *)(const void *)p));
}

/* A bit for each that is not ASCII. */
static inline uint64_t
high_bits(const char *p)
{
	return high16(p) | high16(p + 16) << 16 | high16(p + 32) << 32 |
	    high16(p + 48) << 48;
}
#else
static inline uint64_t
bytes_like(const char *p, char c)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)(p[i] == c) << i;
	return found;
}

static inline uint64_t
high_bits(const char *p)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)((unsigned char)p[i] >= 0x80) << i;
	return found;
}
#endif

/* Which of 64 bytes a backslash escapes: those behind runs of backslashes of
 * odd length, found by a carry that ripples through each run (simdjson's
 * way).  *carry: the first byte is escaped from before. */
static inline uint64_t
escaped_bits(uint64_t slash, uint64_t *carry)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t behind, odd, ends;

	if (slash == 0) {
		behind = *carry;
		*carry = 0;
		return behind;
	}
	slash &= ~*carry;
	behind = slash << 1 | *carry;
	odd = slash & ~even & ~behind;
	ends = odd + slash;
	*carry = ends < odd;
	return (even ^ ends << 1) & behind;
}

#endif
