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

static inline __m128i
within16(__m128i x, __m128i from, __m128i most)
{
	x = _mm_sub_epi8(x, from);
	return _mm_cmpeq_epi8(_mm_min_epu8(x, most), x);
}

/* A bit for each of 64 bytes: the high bits of what of() makes of 16 bytes (and
 * more arguments).  Written out, as -O2 does not unroll a loop. */
#define BITS64(p, of, ...) (high16(of(load16(p), ##__VA_ARGS__)) | \
	high16(of(load16((p) + 16), ##__VA_ARGS__)) << 16 | \
	high16(of(load16((p) + 32), ##__VA_ARGS__)) << 32 | \
	high16(of(load16((p) + 48), ##__VA_ARGS__)) << 48)
#endif

/* A bit for each of 64 bytes that equals c. */
static inline uint64_t
bytes_like(const char *p, char c)
{
#ifdef __SSE2__
	return BITS64(p, _mm_cmpeq_epi8, _mm_set1_epi8(c));
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
	return BITS64(p, within16, _mm_set1_epi8(from), _mm_set1_epi8(n));
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
	return BITS64(p, _mm_slli_epi16, 7 - bit);
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
