/* scan.c - the scanner beside cJSON on the same file, in one run.
 *
 *	scan FILE		NDJSON; prints MB/s of each and the ratio
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "json/scan.h"

#define ROUNDS 7

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
ours(const struct buf *b)
{
	struct scan s = { 0 };

	for (const char *p = b->p, *end = b->p + b->len; p < end; ) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (lf == NULL)
			lf = end;
		if (scan_record(&s, p, (size_t)(lf - p)) < 0)
			exit(1);
		p = lf + 1;
	}
	scan_release(&s);
}

static void
cjson(const struct buf *b)
{
	for (const char *p = b->p, *end = b->p + b->len; p < end; ) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (lf == NULL)
			lf = end;
		cJSON_Delete(cJSON_ParseWithLength(p, (size_t)(lf - p)));
		p = lf + 1;
	}
}

static double
best(void (*f)(const struct buf *), const struct buf *b)
{
	double least = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double t = now();

		f(b);
		t = now() - t;
		if (t < least)
			least = t;
	}
	return (double)b->len / 1e6 / least;
}

int
main(int argc, char **argv)
{
	struct buf b = BUF_INIT((size_t)1 << 31);
	struct err e;
	double us, them;

	if (argc != 2 || file_read(argv[1], &b, &e) < 0)
		return 2;
	us = best(ours, &b);
	them = best(cjson, &b);
	printf("%-40s scanner %7.0f MB/s  cJSON %6.0f MB/s  ratio %.1f\n",
	    argv[1], us, them, us / them);
	return 0;
}
