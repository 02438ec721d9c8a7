/* test_memid.c - the ids of memory items are those of the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/memid.h"

/* The first 12 digits of the hash of n bytes, NULs among them. */
static void
wanted(const char *bytes, size_t n, char id[MEMID_SIZE])
{
	char hex[SHA_HEX];

	sha256_hex(bytes, n, hex);
	memcpy(id, "m:", 2);
	memcpy(id + 2, hex, 12);
	id[14] = '\0';
}

static void
result_is_session_and_call(void **state)
{
	static const char bytes[] = "s1\0call_1";
	char id[MEMID_SIZE], want[MEMID_SIZE];

	(void)state;
	memid_result(SLICE("s1"), SLICE("call_1"), id);
	wanted(bytes, sizeof bytes - 1, want);
	assert_string_equal(id, want);
}

static void
message_is_session_role_and_text(void **state)
{
	static const char bytes[] = "s1\0user\0hello";
	char id[MEMID_SIZE], want[MEMID_SIZE];

	(void)state;
	memid_message(SLICE("s1"), SLICE("user"), SLICE("hello"), id);
	wanted(bytes, sizeof bytes - 1, want);
	assert_string_equal(id, want);
}

static void
fact_is_its_text(void **state)
{
	char id[MEMID_SIZE];

	(void)state;
	memid_fact(SLICE("the build needs gcc"), id);
	assert_string_equal(id, "m:4213ee46c3d7");
}

static void
empty_slices_are_empty_texts(void **state)
{
	static const char bytes[] = "s1\0assistant\0";
	char id[MEMID_SIZE], want[MEMID_SIZE];

	(void)state;
	memid_message(SLICE("s1"), SLICE("assistant"),
	    (struct slice){ NULL, 0 }, id);
	wanted(bytes, sizeof bytes - 1, want);
	assert_string_equal(id, want);
}

static void
session_is_a_whole_hash(void **state)
{
	static const char bytes[] = "user\0hi";
	static const char line[] = "{\"role\":\"user\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\"hi\"}]}";
	char *hex, want[SHA_HEX];
	struct scan s = { 0 };
	struct rec r;

	(void)state;
	assert_int_equal(rec_parse(&s, line, sizeof line - 1, &r), 0);
	hex = memid_session(&r);
	sha256_hex(bytes, sizeof bytes - 1, want);
	assert_string_equal(hex, want);
	free(hex);
	scan_release(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(result_is_session_and_call),
		cmocka_unit_test(message_is_session_role_and_text),
		cmocka_unit_test(fact_is_its_text),
		cmocka_unit_test(empty_slices_are_empty_texts),
		cmocka_unit_test(session_is_a_whole_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
