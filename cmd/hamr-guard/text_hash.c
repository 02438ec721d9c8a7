/* text_hash.c - hashes of bytes: fast, and no cryptography. */
#include <string.h>

#include "text_hash.h"

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

uint64_t
text_hash(const void *bytes, size_t n, uint64_t seed)
{
	const char *p = bytes;
	uint64_t h = seed ^ text_fold(n ^ K0, K1);

	while (n >= 16) {
		h = text_fold(load8(p) ^ K1, load8(p + 8) ^ h);
		p += 16;
		n -= 16;
	}
	if (n >= 8) {
		h = text_fold(load8(p) ^ K1, h ^ K2);
		p += 8;
		n -= 8;
	}
	h = text_fold(load(p, n) ^ K2, h ^ K1);
	return text_fold(h, K0);
}

void
text_hash2(const char *p, size_t n, uint64_t out[2])
{
	uint64_t a = n * K2, b = n ^ K0;

	for (; n >= 16; p += 16, n -= 16) {
		uint64_t x = load8(p), y = load8(p + 8);

		a = text_fold(x ^ K1, y ^ a);
		b = text_fold(x ^ b, y ^ K2);
	}
	if (n >= 8) {
		a = text_fold(load8(p) ^ K1, a ^ K0);
		b = text_fold(load8(p) ^ b, K2);
		p += 8;
		n -= 8;
	}
	out[0] = text_fold(load(p, n) ^ K0, a);
	out[1] = text_fold(load(p, n) ^ b, K1);
}

/* With as few branches as may be, as none of them can be foreseen. */
uint64_t
text_hash_line(const char *p, size_t n)
{
	const char *last = p + n - 16;
	uint64_t h = n * K2;

	if (n < 8)
		return text_fold(load(p, n) ^ K1, h ^ K0);
	if (n < 16)
		return text_fold(load8(p) ^ K1, load8(last + 8) ^ h);
	for (; p < last; p += 16)
		h = text_fold(load8(p) ^ K1, load8(p + 8) ^ h);
	return text_fold(load8(last) ^ K0, load8(last + 8) ^ h);
}
