/* num.h - decimal numbers, strictly: the whole text or nothing. */
#ifndef HAMR_NUM_H
#define HAMR_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An optional '-', then digits only, in 64 bits; true when all of p was that.
 * "+1", " 1", "01" and "1.0" are no such number. */
bool num_i64(const char *p, size_t n, int64_t *out);
bool num_u64(const char *p, size_t n, uint64_t *out);

/* A JSON or TOML number as a double; true when all of p was one and it is
 * finite. */
bool num_double(const char *p, size_t n, double *out);

#endif
