/* test_intent.c - which tasks ask for a change: each row of a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "turn/intent.h"

#define TABLE TESTS "/data/loop/tasks.tsv"

/* "\n" of the table is a newline. */
static void
unescape(char *s)
{
	char *p;

	while ((p = strstr(s, "\\n")) != NULL) {
		*p = '\n';
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	}
}

static void
table(void **state)
{
	FILE *f = fopen(TABLE, "r");
	char line[1024];
	int wrong = 0, rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof line, f) != NULL) {
		char *task = strchr(line, '\t');

		if (line[0] == '#' || task == NULL)
			continue;
		*task++ = '\0';
		task[strcspn(task, "\n")] = '\0';
		unescape(task);
		rows++;
		if (intent_is_change(task) == (strcmp(line, "change") == 0))
			continue;
		printf("# not %s: %s\n", line, task);
		wrong++;
	}
	fclose(f);
	assert_true(rows > 80);
	assert_int_equal(wrong, 0);
}

/* Whatever a person pastes ends. */
static void
odd(void **state)
{
	static const char *const texts[] = { "", " ", "\n", "?", "(", "()",
		"- - -", "'", "``", "```", "no", "read", "do", "keep", "never",
		"make", "get *", "don't change", "in", "\xff\xfe", "nothing",
		"leave", "let", "would you mind", "try ing", "no changes",
		"read only", "\u2019", "change", "update me" };
	char *large = malloc(200001);

	(void)state;
	assert_non_null(large);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		intent_is_change(texts[i]);
		intent_forbids_change(texts[i]);
	}
	memset(large, 'a', 200000);
	for (size_t i = 0; i < 200000; i += 3)
		large[i] = " '(`\n"[i % 5];
	large[200000] = '\0';
	intent_is_change(large);
	free(large);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
