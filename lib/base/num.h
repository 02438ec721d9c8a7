/* num.h - parses numbers strictly: the whole text or nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An optional '-', then only digits, that fit in 64 bits; true if all of p is
 * that.  "+1", " 1", "01" and "1.0" are refused. */
bool num_i64(const char *p, size_t n, int64_t *out);
bool num_u64(const char *p, size_t n, uint64_t *out);

/* A JSON or TOML number as a double; true if all of p is one and it is
 * finite. */
bool num_double(const char *p, size_t n, double *out);

/* For people: num_grouped(n).s is "12,345", num_dollars(n).s "$1.20", and of
 * less than 10 cents two digits: "$0.00034". */
struct num_text {
	char s[32];
};

struct num_text num_grouped(int64_t n);
struct num_text num_dollars(double n);

static inline size_t
num_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Four bytes, big-endian. */
static inline uint32_t
num_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* Print the hexadecimal digits of n bytes, and a NUL. */
void num_print_hex(const void *p, size_t n, char *out);
/* The value of a hexadecimal digit, or of four; -1 if not hexadecimal. */
static inline int
num_hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline int
num_hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int d = num_hex(p[i]);

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}
