/* test_term.c - what would steer a terminal is shown, and not sent. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/ctrl.h"
#include "term/term.h"
#include "base/utf8.h"

static void
is_text(const char *in, const char *want,
    void (*how)(struct buf *, struct slice))
{
	struct buf b = BUF_INIT(1 << 16);

	how(&b, slice_of(in));
	assert_string_equal(buf_view(&b).p, want);
	buf_release(&b);
}

static void
escaped(void **state)
{
	static const char *const row[][2] = {
		{ "a\tb\n", "a\tb\n" }, { "\r\a\033[2J", "\\x0d\\x07\\x1b[2J" },
		{ "\x7f\xc2\x9b", "\\x7f\\x9b" }, { "\xff", "\\xff" },
		{ "\xe2\x80\xae", "\\u{202e}" }, { "\xd8\x9c", "\\u{61c}" },
		{ "\xe2\x80\xa8", "\\u{2028}" }, { "\xe2\x80\x8b",
		    "\\u{200b}" }, { "\xef\xbb\xbf", "\\u{feff}" },
		{ "\xc2\xad", "\\xad" }, { "\xf3\xa0\x81\x81", "\\u{e0041}" },
		{ "\xef\xbf\xb9", "\\u{fff9}" }, { "\xe6\x97\xa5\xc3\xa9",
		    "\xe6\x97\xa5\xc3\xa9" },
		{ "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
		    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" },
		{ "a\xe2\x80\x8d" "b", "a\\u{200d}b" },
		{ "\xf0\x9f\x91\xa9\xe2\x80\x8d" "b",
		    "\xf0\x9f\x91\xa9\\u{200d}b" },
		{ "\xd9\x87\xe2\x80\x8c\xd8\xa7", "\xd9\x87\xe2\x80\x8c"
		    "\xd8\xa7" },
		{ "\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7",
		    "\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7" },
		{ "\xd9\x87\xe2\x80\x8c\xe2\x80\x8c\xd8\xa7",
		    "\xd9\x87\\u{200c}\\u{200c}\xd8\xa7" },
		{ "a\xe2\x80\x8c\xd8\xa7", "a\\u{200c}\xd8\xa7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		is_text(row[i][0], row[i][1], term_escape);
}

/* A cluster is as wide as its widest character and the vowel signs that have
 * columns; without the library marks of no width stay with what they are on. */
static void
clusters(void **state)
{
	static const struct {
		const char *text;
		size_t n, columns;
		bool differs;
	} row[] = {
		{ "ab", 1, 1, false }, { "e\xcc\x81x", 3, 1, false },
		{ "\xe6\x97\xa5x", 3, 2, false }, { "\033[", 1, 1, false },
		{ "\xe2\x80\xae", 3, 1, false }, { "\xff", 1, 1, false },
		{ "", 0, 1, false },
		{ "\xe2\x9d\xa4\xef\xb8\x8f!", 6, 2, true },
		{ "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb!", 11, 2,
		    true },
		{ "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xa9", 8, 2,
		    true },
		{ "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd.", 8, 2, true },
		{ "a\xe2\x80\x8d" "b", 1, 1, false },
		{ "\xd9\x87\xe2\x80\x8c\xd8\xa7", 5, 1, false },
		{ "\xe0\xa5\x8d\xe2\x80\x8d.", 3, 0, false },
		{ "\xe0\xa4\x95\xe0\xa4\xbf.", 6, 2, false },
		{ "\xe0\xb8\x81\xe0\xb8\xb3.", 6, 2, false },
		{ "\xef\xbd\xb6\xef\xbe\x9e.", 6, 2, false },
		{ "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab.", 9, 2, false },
	};
	size_t w;

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	term_init();
	assert_int_equal(term_cluster(slice_of("e\xcc\x81x"), &w), 3);
	if (!term_open_clusters())
		skip();
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct slice t = slice_of(row[i].text);

		assert_int_equal(term_cluster(t, &w), row[i].n);
		assert_int_equal(w, row[i].columns);
		t.n = row[i].n;
		assert_int_equal(term_cluster_differs(t), row[i].differs);
		assert_int_equal(term_width(t), t.n > 0 ? w : 0);
	}
}

static void
json(void **state)
{
	static const char *const row[][2] = {
		{ "{\"a\":\"\\u001b\"}", "{\"a\":\"\\u001b\"}" },
		{ "\"\x7f\xe2\x80\xae\"", "\"\\u007f\\u202e\"" },
		{ "\"\xf3\xa0\x81\x81\"", "\"\\udb40\\udc41\"" },
		{ "\"\xc3\xa9\"", "\"\xc3\xa9\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		is_text(row[i][0], row[i][1], term_json);
}

/* Whatever comes in: nothing of the list comes out, but LF and TAB. */
static void
none_passes(void **state)
{
	struct buf in = BUF_INIT((size_t)8 << 20), out = BUF_INIT(
	    (size_t)64 << 20);

	(void)state;
	for (unsigned long cp = 1; cp < 0x110000; cp++)
		utf8_put(&in, cp);
	term_escape(&out, buf_view(&in));
	for (size_t at = 0, n; at < out.len; at += n) {
		const unsigned char *p = (unsigned char *)out.p + at;
		unsigned long cp;

		n = utf8_len(p, out.len - at);
		assert_true(n > 0);
		cp = ctrl_code(p, n);
		assert_true(cp == '\n' || cp == '\t' || !ctrl_is(cp));
	}
	buf_release(&in);
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escaped),
		cmocka_unit_test(clusters), cmocka_unit_test(json),
		cmocka_unit_test(none_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
