/* bits_wide.h - the same for processors that have wider registers; of bits.h
 * only.
 *
 * AVX-512 is taken where there is VBMI2 as well: processors without it slow
 * down for wide registers, and are served by AVX2.
 */
#ifndef HAMR_BITS_WIDE_H
#define HAMR_BITS_WIDE_H

#include <immintrin.h>

#define BITS_WIDE
#define BITS_FOR_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define BITS_FOR_AVX512 \
	__attribute__((target("avx2,avx512f,avx512bw,bmi,popcnt")))

static inline enum bits
bits_best(void)
{
	if (__builtin_cpu_supports("avx512vbmi2") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("bmi"))
		return BITS_AVX512;
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") ? BITS_AVX2 : BITS_PLAIN;
}

BITS_FOR_AVX2 static inline __m256i
load32(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

BITS_FOR_AVX2 static inline uint64_t
high32(__m256i x)
{
	return (unsigned)_mm256_movemask_epi8(x);
}

BITS_FOR_AVX2 static inline uint64_t
bytes_like_avx2(const char *p, char c)
{
	__m256i want = _mm256_set1_epi8(c);

	return high32(_mm256_cmpeq_epi8(load32(p), want)) |
	    high32(_mm256_cmpeq_epi8(load32(p + 32), want)) << 32;
}

BITS_FOR_AVX2 static inline uint64_t
bytes_within_avx2(const char *p, char from, char n)
{
	__m256i low = _mm256_set1_epi8(from), most = _mm256_set1_epi8(n);
	__m256i a = _mm256_sub_epi8(load32(p), low);
	__m256i b = _mm256_sub_epi8(load32(p + 32), low);

	return high32(_mm256_cmpeq_epi8(_mm256_min_epu8(a, most), a)) |
	    high32(_mm256_cmpeq_epi8(_mm256_min_epu8(b, most), b)) << 32;
}

BITS_FOR_AVX2 static inline uint64_t
bytes_with_avx2(const char *p, int bit)
{
	return high32(_mm256_slli_epi16(load32(p), 7 - bit)) |
	    high32(_mm256_slli_epi16(load32(p + 32), 7 - bit)) << 32;
}

BITS_FOR_AVX512 static inline uint64_t
bytes_like_avx512(const char *p, char c)
{
	return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p),
	    _mm512_set1_epi8(c));
}

BITS_FOR_AVX512 static inline uint64_t
bytes_within_avx512(const char *p, char from, char n)
{
	return _mm512_cmple_epu8_mask(_mm512_sub_epi8(_mm512_loadu_si512(p),
	    _mm512_set1_epi8(from)), _mm512_set1_epi8(n));
}

BITS_FOR_AVX512 static inline uint64_t
bytes_with_avx512(const char *p, int bit)
{
	return _mm512_test_epi8_mask(_mm512_loadu_si512(p),
	    _mm512_set1_epi8((char)(1u << bit)));
}

#endif
