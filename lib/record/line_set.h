/* line_set.h - lines of a file: 1-200, 400-480. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sorted and disjoint; adjacent ranges are merged.  Zero it; release it. */
struct line_set {
	struct stretch {
		long first, last;
	} *v;
	size_t n, cap;
};

void line_set_add(struct line_set *s, long first, long last);
/* Drop lines, and add `more` to the numbers of those after them. */
void line_set_drop(struct line_set *s, long first, long last, long more);
bool line_set_has(const struct line_set *s, long first, long last);
void line_set_release(struct line_set *s);
