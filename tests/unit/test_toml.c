/* test_toml.c - the TOML subset: what passes, and what is said of the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "conf/toml.h"

static int
show(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct buf *out = ctx;

	(void)e;
	toml_path(out, ev->key, ev->nkey);
	if (ev->v != NULL) {
		buf_addc(out, '=');
		toml_show(out, ev->v);
	}
	buf_fmt(out, "@%zu ", ev->line);
	return 0;
}

static void
accepts(const char *text, const char *events)
{
	struct buf out = BUF_INIT(100000);
	struct err e = { 0 };

	if (toml_parse("F", text, strlen(text), show, &out, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	assert_string_equal(buf_view(&out).p, events);
	buf_release(&out);
}

static void
refuses(const char *text, const char *why)
{
	struct buf out = BUF_INIT(100000);
	struct err e = { 0 };

	if (toml_parse("F", text, strlen(text), show, &out, &e) == 0)
		fail_msg("accepted: %s", text);
	assert_int_equal(e.status, ST_CONFIG);
	assert_string_equal(e.text, why);
	buf_release(&out);
}

static void
test_toml_good(void **state)
{
	(void)state;
	accepts("", "");
	accepts("# only\n\n \t\r\n", "");
	accepts("a = 1", "a=1@1 ");
	accepts("a=1\r\nb='x'\r\n", "a=1@1 b=\"x\"@2 ");
	accepts("[a.b] # c\nc.\"d e\" . 'f.g' = true\n",
	    "a.b@1 a.b.c.\"d e\".\"f.g\"=true@2 ");
	accepts("a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00e4\\U0001F600\"",
	    "a=\"\\u0008\\u0009\\u000A\\u000C\\u000D\\\"\\\\"
	    "\xc3\xa4\xf0\x9f\x98\x80\"@1 ");
	accepts("a = 'C:\\x'", "a=\"C:\\\\x\"@1 ");
	accepts("a=+1_000\nb=-0\nc=9223372036854775807\n"
	    "d=-9223372036854775808",
	    "a=1000@1 b=-0@2 c=9223372036854775807@3 "
	    "d=-9223372036854775808@4 ");
	accepts("a=1.5\nb=-1e06\nc=6_0.2_5E-2",
	    "a=1.5@1 b=-1e06@2 c=60.25E-2@3 ");
	accepts("a = [ # x\n 1,\n\n 2, # y\n]\nb=[]", "a=[1, 2]@1 b=[]@6 ");
	accepts("a = [3, 15, 0.3]\nb=[0.5,\n2,]", "a=[3, 15, 0.3]@1 b=[0.5, 2]@2 ");
	accepts("a = [['b', 'c'],\n [], [ 'd', ], # e\n]\nb=[[]]",
	    "a=[[\"b\", \"c\"], [], [\"d\"]]@1 b=[[]]@4 ");
	accepts("1.2=3", "1.2=3@1 ");
	accepts("\"\"=1", "\"\"=1@1 ");
	accepts("[a.b]\n[a]\nc=1", "a.b@1 a@2 a.c=1@3 ");
	accepts("[a]\nb.c=1\nb.d=2\n[a.b.e]",
	    "a@1 a.b.c=1@2 a.b.d=2@3 a.b.e@4 ");
}

static void
test_toml_not_supported(void **state)
{
#define NOT "F:1: not supported here: "
	(void)state;
	refuses("a = 1979-05-27T07:32:00Z",
	    NOT "a date or time (write it as a string)");
	refuses("a = 07:32:00", NOT "a date or time (write it as a string)");
	refuses("a = {b = 1}", NOT "an inline table (write [TABLE])");
	refuses("a = \"\"\"\nx\"\"\"", NOT "a string over several lines");
	refuses("a = '''x'''", NOT "a string over several lines");
	refuses("[[a]]", NOT "an array of tables");
	refuses("a = 0x1f", NOT "a number that is not decimal");
	refuses("a = 0o17", NOT "a number that is not decimal");
	refuses("a = 0b11", NOT "a number that is not decimal");
	refuses("a = -inf", NOT "inf and nan");
	refuses("a = nan", NOT "inf and nan");
	refuses("a = 1e999", NOT "a number that large or that long");
	refuses("a = [1, 'x']", NOT "an array of several types");
	refuses("a = [1, 2.0, 'x']", NOT "an array of several types");
	refuses("a = [1.5, true]", NOT "an array of several types");
	refuses("a = [true, 1.5]", NOT "an array of several types");
	refuses("a = [[[1]]]", NOT "arrays nested that deeply");
	refuses("a = [[1], 2]", NOT "an array of several types");
	refuses("a = [[1, 'x']]", NOT "an array of several types");
	refuses("a = \"\\u0000\"", NOT "U+0000 in a string");
	refuses("\xef\xbb\xbf" "a = 1", NOT "a byte order mark");
#undef NOT
}

static void
test_toml_wrong(void **state)
{
	(void)state;
	refuses("a = 1\na = 2", "F:2: key \"a\" twice (line 1)");
	refuses("a = 1\n\"a\" = 2", "F:2: key \"a\" twice (line 1)");
	refuses("[x]\na.b = 1\na.b = 2", "F:3: key \"x.a.b\" twice (line 2)");
	refuses("[a]\n[b]\n[a]", "F:3: table [a] twice (line 1)");
	refuses("a.b = 1\n[a]", "F:2: table [a] twice (line 1)");
	refuses("a = 1\n[a]", "F:2: table [a] twice (line 1)");
	refuses("a = 1\na.b = 2", "F:2: \"a\" is a value already (line 1)");
	refuses("a = 1\n[a.b]", "F:2: \"a\" is a value already (line 1)");
	refuses("[a.b]\nc = 1\n[a]\nb.d = 1",
	    "F:4: [a.b] is a table already; add to it there (line 1)");
	refuses("[a.b]\n[a]\nb = 1", "F:3: key \"a.b\" twice (line 1)");
	refuses("a = 01", "F:1: not a value: 01 (strings need quotes)");
	refuses("a = 1__0", "F:1: not a value: 1__0 (strings need quotes)");
	refuses("a = _1", "F:1: not a value: _1 (strings need quotes)");
	refuses("a = 1_", "F:1: not a value: 1_ (strings need quotes)");
	refuses("a = 1.", "F:1: not a value: 1. (strings need quotes)");
	refuses("a = .1", "F:1: not a value: .1 (strings need quotes)");
	refuses("a = 1e", "F:1: not a value: 1e (strings need quotes)");
	refuses("a = word", "F:1: not a value: word (strings need quotes)");
	refuses("a = True", "F:1: not a value: True (strings need quotes)");
	refuses("a = 9223372036854775808",
	    "F:1: an integer that does not fit 64 bits");
	refuses("a =", "F:1: no value");
	refuses("a =\n1", "F:1: no value");
	refuses("a", "F:1: a key without = and a value");
	refuses("= 1",
	    "F:1: a key needs quotes, or letters, digits, - and _ only");
	refuses("a. = 1",
	    "F:1: a key needs quotes, or letters, digits, - and _ only");
	refuses("[]",
	    "F:1: a key needs quotes, or letters, digits, - and _ only");
	refuses("[a", "F:1: a table name without its ]");
	refuses("[a] b = 1",
	    "F:1: text after the table name");
	refuses("a = 1 b = 2", "F:1: text after the value");
	refuses("a = \"x", "F:1: an unterminated string");
	refuses("a = 'x\n'", "F:1: an unterminated string");
	refuses("a = \"\\x41\"", "F:1: unknown escape in a string (a "
	    "backslash is written \\\\, or the string in '...')");
	refuses("a = \"\\ud800\"",
	    "F:1: an escape that is not a Unicode character");
	refuses("a = \"\\u12\"", "F:1: \\u needs 4 hexadecimal digits");
	refuses("a = [1\n2]", "F:2: an unterminated array");
	refuses("a = [1,,2]", "F:1: no value");
	refuses("a = [\n1,", "F:2: an unterminated array");
	refuses("a = \"\x01\"", "F:1: control character 0x01");
	refuses("# \x7f", "F:1: control character 0x7f");
	refuses("a = 1\rb = 2", "F:1: control character 0x0d");
	refuses("# x\ry", "F:1: control character 0x0d");
	refuses("a = 'x\ry'", "F:1: control character 0x0d");
	refuses("a = 1\n\nb = '\xff'", "F:3: not UTF-8");
}

static void
test_toml_many_keys(void **state)
{
	struct buf text = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < TOML_KEYS_MAX; i++)
		buf_fmt(&text, "k%d = 1\n", i);
	assert_int_equal(toml_parse("F", text.p, text.len, show, &out, &e),
	    -1);
	assert_string_equal(e.text,
	    "F:4096: not supported here: so many keys in one file");
	buf_release(&text);
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_toml_good),
		cmocka_unit_test(test_toml_not_supported),
		cmocka_unit_test(test_toml_wrong),
		cmocka_unit_test(test_toml_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
