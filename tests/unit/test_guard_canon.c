/* test_guard_canon.c - one spelling for equal JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "json/scan.h"
#include "sign/canonical.h"

static void
same(const char *in, const char *want)
{
	struct buf out = BUF_INIT(4096);
	struct scan s = { 0 };

	assert_int_equal(scan_value(&s, in, strlen(in)), 0);
	canonical_value(slice_of(in), false, &out);
	assert_string_equal(out.p, want);
	buf_release(&out);
	scan_release(&s);
}

static void
numbers(void **state)
{
	static const char *const row[][2] = {
		{ "0", "0" }, { "-0", "0" }, { "-0.0", "0" }, { "0e9", "0" },
		{ "1", "1" }, { "1.0", "1" }, { "10e-1", "1" }, { "1E0", "1" },
		{ "0.1e1", "1" }, { "-1.50", "-1.5" }, { "100", "100" },
		{ "1e2", "100" }, { "0.001", "0.001" }, { "1e-3", "0.001" },
		{ "12.34e1", "123.4" }, { "12.34e-3", "0.01234" },
		{ "9007199254740993", "9007199254740993" },
		{ "18446744073709551616.0", "18446744073709551616" },
		{ "1e400", "1e400" }, { "10e399", "1e400" },
		{ "1.5e-60", "15e-61" }, { "1e999999999999", "1e999999999999" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		same(row[i][0], row[i][1]);
}

static void
texts(void **state)
{
	(void)state;
	same("\"a\\/b\"", "\"a/b\"");
	same("\"\\u0041\\u00e9\\n\"", "\"A\xc3\xa9\\n\"");
	same("\"\\u000a\\u0001\"", "\"\\n\\u0001\"");
	same("\"\\\\u0041\"", "\"\\\\u0041\"");
	same("\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"");
	same("true", "true");
	same("\"\"", "\"\"");
}

static void
objects(void **state)
{
	(void)state;
	same("{ \"b\" : 1.0 , \"a\" : [ 1, null, { } ] }",
	    "{\"a\":[1,null,{}],\"b\":1}");
	same("{\"a\":null,\"b\":{\"c\":null,\"d\":2}}", "{\"b\":{\"d\":2}}");
	same("{\"\\u0062\":1,\"a\":2}", "{\"a\":2,\"b\":1}");
	/* by bytes: the longer one last, ASCII before the rest */
	same("{\"\xc3\xa9\":1,\"ab\":2,\"a\":3,\"B\":4}",
	    "{\"B\":4,\"a\":3,\"ab\":2,\"\xc3\xa9\":1}");
	same("[]", "[]");
	same("{}", "{}");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(texts),
		cmocka_unit_test(objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
