/* test_slim.c - arguments that are cut stay JSON, and cut no character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json/scan.h"
#include "items/fact.h"

/* What strings are made of here; the last two are halves of a pair. */
static const char *const pieces[] = { "a", "\\n", "\\\"", "\\\\", "\\u0041",
	"\xc3\xa9", "\xf0\x9f\x98\x80", "\\ud83d\\ude00", "\\uDBFF\\uDFFF",
	"\\ud83d", "\\ude00" };
#define PIECES (sizeof pieces / sizeof *pieces)

static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Are the first n bytes of s whole pieces?  A pair is one piece, also where
 * its halves were drawn one after the other. */
static bool
is_border(const char *s, size_t n)
{
	size_t at = 0;

	while (at < n) {
		size_t k = 1;
		unsigned char c = (unsigned char)s[at];

		if (c == '\\' && s[at + 1] == 'u')
			k = 6;
		else if (c == '\\')
			k = 2;
		else if (c >= 0xf0)
			k = 4;
		else if (c >= 0x80)
			k = 2;
		if (k == 6 && strchr("89aAbB", s[at + 3]) != NULL &&
		    (s[at + 2] | 32) == 'd' && s[at + 6] == '\\' &&
		    s[at + 7] == 'u' && (s[at + 8] | 32) == 'd' &&
		    strchr("cCdDeEfF", s[at + 9]) != NULL)
			k = 12;
		at += k;
	}
	return at == n;
}

static void
check_one(const char *text)
{
	struct buf in = BUF_INIT(1 << 16), out = BUF_INIT(1 << 16);
	struct scan s = { .p = NULL };
	struct slice kept;
	const char *mark;

	buf_fmt(&in, "{\"a\":\"%s\"}", text);
	if (slim_args(buf_view(&in), false, &out)) {
		assert_int_equal(scan_value(&s, out.p, out.len), 0);
		kept = scan_get(buf_view(&out), "a");
		mark = memmem(kept.p, kept.n, "\xe2\x80\xa6[", 4);
		assert_non_null(mark);
		assert_memory_equal(kept.p + 1, text,
		    (size_t)(mark - kept.p) - 1);
		assert_true(is_border(text, (size_t)(mark - kept.p) - 1));
	}
	scan_release(&s);
	buf_release(&in);
	buf_release(&out);
}

/* Each place of the cut, by what stands before it. */
static void
cuts(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct buf text = BUF_INIT(1 << 14);

		for (int i = round % 170; i > 0; i--)
			buf_addc(&text, 'x');
		while (text.len < 600)
			buf_adds(&text, pieces[next(&seed) % PIECES]);
		check_one(text.p);
		buf_release(&text);
	}
}

static void
lone_half(void **state)
{
	struct buf text = BUF_INIT(1 << 14);

	(void)state;
	for (int i = 0; i < 80; i++)
		buf_adds(&text, "\\ud800\\n\\t\\\"\\\\");
	check_one(text.p);
	buf_release(&text);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts),
		cmocka_unit_test(lone_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
