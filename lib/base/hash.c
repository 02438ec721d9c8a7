/* hash.c - hashes of bytes, by xxHash. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hash.h"

uint64_t
hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

void
hash_128(const void *p, size_t n, uint64_t out[2])
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	out[0] = h.low64;
	out[1] = h.high64;
}
