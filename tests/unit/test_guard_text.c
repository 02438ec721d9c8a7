/* test_guard_text.c - results: spelling makes no difference, times do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json/scan.h"
#include "text/digest.h"

static struct digest
digest(const char *json, struct hash_set *seen)
{
	struct buf scratch[2] = { BUF_INIT(1 << 20), BUF_INIT(1 << 20) };
	struct hash_set own = { .young.n = 0 };
	struct buf text = BUF_INIT(1 << 20);
	struct digest d = { 0 };

	scan_inside(slice_of(json), &text);
	digest_text(&text, seen != NULL ? seen : &own,
	    &(struct digest_of){ .quick = false }, scratch, &d);
	hash_set_clear(&own);
	buf_release(&text);
	buf_release(&scratch[0]);
	buf_release(&scratch[1]);
	return d;
}

/* The same text, escaped in several ways. */
static void
spelling(void **state)
{
	static const char *const rows[][2] = {
		{ "a b", "\\u0061\\u0020b" },
		{ "a\\nb\\n", "a\\u000ab\\u000A" },
		{ "x \\/ y", "x / y" },
		{ "\\tint i;\\n", "\\u0009int i;\\n" },
		{ "\303\251 \\\"q\\\"", "\\u00e9 \\u0022q\\u0022" },
		{ "\\u000bv\\u000b\\n\\u0001", "\\u000Bv\\n\\u0001" },
		{ "\360\237\230\200", "\\ud83d\\uDE00" },
		{ "{\\\"a\\\":1}", "\\u007b\\\"a\\\":1}" },
		{ "a\\n\\nb", "a\\r\\n \\t\\nb \\r" },	/* line ends */
	};
	char a[400], b[400];

	(void)state;
	/* at every place in a block of 64 bytes */
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (int n = 0; n < 70; n++) {
			struct digest x, y;

			snprintf(a, sizeof a, "%.*s%s", n,
			    "\\\\-------------------------------------------"
			    "---------------------------", rows[i][0]);
			snprintf(b, sizeof b, "%.*s%s", n,
			    "\\\\-------------------------------------------"
			    "---------------------------", rows[i][1]);
			if (n == 1)
				continue;	/* half an escape */
			x = digest(a, NULL);
			y = digest(b, NULL);
			assert_true(x.hash == y.hash && x.norm == y.norm);
			assert_int_equal(x.lines, y.lines);
			assert_int_equal(x.gain, y.gain);
		}
	assert_true(digest("\\\\tx", NULL).hash != digest("\\tx", NULL).hash);
	assert_true(digest(" x", NULL).hash != digest("x", NULL).hash);
	assert_true(digest("a\\nb", NULL).hash != digest("a\\n\\nb",
	    NULL).hash);
}

/* What changes by itself and what does not, wherever it stands. */
static void
changes(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{ "at 12:30:01 ok", "at 07:05:59 ok", true },
		{ "2026-11-20T10:15:00Z", "2025-01-02T03:04:05Z", true },
		{ "Nov 20 x", "Dec  2 x", true },
		{ "took 1.52s", "took 0.3s", true },
		{ "in 12 ms", "in 7 ms", true },
		{ "in 3 minutes", "in 4 minutes", true },
		{ "1m30s", "2m05s", true },
		{ "pid 123", "pid 9", true },
		{ "\\\"pid\\\": 123,", "\\\"pid\\\": 9,", true },
		{ "process [4411] is up", "process [98] is up", true },
		{ "cc[123]: x", "cc[9]: x", true },
		{ "0x7ffe1234 x", "0x55551234 x", true },
		{ "/tmp/ab12/x", "/tmp/cd34/x", true },
		{ "line 12", "line 13", false },
		{ "12 errors", "13 errors", false },
		{ "a.c:12:3", "a.c:13:3", false },
		{ "v1.2", "v1.3", false },
		{ "[12]", "[13]", false },
		{ "0x12", "0x13", false },
		{ "/usr/a1", "/usr/a2", false },
		{ "x 1.5 y", "x 1.6 y", false },
	};
	static const char *const before[] = { "", "\\t", "a\\n", "\\\\ ",
		"\\\"", "x = ", "0123456789012345678901234567890123456789"
		"01234567890123456 ", "{ " };
	char a[200], b[200];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
			struct digest x, y;

			snprintf(a, sizeof a, "%s%s", before[k], rows[i].a);
			snprintf(b, sizeof b, "%s%s", before[k], rows[i].b);
			x = digest(a, NULL);
			y = digest(b, NULL);
			assert_true(x.hash != y.hash);
			if ((x.norm == y.norm) != rows[i].same)
				fail_msg("%s and %s", a, b);
		}
}

/* Numbers and ids masked, whatever they mean. */
static void
masks(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{ "line 12 of 7", "line 13 of 144", true },
		{ "v1.2-a", "v1.3-a", true },
		{ "at 3f2a9c1", "at 77d0e4b", true },
		{ "x 123e4567-e89b-12d3-a456-426614174000 y",
		    "x 9aaabbbb-cccc-dddd-eeee-ffffffffffff y", true },
		{ "took 1m30s for 5", "took 12s for 6", true },
		{ "\\\"a\\\": 1", "\\\"a\\\": 2", true },
		{ "12 a", "12 b", false },
		{ "decade", "facade", false },
		{ "deadbeef", "cafebabe", false },
		{ "1", "", false },
		{ "1 2", "12", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct digest x = digest(rows[i].a, NULL);
		struct digest y = digest(rows[i].b, NULL);

		if ((x.mask == y.mask) != rows[i].same)
			fail_msg("%s and %s", rows[i].a, rows[i].b);
	}
	assert_true(digest("a\\nb 1\\nc", NULL).mask ==
	    digest("a\\nb 22\\nc", NULL).mask);
	assert_true(digest("a\\nb 1\\nc", NULL).mask !=
	    digest("a\\nb 22\\nd", NULL).mask);
}

static void
json_members(void **state)
{
	(void)state;
	assert_true(digest("{\\\"took_ms\\\": 5, \\\"a\\\": 1}", NULL).norm ==
	    digest("{\\\"took_ms\\\": 6, \\\"a\\\": 1}", NULL).norm);
	assert_true(digest("{\\\"request_id\\\" :\\\"q\\\"}", NULL).norm ==
	    digest("{\\\"request_id\\\" :\\\"r\\\"}", NULL).norm);
	assert_true(digest("{\\\"count\\\": 5}", NULL).norm !=
	    digest("{\\\"count\\\": 6}", NULL).norm);
	/* in a plain text it is a text */
	assert_true(digest("x {\\\"took_ms\\\": 5}", NULL).norm !=
	    digest("x {\\\"took_ms\\\": 6}", NULL).norm);
}

/* Characters that were not shown before, not bytes and not escapes. */
static void
gain(void **state)
{
	struct hash_set seen = { .young.n = 0 };

	(void)state;
	assert_int_equal(digest("  ab\\tc\\\"\303\251\\t \\nab", &seen).gain, 8);
	assert_int_equal(digest("ab\\n\\tab\\tc\\\"\303\251", &seen).gain, 0);
	assert_int_equal(digest("ab\\n\\u0061b\\nabc", &seen).gain, 3);
	assert_int_equal(digest("", &seen).lines, 0);
	assert_int_equal(digest("\\n \\t\\r\\n", &seen).lines, 0);
	hash_set_clear(&seen);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelling), cmocka_unit_test(changes),
		cmocka_unit_test(masks), cmocka_unit_test(json_members),
		cmocka_unit_test(gain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
