/* log.h - what was asked, as NDJSON: the layout is told in httpd.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct req;

struct log {
	FILE *f;		/* NULL: nothing is logged */
	bool times;
	int64_t born;
};

/* Milliseconds that never go back. */
int64_t now(void);

void log_request(const struct log *l, long conn, long n, const struct req *r,
		 int script);
void log_close(const struct log *l, long conn, const char *who);
