/* test_guard_sig.c - signatures made ahead are those made in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sig.h"

static const char *const calls[][2] = {
	{ "read", "\"{\\\"path\\\":\\\"./a//b\\\",\\\"reason\\\":\\\"x\\\"}\"" },
	{ "bash", "\"{\\\"command\\\": \\\"ls   -l \\\\u0041\\\"}\"" },
	{ "edit", "{\"edits\":[{\"old_str\":\"a\",\"new_str\":\"b\"}]}" },
	{ "other", "\"not JSON\"" },
	{ "", "\"\"" },
	{ "write", "\"{\\\"text\\\":\\\"a\\\\nb\\\",\\\"path\\\":null}\"" },
};
#define CALLS (sizeof calls / sizeof calls[0])

static void
ahead(void **state)
{
	struct sign early = { .sha = NULL }, here = { .sha = NULL };
	struct sign there = { .sha = NULL };

	(void)state;
	for (size_t i = 0; i < CALLS; i++) {
		char x[SHA_HEX], y[SHA_HEX];
		struct about a, b;

		sign_call(&here, slice_of(calls[i][0]), slice_of(calls[i][1]),
		    &a);
		sign_step(&early);
		sign_call(&early, slice_of(calls[i][0]),
		    slice_of(calls[i][1]), &b);
		sign_adopt(&there, &b, sign_bytes(&early, &b));
		assert_true(sig_is(a.sig, b.sig));
		assert_int_equal(a.at, b.at);
		assert_int_equal(a.n, b.n);
		assert_true(a.tool == b.tool && a.path == b.path &&
		    a.change == b.change);
		assert_true(a.bash == b.bash && a.edits == b.edits &&
		    a.write == b.write && a.idle == b.idle &&
		    a.reads == b.reads && a.mutates == b.mutates);
		sign_hex(&here, &a, x);
		sign_hex(&there, &b, y);
		assert_string_equal(x, y);
	}
	sign_release(&early);
	sign_release(&here);
	sign_release(&there);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
