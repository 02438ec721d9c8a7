/* test_guard_state.c - the bounded sets, the periods, the statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "judge/streaks.h"
#include "prose/prose.h"
#include "text/hash_set.h"

static void
set(void **state)
{
	struct hash_set s = { .young.n = 0 };
	uint64_t h = 1;

	(void)state;
	for (int i = 0; i < 3 * HASH_SET_MAX; i++) {
		h = h * 6364136223846793005u + 1442695040888963407u;
		assert_true(hash_set_add(&s, h));
		assert_false(hash_set_add(&s, h));
		assert_true(s.young.n + s.old.n <= HASH_SET_MAX);
		assert_true(s.young.cap <= HASH_SET_MAX);
	}
	assert_true(hash_set_add(&s, 0));
	assert_false(hash_set_add(&s, 0));
	hash_set_clear(&s);
	assert_true(hash_set_add(&s, h));
	hash_set_clear(&s);
}

static void
signatures(void **state)
{
	struct streaks s = { .n = 0 };
	struct sig sig = { 1, 1 }, used = { 0, 0 };

	(void)state;
	assert_null(streaks_get(&s, sig));
	for (unsigned i = 0; i < 3 * STREAKS_MAX; i++) {
		sig = (struct sig){ i % 7, i + 1 };
		streaks_put(&s, sig)->n = i;
		call_row_add(&streaks_get(&s, sig)->calls, 8, "\"c\"", i);
		assert_int_equal(streaks_put(&s, used)->n, 0);
		assert_true(s.n <= STREAKS_MAX);
	}
	sig = (struct sig){ 5, 6 };
	assert_null(streaks_get(&s, sig));
	sig = (struct sig){ (3 * STREAKS_MAX - 1) % 7, 3 * STREAKS_MAX };
	assert_int_equal(streaks_get(&s, sig)->n, 3 * STREAKS_MAX - 1);
	streaks_clear(&s);
	assert_null(streaks_get(&s, sig));
	streaks_release(&s);
}

static void
period(const char *history, size_t cap, size_t period, size_t laps)
{
	struct cycle c = { .cap = cap };
	size_t p = 0, l = 0;

	for (; *history != '\0'; history++)
		cycle_push(&c, (uint64_t)*history);
	assert_int_equal(cycle_find(&c, &p, &l), period != 0);
	assert_int_equal(p, period);
	assert_int_equal(l, laps);
}

static void
periods(void **state)
{
	(void)state;
	period("", 8, 0, 0);
	period("a", 8, 0, 0);
	period("abc", 8, 0, 0);
	period("aa", 8, 1, 2);
	period("xyabab", 8, 2, 2);
	period("xababababa", 16, 2, 4);
	period("aabaabaa", 16, 3, 2);
	period("abcdefghijklabcdefghijkl", 32, 12, 2);
	period("abcabcabcabcabc", 7, 3, 2);	/* the window's end */
	period("abababx", 8, 0, 0);
}

static void
statuses(void **state)
{
	static const char *const yes[] = { "done", "Done.", "DONE!!!", " OK ",
		"**Completed**", "\xe2\x9c\x85 Done", "All done \xf0\x9f\x8e\x89",
		"Task complete.", "task completed", "Status: done",
		"status: **pending**", "STATUS:FAILED", "success",
		"Working tree: clean", "Finished.\n\nStatus: ok\n",
		"working tree: 3 files changed" };
	static const char *const no[] = { "", "Done: fixed the parser",
		"not done", "I am done", "done done", "ok\nok\nok", "complete",
		"Status: see below", "done?no", "\xd0\xb4\xd0\xb0",
		"status", "The task is complete.", "\xe2\x9c\x85" };

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(prose_is_status(slice_of(yes[i])));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(prose_is_status(slice_of(no[i])));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(set),
		cmocka_unit_test(signatures), cmocka_unit_test(periods),
		cmocka_unit_test(statuses) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
