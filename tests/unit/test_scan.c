/* test_scan.c - the scanner: verdicts, slices, decoding, quoting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/scan.h"

static int
verdict(const char *text, size_t n, const char **why)
{
	/* an exact copy on the heap, so that ASan sees a byte read too many */
	char *p = malloc(n != 0 ? n : 1);
	struct scan s = { 0 };
	int r;

	memcpy(p, text, n);
	r = scan_record(&s, p, n);
	if (why != NULL)
		*why = s.why;
	scan_release(&s);
	free(p);
	return r;
}

#define accepts(lit) assert_int_equal(verdict(lit, sizeof(lit) - 1, NULL), 0)
#define refuses(lit, wanted) do {					\
	const char *why_;						\
	assert_int_equal(verdict(lit, sizeof(lit) - 1, &why_), -1);	\
	assert_string_equal(why_, wanted);				\
} while (0)

static void
rules_of_the_door(void **state)
{
	(void)state;
	accepts("{}");
	accepts(" \t{ \"a\" : 1 }\r");
	accepts("{\"a\":\"\\ud800\"}");
	accepts("{\"a\":1e400,\"b\":123456789012345678901234567890}");
	accepts("{\"a\":{\"k\":1},\"b\":{\"k\":1}}");
	refuses("", "blank line");
	refuses("   ", "blank line");
	refuses("[1]", "not a JSON object");
	refuses("\"x\"", "not a JSON object");
	refuses("\xef\xbb\xbf{}", "byte order mark");
	refuses("{}{}", "bytes after the value");
	refuses("{} x", "bytes after the value");
	refuses("{\"a\":\"\\u0000\"}", "\\u0000 in a string");
	refuses("{\"a\":\"\x01\"}", "control byte in a string");
	refuses("{\"a\":\"\xff\"}", "not UTF-8");
	refuses("{\"a\":\"\xed\xa0\x80\"}", "not UTF-8");
	refuses("{\"a\":\"\xc0\xaf\"}", "not UTF-8");
	refuses("\xff", "not UTF-8");
	refuses("{\"a\":01}", "number with a leading zero");
	refuses("{\"a\":1.}", "no digit after the decimal point");
	refuses("{\"a\":+1}", "not a JSON value");
	refuses("{\"a\":NaN}", "not a JSON value");
	refuses("{\"a\":1,}", "expected a key");
	refuses("{\"a\" 1}", "expected ':'");
	refuses("{\"a\":1", "unterminated object");
	refuses("{\"a\":\"x", "unterminated string");
	refuses("{\"a\":\"x\\", "unterminated string");
	refuses("{\"a\":\"\\x\"}", "bad escape in a string");
}

static void
keys_twice(void **state)
{
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	refuses("{\"a\":1,\"a\":1}", "duplicate key");
	refuses("{\"a\":1,\"\\u0061\":1}", "duplicate key");
	refuses("{\"x\":{\"path\":1,\"pa\\u0074h\":1}}", "duplicate key");
	refuses("{\"\\ud800\":1,\"\\uD800\":2}", "duplicate key");
	accepts("{\"\\ud800\":1,\"\\ud801\":2}");
	accepts("{\"a\":1,\"A\":1}");
	/* near the end of the line and far from it, long and short */
	for (int k = 1; k < 40; k++) {
		buf_reset(&b);
		buf_fmt(&b, "{\"%.*s\":1,\"%.*s\":2}", k,
		    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", k,
		    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop");
		assert_int_equal(verdict(b.p, b.len, NULL), -1);
	}
	/* many keys: all different, then the last one a second time */
	for (int again = 0; again < 2; again++) {
		buf_reset(&b);
		buf_adds(&b, "{\"k0\":0");
		for (int i = 1; i < 5000; i++)
			buf_fmt(&b, ",\"k%d\":%d", i, i);
		if (again)
			buf_adds(&b, ",\"k17\":0");
		buf_adds(&b, "}");
		assert_int_equal(verdict(b.p, b.len, NULL), again ? -1 : 0);
	}
	buf_release(&b);
}

/* J6 */
static void
depth(void **state)
{
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	for (int n = 511; n <= 512; n++) {
		buf_reset(&b);
		buf_adds(&b, "{\"a\":");
		for (int i = 0; i < n; i++)
			buf_addc(&b, '[');
		for (int i = 0; i < n; i++)
			buf_addc(&b, ']');
		buf_addc(&b, '}');
		assert_int_equal(verdict(b.p, b.len, NULL),
		    n == 511 ? 0 : -1);
	}
	buf_release(&b);
}

/* Every place of a special byte in a block, and every length of a string. */
static void
block_borders(void **state)
{
	char s[128];

	(void)state;
	for (size_t len = 1; len < 70; len++)
		for (size_t at = 0; at + 1 < len; at++) {
			size_t n = len + 7;

			memcpy(s, "{\"a\":\"", 6);
			memset(s + 6, 'x', len);
			memcpy(s + 6 + len, "\"}", 3);
			n = 6 + len + 2;
			memcpy(s + 6 + at, "\\n", 2);
			assert_int_equal(verdict(s, n, NULL), 0);
			memcpy(s + 6 + at, "\xc3\xa9", 2);
			assert_int_equal(verdict(s, n, NULL), 0);
			memcpy(s + 6 + at, "\xc3x", 2);
			assert_int_equal(verdict(s, n, NULL), -1);
			memcpy(s + 6 + at, "\x1fx", 2);
			assert_int_equal(verdict(s, n, NULL), -1);
			memcpy(s + 6 + at, "\\q", 2);
			assert_int_equal(verdict(s, n, NULL), -1);
			if (at + 2 < len) {
				memcpy(s + 6 + at, "x\"x", 3);
				assert_int_equal(verdict(s, n, NULL), -1);
			}
		}
}

static void
slices(void **state)
{
	static const char text[] = "{\"a\": {\"x\":[1, \"two\" ,{}]}, "
	    "\"\\u0062\":\"c\\u00e9\\ud83d\\ude00\\ud800!\",\"n\":-7,"
	    "\"t\":true, \"e\":[]}";
	struct slice doc = slice_of(text), v, el;
	struct buf b = BUF_INIT(1000);
	struct scan s = { 0 };
	struct walk w;
	int64_t n;

	(void)state;
	assert_int_equal(scan_record(&s, doc.p, doc.n), 0);
	assert_int_equal(s.n, 5);
	assert_true(scan_key_is(s.m[1].key, "b"));
	v = scan_get(scan_get(doc, "a"), "x");
	assert_true(slice_is(v, "[1, \"two\" ,{}]"));
	w = walk_of(v);
	assert_true(walk_next(&w, NULL, &el) && slice_is(el, "1"));
	assert_true(walk_next(&w, NULL, &el) && slice_is(el, "\"two\""));
	assert_true(walk_next(&w, NULL, &el) && slice_is(el, "{}"));
	assert_false(walk_next(&w, NULL, &el));
	assert_true(scan_str(scan_get(doc, "b"), &b));
	assert_string_equal(b.p, "c\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd!");
	assert_true(scan_int(scan_get(doc, "n"), &n) && n == -7);
	assert_true(scan_true(scan_get(doc, "t")));
	w = walk_of(scan_get(doc, "e"));
	assert_false(walk_next(&w, NULL, &el));
	w = walk_elements(doc);
	assert_false(walk_next(&w, NULL, &el));
	assert_null(scan_get(doc, "absent").p);
	buf_release(&b);
	scan_release(&s);
}

static void
quoting(void **state)
{
	static const char raw[] = "a\"b\\c\n\t\x01\x7f\xc3\xa9/";
	struct buf q = BUF_INIT(1000), back = BUF_INIT(1000);

	(void)state;
	scan_quote(&q, raw, sizeof raw - 1);
	assert_string_equal(q.p,
	    "\"a\\\"b\\\\c\\n\\t\\u0001\x7f\xc3\xa9/\"");
	assert_true(scan_str(buf_view(&q), &back));
	assert_string_equal(back.p, raw);
	buf_reset(&q);
	scan_put(&q, "{'a':@,'b':[$,$]}", SLICE("x\""), SLICE("1"),
	    SLICE("{\"c\":2}"));
	scan_put(&q, ",'d'");
	scan_put(&q, "@", (struct slice){ NULL, 0 });
	scan_put(&q, "?,?", (struct slice){ NULL, 0 }, SLICE(""));
	assert_string_equal(q.p,
	    "{\"a\":\"x\\\"\",\"b\":[1,{\"c\":2}]},\"d\"\"\"null,\"\"");
	buf_release(&q);
	buf_release(&back);
}

/* Runs of backslashes before the closing quote, at every place of a block. */
static void
test_walk_strings(void **state)
{
	(void)state;
	for (size_t at = 0; at < 140; at++)
		for (size_t run = 0; run < 70; run++) {
			struct buf b = BUF_INIT(1 << 12);
			struct slice val;
			struct walk w;

			buf_adds(&b, "[\"");
			for (size_t i = 0; i < at; i++)
				buf_addc(&b, 'x');
			for (size_t i = 0; i < run; i++)
				buf_addc(&b, '\\');
			buf_adds(&b, run % 2 == 1 ? "\"\",5,\"" : "\",5,\"");
			for (size_t i = 0; i < 80; i++)
				buf_addc(&b, 'y');
			buf_adds(&b, "\"]");
			w = walk_of(buf_view(&b));
			assert_true(walk_next(&w, NULL, &val));
			assert_int_equal(val.n, at + run + 2 + run % 2);
			assert_true(walk_next(&w, NULL, &val));
			assert_true(slice_is(val, "5"));
			assert_true(walk_next(&w, NULL, &val));
			assert_int_equal(val.n, 82);
			assert_false(walk_next(&w, NULL, &val));
			buf_release(&b);
		}
}

/* What fits decoded fits, however long its escapes are. */
static void
test_decode_ceiling(void **state)
{
	struct buf b = BUF_INIT(4);

	(void)state;
	assert_true(scan_str(SLICE("\"\\ud83d\\ude00\""), &b));
	assert_true(slice_is(buf_view(&b), "\xf0\x9f\x98\x80") && !b.over);
	assert_true(scan_str(SLICE("\"\""), &b));
	assert_false(b.over);
	scan_str(SLICE("\"x\""), &b);
	assert_true(b.over && b.len == 4);
	buf_release(&b);
}

/* One scanner for texts that begin alike says of each what a new one says. */
static void
test_prefix(void **state)
{
	static const char *const bits[] = { ",{\"a\":1}", ",{\"a\":1,\"a\":2}",
	    "]", ",", "[", "}", "\"", ",[1,2]", ",\"\\u00e9\"", ",{\"k\":[0]}" };
	struct scan one = { 0 };
	size_t refused = 0;
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct buf b = BUF_INIT(1 << 20);
		struct scan fresh = { 0 };
		char *p;
		int r;

		buf_adds(&b, round % 97 == 0 ? "{ \"messages\":[{}" :
		    "{\"messages\":[{}");
		for (int i = 0; i < 900; i++)
			buf_fmt(&b, ",{\"id\":%d}", i);
		for (int i = 0; i < round % 3; i++) {
			seed = seed * 1103515245 + 12345;
			buf_adds(&b, bits[seed >> 16 & 7]);
		}
		buf_adds(&b, "],\"tools\":[0,1]}");
		seed = seed * 1103515245 + 12345;
		if (round % 4 == 0)
			b.p[(seed >> 8) % b.len] = bits[seed >> 4 & 7][0];
		p = malloc(b.len);
		memcpy(p, b.p, b.len);
		r = scan_record(&fresh, p, b.len);
		refused += r < 0;
		assert_int_equal(scan_record(&one, p, b.len), r);
		assert_int_equal(one.at, fresh.at);
		if (r < 0)
			assert_string_equal(one.why, fresh.why);
		assert_int_equal(one.n, fresh.n);
		for (size_t i = 0; i < one.n; i++) {
			assert_ptr_equal(one.m[i].val.p, fresh.m[i].val.p);
			assert_int_equal(one.m[i].val.n, fresh.m[i].val.n);
		}
		scan_release(&fresh);
		free(p);
		buf_release(&b);
	}
	assert_in_range(refused, 300, 2900);
	scan_release(&one);
}

/* A string of n random atoms: its JSON and what it stands for. */
static void
random_string(uint32_t *seed, size_t n, struct buf *json, struct buf *text)
{
	static const char *const atoms[][2] = {
		{ "x", "x" }, { "word and word", "word and word" },
		{ "\\n", "\n" }, { "\\\"", "\"" }, { "\\\\", "\\" },
		{ "\\t", "\t" }, { "\\/", "/" }, { "\\u0001", "\x01" },
		{ "\\u00e9", "\xc3\xa9" }, { "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "\\ud83d", "\xef\xbf\xbd" }, { "0123456789abcdef"
		"0123456789abcdef0123456789abcdef", "0123456789abcdef"
		"0123456789abcdef0123456789abcdef" },
	};

	buf_addc(json, '"');
	for (size_t i = 0; i < n; i++) {
		uint32_t k;

		*seed = *seed * 1664525 + 1013904223;
		k = (*seed >> 16) % (sizeof atoms / sizeof *atoms);
		if (k == 11 && i + 1 < n)
			k = 1;	/* or a surrogate behind it would pair */
		buf_adds(json, atoms[k][0]);
		buf_adds(text, atoms[k][1]);
	}
	buf_addc(json, '"');
}

/* Decoded, and quoted and decoded again, whatever stands where. */
static void
test_random_strings(void **state)
{
	struct buf json = BUF_INIT(1 << 16), text = json, got = json;
	struct scan s = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 6000; i++) {
		buf_reset(&json);
		buf_reset(&text);
		buf_reset(&got);
		random_string(&seed, i % 60, &json, &text);
		assert_int_equal(scan_value(&s, json.p, json.len), 0);
		assert_true(scan_str(buf_view(&json), &got));
		assert_int_equal(got.len, text.len);
		assert_true(text.len == 0 || slice_eq(buf_view(&got),
		    buf_view(&text)));
		buf_reset(&json);
		scan_quote(&json, got.p, got.len);
		assert_int_equal(scan_value(&s, json.p, json.len), 0);
		buf_reset(&got);
		assert_true(scan_str(buf_view(&json), &got));
		assert_true(text.len == 0 || slice_eq(buf_view(&got),
		    buf_view(&text)));
	}
	scan_release(&s);
	buf_release(&json);
	buf_release(&text);
	buf_release(&got);
}

/* One bad escape among good ones is found wherever it stands. */
static void
test_bad_escapes(void **state)
{
	struct scan s = { 0 };

	(void)state;
	for (size_t at = 0; at < 200; at++) {
		char json[420] = "\"";

		for (size_t i = 0; i < 200; i++)
			memcpy(json + 1 + 2 * i, i == at ? "\\x" :
			    i % 3 == 0 ? "\\n" : i % 3 == 1 ? "\\\\" :
			    "\\b", 3);
		strcat(json, "\"");
		assert_int_equal(scan_value(&s, json, strlen(json)), -1);
		assert_int_equal(s.at, 1 + 2 * at);
	}
	scan_release(&s);
}

/* Wherever half of a pair stands, it is found; a whole pair is none. */
static void
half_a_pair_is_found(void **state)
{
	(void)state;
	for (size_t before = 0; before < 140; before++)
		for (size_t behind = 0; behind < 140; behind += 23) {
			static const char half[] = "\\ud83d", rest[] = "\\ude00";
			size_t n = before + 6 + behind;
			char *p = malloc(n + 6);

			memset(p, 'u', n + 6);
			memcpy(p + before, half, 6);
			assert_ptr_equal(scan_lone_surrogate(
			    (struct slice){ p, n }), p + before);
			memcpy(p + before + 6, rest, 6);
			assert_null(scan_lone_surrogate(
			    (struct slice){ p, n + 6 }));
			memcpy(p + before, "\\\\ud83d", 7);
			assert_ptr_equal(scan_lone_surrogate((struct slice){ p,
			    before + 7 }), NULL);
			free(p);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_the_door),
		cmocka_unit_test(keys_twice),
		cmocka_unit_test(depth),
		cmocka_unit_test(block_borders),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(slices),
		cmocka_unit_test(quoting),
		cmocka_unit_test(test_walk_strings),
		cmocka_unit_test(test_decode_ceiling),
		cmocka_unit_test(half_a_pair_is_found),
		cmocka_unit_test(test_random_strings),
		cmocka_unit_test(test_bad_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
