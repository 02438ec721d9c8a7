/* bits.h - 64 bytes of text as the bits of a word, to read JSON in blocks:
 * bit 0 is the first byte.  With SSE2, or in portable C.
 */
#pragma once

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
static inline __m128i
load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t
high16(__m128i x)
{
	return (unsigned)_mm_movemask_epi8(x);
}

static inline uint64_t
like16(const char *p, __m128i want)
{
	return high16(_mm_cmpeq_epi8(load16(p), want));
}

static inline uint64_t
within16(const char *p, __m128i from, __m128i most)
{
	__m128i x = _mm_sub_epi8(load16(p), from);

	return high16(_mm_cmpeq_epi8(_mm_min_epu8(x, most), x));
}
#endif

/* A bit for each of 64 bytes that equals c.  Written out, as -O2 does not
 * unroll a loop. */
static inline uint64_t
bytes_like(const char *p, char c)
{
#ifdef __SSE2__
	__m128i want = _mm_set1_epi8(c);

	return like16(p, want) | like16(p + 16, want) << 16 |
	    like16(p + 32, want) << 32 | like16(p + 48, want) << 48;
#else
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)(p[i] == c) << i;
	return found;
#endif
}

/* A bit for each byte in the range `from` to `from + n`. */
static inline uint64_t
bytes_within(const char *p, char from, char n)
{
#ifdef __SSE2__
	__m128i low = _mm_set1_epi8(from), most = _mm_set1_epi8(n);

	return within16(p, low, most) | within16(p + 16, low, most) << 16 |
	    within16(p + 32, low, most) << 32 |
	    within16(p + 48, low, most) << 48;
#else
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)((unsigned char)(p[i] - from) <=
		    (unsigned char)n) << i;
	return found;
#endif
}

/* A bit for each byte that has bit number `bit` set: 7 finds non-ASCII bytes,
 * 0 odd numbers. */
static inline uint64_t
bytes_with(const char *p, int bit)
{
#ifdef __SSE2__
	return high16(_mm_slli_epi16(load16(p), 7 - bit)) |
	    high16(_mm_slli_epi16(load16(p + 16), 7 - bit)) << 16 |
	    high16(_mm_slli_epi16(load16(p + 32), 7 - bit)) << 32 |
	    high16(_mm_slli_epi16(load16(p + 48), 7 - bit)) << 48;
#else
	uint64_t found = 0;

	for (unsigned i = 0; i < 64; i++)
		found |= (uint64_t)(p[i] >> bit & 1) << i;
	return found;
#endif
}

/* A bit for each of 64 bytes that is before end. */
static inline uint64_t
bits_before(const char *p, const char *end)
{
	return end - p >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (end - p)) - 1;
}

/* Which of 64 bytes a backslash escapes: those after a run of backslashes of
 * odd length, found by a carry that ripples through each run, as simdjson
 * does.  *carry: the block before escapes the first byte. */
static inline uint64_t
escaped_bits(uint64_t slash, uint64_t *carry)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t behind, odd, ends;

	slash &= ~*carry;
	behind = slash << 1 | *carry;
	odd = slash & ~even & ~behind;
	ends = odd + slash;
	*carry = ends < odd;
	return (even ^ ends << 1) & behind;
}
