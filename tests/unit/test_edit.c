/* test_edit.c - literal edits, the nearest text, diffs, and proofs. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/diff.h"
#include "files/edit.h"
#include "files/internal.h"
#include "json/scan.h"

/* Edit text; the result, or "CODE: words".  Yours. */
static char *
edit(const char *text, const char *args)
{
	struct buf out = BUF_INIT(1 << 20);
	struct scan s = { 0 };
	struct edits e;
	struct fault f = { 0 };
	struct slice t = slice_of(text);

	assert_int_equal(scan_value(&s, args, strlen(args)), 0);
	buf_adds(&out, "");
	if (edits_parse(&e, slice_of(args), &f) < 0 ||
	    edits_make(&e, t, "f", &out, &f) < 0) {
		buf_reset(&out);
		buf_fmt(&out, "%s: %s", f.code, f.err.text);
	}
	edits_release(&e);
	scan_release(&s);
	return buf_detach(&out);
}

static void
gives(const char *text, const char *args, const char *want)
{
	char *got = edit(text, args);

	assert_string_equal(got, want);
	free(got);
}

static void
says(const char *text, const char *args, const char *part)
{
	char *got = edit(text, args);

	if (strstr(got, part) == NULL)
		fail_msg("got: %s\nwanted in it: %s", got, part);
	free(got);
}

static void
literal(void **state)
{
	(void)state;
	gives("a $& b", "{\"old\":\"a\",\"new\":\"$& \\\\1\"}", "$& \\1 $& b");
	gives("x.y", "{\"old\":\".\",\"new\":\"\"}", "xy");
	gives("aXbXc", "{\"old\":\"X\",\"new\":\"XX\",\"all\":true}",
	    "aXXbXXc");
	gives("aaaa", "{\"old\":\"aa\",\"new\":\"b\",\"all\":true}", "bb");
	gives("one two", "{\"edits\":[{\"old\":\"two\",\"new\":\"one\"},"
	    "{\"old\":\"one\",\"new\":\"two\"}]}", "two one");
	gives("a", "{\"old\":\"\",\"new\":\"\",\"edits\":["
	    "{\"old\":\"a\",\"new\":\"b\"}]}", "b");
}

static void
refused(void **state)
{
	(void)state;
	says("a", "{\"old\":\"\",\"new\":\"b\"}", "bad_arguments: old is empty; "
	    "give the exact text to replace, or make a new file with write");
	says("a", "{\"old\":\"a\",\"new\":\"a\"}", "bad_arguments: ");
	says("x\naaa\n", "{\"old\":\"aa\",\"new\":\"b\"}",
	    "ambiguous: old occurs 2 times in f, line 2;");
	says("a\nb\na\n", "{\"old\":\"a\",\"new\":\"b\"}",
	    "ambiguous: old occurs 2 times in f, lines 1, 3;");
	/* no_match of any edit comes before ambiguous of another */
	says("a a b", "{\"edits\":[{\"old\":\"a\",\"new\":\"x\"},"
	    "{\"old\":\"q\",\"new\":\"x\"}]}", "no_match: edit 2: ");
	says("abc", "{\"edits\":[{\"old\":\"ab\",\"new\":\"x\"},"
	    "{\"old\":\"bc\",\"new\":\"x\"}]}",
	    "bad_arguments: edits 1 and 2 overlap at line 1");
}

static void
nearest(void **state)
{
	static const char text[] = "int f(void)\n{\n\treturn 1;\n}\n"
	    "int g(void)\n{\n\treturn 2;\n}\n";

	(void)state;
	says(text, "{\"old\":\"{\\n    return 2;\\n}\",\"new\":\"x\"}",
	    "no_match: old does not occur in f; the nearest text is at "
	    "line 6:\nold line 2:  \"    return 2;\"\n"
	    "file line 7: \"\\treturn 2;\"\n"
	    "different from here: U+0020 (space) in old, U+0009 (tab) in "
	    "the file");
	says("say \xe2\x80\x9chi\xe2\x80\x9d\n",
	    "{\"old\":\"say \\\"hi\\\"\",\"new\":\"x\"}",
	    "U+0022 in old, U+201C in the file");
	/* a line left out, or one more: where it begins */
	says("one\n\ntwo\nthree\nfour\n", "{\"old\":\"one\\ntwo\\nthree\\n"
	    "four\",\"new\":\"x\"}", "at line 1:\nold line 2:  \"two\"\n"
	    "file line 2: \"\"");
	says("zero\none\ntwo\nthree\nfour\n", "{\"old\":\"one\\n\\ntwo\\n"
	    "three\\nfour\",\"new\":\"x\"}", "at line 2:\nold line 2:  "
	    "\"\"\nfile line 3: \"two\"");
	/* a part of a line, or more than one */
	says("a\nshort = f(a_rather_long_name, with, many, words);\n",
	    "{\"old\":\"f(a_rather_long_nane\",\"new\":\"x\"}",
	    "at line 2:\nold line 1:  \"f(a_rather_long_nane\"\n"
	    "file line 2: \"short = f(a_rather_long_name, with, many, words);"
	    "\"\ndifferent from here: U+006E in old, U+006D in the file");
	says("a\nif (it_is_so) {\n", "{\"old\":\"if (it_is_so) {\\\\n  then "
	    "do what is to be done\",\"new\":\"x\"}", "at line 2:\nold line 1:  "
	    "\"if (it_is_so) {\\\\n  then do what is to be done\"\nfile line 2: "
	    "\"if (it_is_so) {\"\ndifferent from here: U+005C in old, the "
	    "end of the line in the file");
	says("x\nd e f\na b c d e {\n", "{\"old\":\"a  b \\tc  d  e  {\","
	    "\"new\":\"x\"}", "the nearest text is at line 3:\n");
	says("a line of text", "{\"old\":\"a line of text\\n\",\"new\":\"x\"}",
	    "the file has no newline there");
	says("alpha\n", "{\"old\":\"zzzz\",\"new\":\"x\"}",
	    "nothing in it is similar");
	says("", "{\"old\":\"zzzz\",\"new\":\"x\"}",
	    "nothing in it is similar");
	says("caf\xe9 one two\n", "{\"old\":\"caf\xc3\xa9 one two\","
	    "\"new\":\"x\"}", "the byte 0xE9 in the file");
}

/* ---- diffs ---- */

static void
diffs(const char *old, const char *new, const char *want)
{
	struct diff d, again;
	struct buf b = BUF_INIT(1 << 20);

	diff_make(&d, slice_of(old), slice_of(new));
	assert_false(diff_print(&d, "f", false, 1 << 16, &b));
	assert_string_equal(b.p != NULL ? b.p : "", want);
	diff_parse(&again, buf_view(&b));
	assert_int_equal(again.n, d.n);
	for (size_t i = 0; i < d.n; i++)
		assert_memory_equal(&again.v[i], &d.v[i], sizeof d.v[i]);
	diff_release(&d);
	diff_release(&again);
	buf_release(&b);
}

#define HEAD "--- a/f\n+++ b/f\n"

static void
unified(void **state)
{
	(void)state;
	diffs("a\n", "a\n", "");
	diffs("a\nb\nc\n", "a\nx\nc\n",
	    HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
	diffs("", "a\n", HEAD "@@ -0,0 +1 @@\n+a\n");
	diffs("a\n", "", HEAD "@@ -1 +0,0 @@\n-a\n");
	diffs("a", "a\n", HEAD "@@ -1 +1 @@\n-a\n"
	    "\\ No newline at end of file\n+a\n");
	diffs("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n3\n4\n5\n6\n7\n8\n9\nx\n",
	    HEAD "@@ -1,5 +1,4 @@\n 1\n-2\n 3\n 4\n 5\n"
	    "@@ -7,3 +6,4 @@\n 7\n 8\n 9\n+x\n");
}

static void
diff_is_capped(void **state)
{
	struct buf old = BUF_INIT(1 << 20), new = BUF_INIT(1 << 20);
	struct buf out = BUF_INIT(1 << 20);
	struct diff d;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		buf_fmt(&old, "line %d\n", i);
		buf_fmt(&new, "line %d\n", i * 7);
	}
	diff_make(&d, buf_view(&old), buf_view(&new));
	assert_true(diff_print(&d, "f", false, 4096, &out));
	assert_true(out.len <= 4096);
	assert_non_null(strstr(out.p, "\n[diff cut here]\n"));
	diff_release(&d);
	buf_release(&old);
	buf_release(&new);
	buf_release(&out);
}

static void
hostile_lines(void **state)
{
	struct diff d;

	(void)state;
	diff_parse(&d, SLICE("@@ -9223372036854775807 "
	    "+9223372036854775807 @@\n-a\n-b\n+c\n"));
	assert_int_equal(d.n, 1);
	assert_int_equal(d.v[0].a, 0);
	assert_int_equal(d.v[0].an, 2);
	diff_release(&d);
}

/* ---- proofs ---- */

#define H1 "1111111111111111111111111111111111111111111111111111111111111111"
#define H2 "2222222222222222222222222222222222222222222222222222222222222222"

static void
ranges(void **state)
{
	struct proofs ps = { 0 };
	struct proof *p = proofs_of(&ps, "a");

	(void)state;
	proof_read(p, H1);
	line_set_add(&p->lines, 10, 20);
	line_set_add(&p->lines, 30, 40);
	assert_false(line_set_has(&p->lines, 15, 35));
	line_set_add(&p->lines, 21, 29);
	assert_true(line_set_has(&p->lines, 10, 40));
	assert_int_equal(p->lines.n, 1);
	line_set_drop(&p->lines, 12, 13, 0);
	assert_true(line_set_has(&p->lines, 10, 11));
	assert_true(line_set_has(&p->lines, 14, 40));
	assert_false(line_set_has(&p->lines, 11, 14));
	line_set_drop(&p->lines, 1, 99, 0);
	assert_int_equal(p->lines.n, 0);
	line_set_add(&p->lines, 1, 5);
	line_set_drop(&p->lines, LONG_MIN, LONG_MAX, 0);
	assert_int_equal(p->lines.n, 0);
	line_set_add(&p->lines, 1, 5);
	proof_read(p, H2);
	assert_false(line_set_has(&p->lines, 1, 1));
	assert_ptr_equal(proofs_of(&ps, "a"), p);
	proofs_reset(&ps);
}

static void
moving(void **state)
{
	struct proofs ps = { 0 };
	struct proof *p = proofs_of(&ps, "a");
	/* line 5 became three lines; line 20, unseen before, went */
	struct patch v[] = { { 4, 1, 4, 3 }, { 19, 1, 21, 0 } };
	const struct diff d = { .v = v, .n = 2 };

	(void)state;
	proof_read(p, H1);
	line_set_add(&p->lines, 4, 8);
	line_set_add(&p->lines, 30, 31);
	proof_change(p, H1, H2, &d, -1);
	assert_string_equal(p->hash, H2);
	assert_true(line_set_has(&p->lines, 4, 10));
	assert_false(line_set_has(&p->lines, 3, 3));
	assert_false(line_set_has(&p->lines, 11, 11));
	assert_true(line_set_has(&p->lines, 31, 32));
	assert_false(line_set_has(&p->lines, 30, 30));
	proofs_reset(&ps);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literal), cmocka_unit_test(refused),
		cmocka_unit_test(nearest), cmocka_unit_test(unified),
		cmocka_unit_test(diff_is_capped),
		cmocka_unit_test(hostile_lines), cmocka_unit_test(ranges),
		cmocka_unit_test(moving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
