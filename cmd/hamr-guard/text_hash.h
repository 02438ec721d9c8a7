/* text_hash.h - hashes of bytes: fast, and no cryptography.
 *
 * They multiply 64 by 64 bits and fold (the idea of wyhash).  The constants
 * are digits of pi and decide nothing.
 */
#ifndef HAMR_GUARD_TEXT_HASH_H
#define HAMR_GUARD_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define K0 UINT64_C(0x243f6a8885a308d3)
#define K1 UINT64_C(0x13198a2e03707345)
#define K2 UINT64_C(0xa4093822299f31d1)

__extension__ typedef unsigned __int128 wide;

static inline uint64_t
text_fold(uint64_t a, uint64_t b)
{
	wide m = (wide)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t text_hash(const void *p, size_t n, uint64_t seed);
/* 128 bits in one pass. */
void text_hash2(const char *p, size_t n, uint64_t out[2]);
/* Of lines, of which most are short. */
uint64_t text_hash_line(const char *p, size_t n);

#endif
