/* bytes.c - growing byte strings. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

void *
xresize(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		err(1, "out of memory");
	return p;
}

void
bytes_put(struct buf *b, const char *p, size_t n)
{
	if (b->n + n + 1 > b->cap) {
		b->cap = (b->n + n + 1) * 2;
		b->p = xresize(b->p, b->cap);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
bytes_puts(struct buf *b, const char *s)
{
	bytes_put(b, s, strlen(s));
}

char *
xcopy(const char *s)
{
	struct buf b = {0};

	bytes_puts(&b, s);
	return b.p;
}
