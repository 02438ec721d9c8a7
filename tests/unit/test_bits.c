/* test_bits.c - blocks of 64 bytes: what is found at once and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/bits.h"

#define SEEN 6

/* All that can be asked of a block. */
static void
look(const char *p, uint64_t seen[SEEN])
{
	seen[0] = bytes_like(p, '"');
	seen[1] = bytes_like(p, (char)0xff);
	seen[2] = bytes_within(p, 0, 0x1f);
	seen[3] = bytes_within(p, '0', 9);
	seen[4] = bytes_with(p, 0);
	seen[5] = bytes_with(p, 7);
}

/* One byte after the other. */
static void
look_slowly(const char *p, uint64_t seen[SEEN])
{
	for (int k = 0; k < SEEN; k++)
		seen[k] = 0;
	for (int i = 0; i < 64; i++) {
		unsigned char c = (unsigned char)p[i];
		const bool is[SEEN] = { c == '"', c == 0xff, c < 0x20,
			c >= '0' && c <= '9', c % 2 == 1, c >= 0x80 };

		for (int k = 0; k < SEEN; k++)
			seen[k] |= (uint64_t)is[k] << i;
	}
}

static void
hold(const char *p)
{
	uint64_t want[SEEN], got[SEEN];

	look_slowly(p, want);
	look(p, got);
	for (int k = 0; k < SEEN; k++)
		assert_true(want[k] == got[k]);
}

static void
kinds(void **state)
{
	static char text[256 * 64 + 64];
	uint64_t x = 88172645463325252u;

	(void)state;
	/* each byte at each place, and any of them beside it */
	for (size_t i = 0; i < sizeof text; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		text[i] = (char)x;
	}
	for (int c = 0; c < 256; c++)
		text[c * 64 + c % 64] = (char)c;
	for (size_t i = 0; i + 64 <= sizeof text; i++) {
		hold(text + i);
	}
}

/* A backslash escapes what follows unless it is escaped itself. */
static void
escapes(void **state)
{
	(void)state;
	for (uint64_t slash = 0; slash < 1u << 12; slash++)
		for (unsigned at = 0; at < 64; at += 13)
			for (uint64_t first = 0; first < 2; first++) {
				uint64_t bits = slash << at, carry = first;
				uint64_t want = 0;
				bool behind = first != 0;

				for (int i = 0; i < 64; i++) {
					want |= (uint64_t)behind << i;
					behind = !behind && (bits >> i & 1);
				}
				assert_true(escaped_bits(bits, &carry) ==
				    want);
				assert_true(carry == behind);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
