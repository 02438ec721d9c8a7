/* lines.h - sets of lines: 1-200, 400-480. */
#ifndef COMPACT_LINES_H
#define COMPACT_LINES_H

#include <stdbool.h>

#include "buf.h"

struct stretch {
	long first, last;
};

/* Sorted, apart from each other; what touches is one. */
struct lines {
	struct stretch *v;
	size_t n, cap;
};

void lines_add(struct lines *r, long first, long last);
void lines_drop(struct lines *r, long first, long last);
void lines_add_all(struct lines *r, const struct lines *more);
void lines_drop_all(struct lines *r, const struct lines *less);
void lines_release(struct lines *r);

/* Append as text, at most `most` of them, then "and N more". */
void lines_print(const struct lines *r, size_t most, struct buf *out);

#endif
