/* main.c - rill: print one value of a configuration file */
#include <stdio.h>
#include <string.h>

#include "duration.h"
#include "ini.h"

static int
print_value(const char *value, int as_seconds)
{
	long seconds;

	if (!as_seconds) {
		puts(value);
		return 0;
	}
	if (duration_parse(value, &seconds) != 0) {
		fprintf(stderr, "rill: not a duration: %s\n", value);
		return 2;
	}
	printf("%ld\n", seconds);
	return 0;
}

/* Returns 0, 1 if there is no such key, 2 if something is wrong. */
int
main(int argc, char **argv)
{
	int as_seconds = argc > 1 && strcmp(argv[1], "-d") == 0;
	argv += as_seconds;
	argc -= as_seconds;
	if (argc != 4) {
		fputs("usage: rill [-d] FILE SECTION KEY\n", stderr);
		return 2;
	}

	FILE *in = fopen(argv[1], "r");
	if (in == NULL) {
		perror(argv[1]);
		return 2;
	}
	struct ini ini = {0};
	int status = 2;
	if (ini_read(&ini, in) != 0) {
		fprintf(stderr, "%s:%d: %s\n", argv[1], ini.error_line,
		    ini.error);
	} else {
		const char *value = ini_get(&ini, argv[2], argv[3]);
		status = value ? print_value(value, as_seconds) : 1;
	}
	ini_release(&ini);
	fclose(in);
	if (fflush(stdout) != 0) {
		perror("stdout");
		return 2;
	}
	return status;
}
