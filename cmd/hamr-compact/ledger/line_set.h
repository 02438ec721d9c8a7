/* line_set.h - sets of lines: 1-200, 400-480. */
#pragma once


#include "base/buf.h"

struct stretch {
	long first, last;
};

/* Sorted, apart from each other; what touches is one. */
struct line_set {
	struct stretch *v;
	size_t n, cap;
};

void line_set_add(struct line_set *r, long first, long last);
void line_set_drop(struct line_set *r, long first, long last);
void line_set_release(struct line_set *r);

/* Append as text, at most `most` of them, then "and N more". */
void line_set_print(const struct line_set *r, size_t most, struct buf *out);
