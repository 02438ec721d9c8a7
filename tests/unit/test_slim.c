/* test_slim.c - arguments that are cut stay JSON, and cut no character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
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

static void
check_one(const char *text)
{
	struct buf in = BUF_INIT(1 << 16), out = in, all = in, kept = in;
	struct scan s = { .p = NULL };

	buf_fmt(&in, "{\"a\":\"%s\"}", text);
	scan_str(scan_get(buf_view(&in), "a"), &all);
	if (slim_args(buf_view(&in), false, &out)) {
		assert_int_equal(scan_value(&s, out.p, out.len), 0);
		scan_str(scan_get(buf_view(&out), "a"), &kept);
		char *mark = memmem(kept.p, kept.len, "\xe2\x80\xa6[", 4);
		assert_non_null(mark);
		size_t n = (size_t)(mark - kept.p);
		assert_memory_equal(kept.p, all.p, n);
		assert_int_equal(utf8_cut(all.p, all.len, n), n);
	}
	scan_release(&s);
	bufs_release(BUFS(&in, &out, &all, &kept));
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
