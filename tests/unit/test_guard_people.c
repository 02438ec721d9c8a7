/* test_guard_people.c - display width, sorted arguments, counts by key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/scan.h"
#include "profiles/internal.h"
#include "term/term.h"

#define E_ACUTE "e\xcc\x81"		/* e and a combining acute */
#define NIHON "\xe6\x97\xa5\xe6\x9c\xac"	/* two ideographs */
#define SMILE "\xf0\x9f\x99\x82"

static void
widths(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
	} row[] = { { "", 0 }, { "abc", 3 }, { E_ACUTE "t", 2 },
		{ NIHON, 4 }, { SMILE, 2 }, { "a\tb", 3 }, { "a\nb", 3 },
		{ "\xc3\xa9", 1 }, { "\033[1m", 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		assert_int_equal(term_width(slice_of(row[i].text)),
		    row[i].columns);
}

static void
put(const char *text, size_t max, const char *want, size_t columns)
{
	struct buf b = BUF_INIT(1000);

	buf_adds(&b, "");
	assert_int_equal(term_put(&b, slice_of(text), max), columns);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static void
cuts(void **state)
{
	(void)state;
	put("abc", 3, "abc", 3);
	put("abcd", 3, "ab\xe2\x80\xa6", 3);
	put(NIHON "x", 5, NIHON "x", 5);
	put(NIHON "x", 4, "\xe6\x97\xa5\xe2\x80\xa6", 3);
	put(NIHON, 3, "\xe6\x97\xa5\xe2\x80\xa6", 3);
	put("abc", 1, "\xe2\x80\xa6", 1);
	put("abc", 0, "", 0);
	put("a\033b\nc", 9, "a?b c", 5);
	put("x\xe2\x80\xaey", 9, "x?y", 3);	/* an override */
}

/* However it is cut, it is as wide as is said, and never too wide. */
static void
cuts_everywhere(void **state)
{
	static const char text[] = "a" NIHON E_ACUTE SMILE "b" NIHON SMILE;
	struct buf b = BUF_INIT(1000);

	(void)state;
	for (size_t max = 0; max < 20; max++) {
		size_t said;

		buf_reset(&b);
		buf_adds(&b, "");
		said = term_put(&b, slice_of(text), max);
		assert_true(said <= max);
		assert_int_equal(term_width(buf_view(&b)), said);
	}
	buf_release(&b);
}

static void
wraps(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	term_wrap(&b, slice_of("one two  three\nfour"), 0, 2, 9);
	assert_string_equal(b.p, "  one two\n  three\n  four\n");
	buf_reset(&b);
	buf_adds(&b, "l ");
	term_wrap(&b, slice_of("one two three"), 2, 2, 9);
	assert_string_equal(b.p, "l one two\n  three\n");
	buf_reset(&b);
	term_wrap(&b, slice_of("one  two"), 0, 0, 8);
	assert_string_equal(b.p, "one  two\n");
	buf_reset(&b);
	term_wrap(&b, slice_of("overlong_overlong x"), 0, 2, 9);
	assert_string_equal(b.p, "  overlong_overlong\n  x\n");
	buf_release(&b);
}

static void
sorts(void **state)
{
	static const char *const row[][2] = {
		{ "{ \"b\" : 1.0, \"a\" : [ 2, {\"z\":null,\"y\":1e2} ] }",
		    "{\"a\":[2,{\"y\":1e2,\"z\":null}],\"b\":1.0}" },
		{ "{\"\\u0062\":\"\\u0041\\/\",\"a\":true}",
		    "{\"a\":true,\"b\":\"A/\"}" },
		{ "\"\"", "\"\"" }, { "[ ]", "[]" }, { "{ }", "{}" },
	};
	struct scan s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct buf b = BUF_INIT(1000);

		assert_int_equal(scan_value(&s, row[i][0],
		    strlen(row[i][0])), 0);
		canonical_value(slice_of(row[i][0]), true, &b);
		assert_string_equal(b.p, row[i][1]);
		buf_release(&b);
	}
	scan_release(&s);
}

static void
counts(void **state)
{
	struct streaks all = { .n = 0 };
	struct sig sig = { 1, 2 };
	struct streak *e = NULL;
	char key[16];

	(void)state;
	for (size_t i = 1; i <= COUNTED_MAX + 2; i++) {
		struct open_call call = { .id = key, .line = i };

		snprintf(key, sizeof key, "\"%zu\"", i);
		e = streaks_put(&all, sig);
		foreign_count(e, &call);
	}
	assert_int_equal(e->n, COUNTED_MAX + 2);
	assert_int_equal(e->calls.n, COUNTED_MAX);
	assert_string_equal(e->calls.c[0].id, "\"3\"");
	assert_int_equal(e->calls.c[COUNTED_MAX - 1].line, COUNTED_MAX + 2);
	for (uint64_t i = 0; i < STREAKS_MAX - 1; i++)
		streaks_put(&all, (struct sig){ i + 9, i });
	assert_int_equal(streaks_put(&all, sig)->n, COUNTED_MAX + 2);
	for (uint64_t i = 0; i < STREAKS_MAX; i++)
		streaks_put(&all, (struct sig){ i, i + 9 });
	assert_int_equal(streaks_put(&all, sig)->n, 0);	/* forgotten */
	streaks_release(&all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths), cmocka_unit_test(cuts),
		cmocka_unit_test(cuts_everywhere), cmocka_unit_test(wraps),
		cmocka_unit_test(sorts), cmocka_unit_test(counts),
	};

	term_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
