/* test_command.c - which commands are runs of the verification command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/same_command.h"

static const struct {
	const char *wanted, *ran;
	int same;
} rows[] = {
	{ "make check", "make check", 1 },
	{ "make check", "  make   check\t", 1 },
	{ "make  check", "make check;", 1 },
	{ "make check", "cd . && make check", 1 },
	{ "make check", "cd ./; make check", 1 },
	{ "make check", "cd /src && make check 2>&1", 1 },
	{ "cd . && make check", "make check", 1 },
	{ "make check", "make check 2>/dev/null", 1 },
	{ "make check", "make check 2> err", 1 },
	{ "make check", "make 2>>err check", 1 },
	{ "make check", "set -o pipefail; make check | tail -5", 1 },
	{ "make check", "set -o pipefail; make check 2>&1 | tail -5", 1 },
	{ "make check", "set -euo pipefail && make check |& tail | cat", 1 },
	{ "make check", "cd .; set -o pipefail\nmake check | tail", 1 },
	{ "make check", "set -o pipefail && cd . && make check | tail", 1 },
	{ "make check | cat", "make check 2>&1 | cat", 1 },
	{ "cat <<X\na  b\nX", "cat <<X\na  b\nX", 1 },
	{ "make check", "make check | tail -5", 0 },
	{ "test -e ok", "test -e ok 2>&1 | tail -5", 0 },
	{ "make check", "set +o errexit; make check | tail", 0 },
	{ "make check", "set +o pipefail; make check | tail", 0 },
	{ "make check", "set -o pipefail; true | make check", 0 },
	{ "make check", "set -o pipefail; make check | cat; true", 0 },
	{ "make check", "set -o pipefail; make check | cat || true", 0 },
	{ "make check", "make check || true", 0 },
	{ "make check", "make check; true", 0 },
	{ "make check", "make check &", 0 },
	{ "make check", "make check -k", 0 },
	{ "make check", "make -C x check", 0 },
	{ "make check", "cd sub && make check", 0 },
	{ "make check", "cd .. && make check", 0 },
	{ "make check", "echo make check", 0 },
	{ "make check", "make 'check", 0 },
	{ "make check", "# make check", 0 },
	{ "make check", "make check >out", 0 },
	{ "grep 'a  b' f", "grep 'a b' f", 0 },
	{ "grep 'a  b' f", "grep   'a  b'   f", 1 },
	{ "grep 'a | b' f", "grep 'a | b' f | cat", 0 },
	{ "cat <<X\na  b\nX", "cat <<X\na b\nX", 0 },
	{ "make check", "", 0 },
	{ "make check", "cd . &&", 0 },
	{ "make check", "\"", 0 },
	{ "make check", "\\", 0 },
};

static void
table(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (same_command_covers(rows[i].ran, rows[i].wanted, "/src") !=
		    (rows[i].same != 0)) {
			printf("# should %sbe a run of \"%s\": %s\n",
			    rows[i].same ? "" : "not ", rows[i].wanted,
			    rows[i].ran);
			wrong++;
		}
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
