/* bytes.h - growing byte strings; out of memory ends the process. */
#pragma once

#include <stddef.h>

/* All zero is an empty one.  After the first put, p[n] is NUL. */
struct buf {
	char *p;
	size_t n, cap;
};

void bytes_put(struct buf *b, const char *p, size_t n);
void bytes_puts(struct buf *b, const char *s);
void *xresize(void *p, size_t n);
char *xcopy(const char *s);
