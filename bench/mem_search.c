/* mem_search.c - hamr-mem's searches in the process: the spread of their times.
 *
 *	mem_search DB QUERIES		a query a line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "find/find.h"

static double
now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
print_spread(const char *what, double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, by_value);
	printf("  %s: p50 %.1f ms, p95 %.1f ms, most %.1f ms\n", what,
	    ms[n / 2], ms[n * 95 / 100], ms[n - 1]);
}

int
main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0, n = 0, partial = 0, empty = 0;
	double *ms = NULL, *cpu = NULL;
	struct store st;
	struct err e;
	ssize_t len;
	FILE *f;

	if (argc != 3 || (f = fopen(argv[2], "r")) == NULL)
		return 2;
	if (store_open(&st, argv[1], "file", DB_READ, &e) < 0)
		return fprintf(stderr, "%s\n", e.text), 1;
	while ((len = getline(&line, &cap, f)) > 0) {
		struct find q = { .query = { line, (size_t)len - 1 },
			.max = 8, .since = WHEN_NONE };
		struct hits hits = { .n = 0 };
		double start = now_ms(CLOCK_MONOTONIC);
		double used = now_ms(CLOCK_PROCESS_CPUTIME_ID);

		if (find_hits(&st, 1, &q, &hits, &e) < 0)
			return fprintf(stderr, "%s\n", e.text), 1;
		ms = realloc(ms, (n + 1) * sizeof *ms);
		cpu = realloc(cpu, (n + 1) * sizeof *cpu);
		ms[n] = now_ms(CLOCK_MONOTONIC) - start;
		cpu[n++] = now_ms(CLOCK_PROCESS_CPUTIME_ID) - used;
		if (getenv("EACH") != NULL)
			printf("%8.1f %8.1f %d %zu %s", ms[n - 1],
			    cpu[n - 1], hits.partial, hits.n, line);
		partial += hits.partial;
		empty += hits.n == 0;
		hits_release(&hits);
	}
	printf("%zu searches in the process; %zu partial, %zu found "
	    "nothing\n", n, partial, empty);
	print_spread("elapsed", ms, n);
	print_spread("processor", cpu, n);
	return 0;
}
