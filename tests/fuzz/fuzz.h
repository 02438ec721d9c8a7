/* fuzz.h - what the fuzz targets share (libFuzzer; make fuzz).
 *
 * A target gets bytes of libFuzzer's making and ends the process when a
 * property does not hold.  Bytes are copied to the heap, exactly, so that a
 * byte read too many is seen.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define HOLDS(what) do {						\
	if (!(what)) {							\
		fprintf(stderr, "%s:%d: does not hold: %s\n",		\
		    __FILE__, __LINE__, #what);				\
		abort();						\
	}								\
} while (0)

/* An exact copy; yours to free. */
static inline char *
fuzz_copy(const void *p, size_t n)
{
	char *c = malloc(n != 0 ? n : 1);

	HOLDS(c != NULL);
	if (n != 0)
		memcpy(c, p, n);
	return c;
}

/* One byte off the front; 0 when there is none. */
static inline uint8_t
fuzz_byte(const uint8_t **data, size_t *n)
{
	if (*n == 0)
		return 0;
	(*n)--;
	return *(*data)++;
}

/* How long the next piece is when an input is cut: by rule. */
static inline size_t
fuzz_piece(uint8_t rule, size_t i, size_t left)
{
	size_t n = rule < 32 ? rule + 1 : 1 + (rule * (i + 1) * 2654435761u >>
	    7) % 97;

	return n < left ? n : left;
}

/* Two logs are the same. */
static inline void
fuzz_same(const struct buf *a, const struct buf *b)
{
	if (a->len == b->len && (a->len == 0 ||
	    memcmp(a->p, b->p, a->len) == 0))
		return;
	fprintf(stderr, "whole: %.*s\nin pieces: %.*s\n", (int)a->len,
	    a->len > 0 ? a->p : "", (int)b->len, b->len > 0 ? b->p : "");
	abort();
}
