/* hash.h - hashes of bytes, by xxHash: fast, and not cryptographic.
 *
 * They only tell whether two things are equal, and are not stored for long.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n);
void hash_128(const void *p, size_t n, uint64_t out[2]);

/* A hash of two hashes; their order matters. */
static inline uint64_t
hash_both(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 m = a ^ UINT64_C(0x243f6a8885a308d3);

	m *= b ^ UINT64_C(0x13198a2e03707345);
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}
