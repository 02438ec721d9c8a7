/* test_definitions.c - of jq's definitions those that a program uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jq/definitions.h"

/* the name of each stands in its text once more, as what it makes */
static const char library[] =
    "def error: 1;\n"
    "def a: b;\n"
    "def a(f): c(f; 2);\n"
    "def b: 3;\n"
    "def c(b; $x): b | $x;\n"
    "# words: a b c\n"
    "def c(f; g; h): 4;\n"
    "def recurse: 5;\n"
    "def _modify(p; f): 6;\n"
    "def _assign(p; $v): 7;\n";

static void
uses(const char *program, const char *wanted)
{
	char out[sizeof library], names[99] = "";
	size_t n = definitions_used(slice_of(library), slice_of(program), out);
	struct slice rest = { out, n }, line;

	while (slice_line(&rest, &line))
		if (slice_starts(line, "def ")) {
			line = slice_from(line, 4);
			size_t end = slice_find(line, 0, ": ");
			strcat(names, " ");
			strncat(names, line.p, end);
		}
	assert_string_equal(names, wanted);
}

static void
names_and_what_these_name(void **state)
{
	(void)state;
	uses(".", " error");
	uses("b", " error b");
	uses("[.[] | a]", " error a b");
	uses("cab + ab + b1", " error");
}

static void
arguments_are_counted(void **state)
{
	(void)state;
	uses("a(.)", " error a(f) c(b; $x)");
	uses("c(1; [2; 3]; \"(\")", " error c(f; g; h)");
	uses("c\n (\"\\\"\" ; {x: (1)})", " error c(b; $x)");
	uses("c(1)", " error");
	/* not to be told: all of that name */
	uses("c(\"\\(1)\"; 1)", " error c(b; $x) c(f; g; h)");
	uses("c(def f(x; y): 1; f; 1; 2)", " error c(b; $x) c(f; g; h)");
	uses("c(def\nf: 1; 2)", " error c(b; $x) c(f; g; h)");
	uses("c(1; # one; two\n 2)", " error c(b; $x) c(f; g; h)");
	uses("c # one\n (1; 2)", " error c(b; $x) c(f; g; h)");
}

static void
other_words_are_no_calls(void **state)
{
	(void)state;
	uses(".a | $b | \"a\" | .x.b", " error");
	uses("# a\n.", " error");
	uses("\n# a\nb", " error b");
	/* which may be a line of a text */
	uses("\"\n# \\(b)\n\"", " error b");
	uses("\"\n# \" | b\n", " error b");
	uses("\"\n# b\n\"", " error");
	uses("\"\\(b)\"", " error b");
	uses("{b: 1}[b:]", " error b");
}

static void
the_grammar_calls(void **state)
{
	(void)state;
	uses("..", " error recurse");
	uses(".x |= 1", " error _modify(p; f)");
	uses(".x //= 1", " error _modify(p; f)");
	uses(".x = 1", " error _assign(p; $v)");
	uses(".x == 1 or . >= 2 or . != 3 or . <= 4", " error");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_what_these_name),
		cmocka_unit_test(arguments_are_counted),
		cmocka_unit_test(other_words_are_no_calls),
		cmocka_unit_test(the_grammar_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
