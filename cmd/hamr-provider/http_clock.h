/* http_clock.h - how long a request may still take. */
#ifndef PROVIDER_HTTP_CLOCK_H
#define PROVIDER_HTTP_CLOCK_H

#include <stddef.h>

#include "http.h"

/* Times are those of file_now_ms, limits milliseconds with 0 for none. */
struct http_clock {
	long first_ms, idle_ms, total_ms;
	long long started, heard;	/* heard: the last bytes that came */
	size_t nbody;			/* bytes of the body so far */
};

/* When the request is given up (-1: never), and why. */
long long http_deadline(const struct http_clock *c, enum http_next next,
    const char **why);

/* The nearer of two points of time, -1 being never. */
long long http_nearer(long long a, long long b);

#endif
