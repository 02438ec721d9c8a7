/* num.c - parses numbers strictly: the whole text or nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

bool
num_u64(const char *p, size_t n, uint64_t *out)
{
	uint64_t v = 0;

	if (n == 0 || n > 20 || (n > 1 && p[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned char)p[i] - '0';

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

bool
num_i64(const char *p, size_t n, int64_t *out)
{
	bool neg = n > 0 && p[0] == '-';
	uint64_t v;

	if (!num_u64(p + neg, n - neg, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + neg)
		return false;
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool
num_double(const char *p, size_t n, double *out)
{
	char s[64], *end;

	if (n == 0 || n >= sizeof s)
		return false;
	memcpy(s, p, n);
	s[n] = '\0';
	if (strspn(s, "+-.eE0123456789") < n)
		return false;
	*out = strtod(s, &end);
	return *end == '\0' && isfinite(*out);
}

void
num_print_hex(const void *p, size_t n, char *out)
{
	const unsigned char *c = p;

	for (; n > 0; n--, c++) {
		*out++ = "0123456789abcdef"[*c >> 4];
		*out++ = "0123456789abcdef"[*c & 15];
	}
	*out = '\0';
}

struct num_text
num_grouped(int64_t n)
{
	struct num_text t;
	size_t len = (size_t)snprintf(t.s, sizeof t.s, "%lld", (long long)n);

	for (size_t at = len; at > 3 + (size_t)(n < 0); len++) {
		at -= 3;
		memmove(t.s + at + 1, t.s + at, len - at + 1);
		t.s[at] = ',';
	}
	return t;
}

struct num_text
num_dollars(double n)
{
	struct num_text t;
	int digits = 2;

	for (double x = n; x < 0.1 && digits < 9; x *= 10)
		digits++;
	snprintf(t.s, sizeof t.s, "$%.*f", digits, n);
	return t;
}
