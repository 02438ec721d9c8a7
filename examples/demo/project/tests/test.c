/* test.c - what rill promises, one line of output for each case */
#include <stdio.h>
#include <string.h>

#include "duration.h"
#include "ini.h"

static int count;
static int failed;

static void
check(const char *name, const char *expected, const char *got)
{
	int ok = strcmp(expected, got) == 0;

	printf("%s %d - %s\n", ok ? "ok" : "not ok", ++count, name);
	if (!ok) {
		printf("    expected: %s\n    got:      %s\n", expected, got);
		failed++;
	}
}

/* Read text, then compare the value of [s] k with what is expected. */
static void
value(const char *name, const char *text, const char *expected)
{
	char got[200];
	struct ini ini = {0};
	FILE *in = fmemopen((void *)text, strlen(text), "r");

	if (in == NULL || ini_read(&ini, in) != 0) {
		snprintf(got, sizeof(got), "error in line %d: %s",
		    ini.error_line, ini.error ? ini.error : "no memory");
	} else {
		const char *v = ini_get(&ini, "s", "k");
		snprintf(got, sizeof(got), "%s", v ? v : "(none)");
	}
	check(name, expected, got);
	ini_release(&ini);
	if (in != NULL)
		fclose(in);
}

static void
duration(const char *text, const char *expected)
{
	char name[100];
	char got[100];
	long seconds;

	if (duration_parse(text, &seconds) == 0)
		snprintf(got, sizeof(got), "%ld seconds", seconds);
	else
		snprintf(got, sizeof(got), "refused");
	snprintf(name, sizeof(name), "duration \"%s\"", text);
	check(name, expected, got);
}

int
main(void)
{
	value("a key in a section", "[s]\nk=v\n", "v");
	value("blanks around it do not count", " [ s ]\n\tk =  v \n", "v");
	value("sections keep keys apart", "[s]\nk=1\n[t]\nk=2\n", "1");
	value("the later key wins", "[s]\nk=1\nk=2\n", "2");
	value("a key that is not there", "k=1\n[s]\n", "(none)");
	value("a comment on its own line", "# k=1\n[s]\n; k=2\nk=3\n", "3");
	value("a comment after a value", "[s]\nk=v # note\n", "v");
	value("quotes keep blanks", "[s]\nk=\" v \"\n", " v ");
	value("a comment after quotes", "[s]\nk=\"a b\" ; note\n", "a b");
	value("a # in quotes is text", "[s]\nk=\"issue #42\"\n", "issue #42");
	value("a ; in quotes is text", "[s]\nk=\"a; b\" # c\n", "a; b");
	value("an open quote is an error", "[s]\nk=\"v\n",
	    "error in line 2: a quote is not closed");
	value("a stray word is an error", "[s]\n\nword\n",
	    "error in line 3: neither a [section] nor key = value");

	duration("90s", "90 seconds");
	duration("2w", "1209600 seconds");
	duration("1h30m", "5400 seconds");
	duration("1d2h3m4s", "93784 seconds");
	duration("", "refused");
	duration("90", "refused");
	duration("1h30", "refused");
	duration("99999999999999999999s", "refused");

	if (failed > 0)
		printf("%d of %d tests failed\n", failed, count);
	else
		printf("all %d tests passed\n", count);
	return failed > 0;
}
