/* internal.h - what checking and walking share.
 *
 * scan.c checks texts; walk.c steps through checked texts and reads their
 * strings.  Functions are inline here where a call for each string would cost
 * more than the string.
 */
#pragma once

#include <string.h>

#include "bits.h"
#include "scan.h"

static inline const char *
over_blanks(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ' && is_whitespace(*p))
		p++;
	return p;
}

#ifdef __SSE2__
/* The bytes of x that are a quote or a control byte. */
static inline __m128i
closing(__m128i x)
{
	return _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x));
}

/* And those that are a backslash. */
static inline __m128i
marked(__m128i x)
{
	return _mm_or_si128(closing(x),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
}

/* A bit for each of 16 bytes that marked() marks or that is not ASCII. */
static inline unsigned
odd_bytes(const char *p)
{
	__m128i x = load16(p);

	return (unsigned)high16(_mm_or_si128(marked(x), x));
}
#endif

/* Append the inside of a checked string, decoded.  An unpaired surrogate
 * becomes U+FFFD; with wtf, its own three bytes, so that keys that differ
 * only in such surrogates stay different. */
void scan_decode(struct buf *out, const char *p, size_t n, bool wtf);
