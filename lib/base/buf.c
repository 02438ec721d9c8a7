/* buf.c - bytes that grow, born with a ceiling. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

#define KEPT ((size_t)8 << 20)	/* bytes of a buffer that is empty */

void
buf_init(struct buf *b, size_t max)
{
	*b = BUF_INIT(max);
}

void
buf_release(struct buf *b)
{
	free(b->p);
	*b = BUF_INIT(b->max);
}

void
buf_reset(struct buf *b)
{
	if (b->cap > KEPT)
		buf_release(b);
	b->len = 0;
	b->over = false;
	if (b->p != NULL)
		b->p[0] = '\0';
}

int
buf_reserve(struct buf *b, size_t n)
{
	if (b->over || n > b->max || b->len > b->max - n) {
		b->over = true;
		return -1;
	}
	size_t want = b->len + n + 1;
	if (want <= b->cap)
		return 0;
	size_t cap = b->cap < 64 ? 64 : b->cap;
	while (cap < want)
		cap += cap / 2 + 16;
	b->p = xrealloc(b->p, cap);
	b->cap = cap;
	return 0;
}

int
buf_add(struct buf *b, const void *p, size_t n)
{
	if (buf_reserve(b, n) < 0)
		return -1;
	if (n != 0)
		memcpy(b->p + b->len, p, n);
	b->len += n;
	b->p[b->len] = '\0';
	return 0;
}

void
bufs_init(struct buf *const *row, size_t max)
{
	for (; *row != NULL; row++)
		buf_init(*row, max);
}

void
bufs_reset(struct buf *const *row)
{
	for (; *row != NULL; row++)
		buf_reset(*row);
}

void
bufs_release(struct buf *const *row)
{
	for (; *row != NULL; row++)
		buf_release(*row);
}

int
buf_end_line(struct buf *b)
{
	return b->len > 0 && b->p[b->len - 1] != '\n' ? buf_addc(b, '\n') : 0;
}

int
buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int
buf_slice(struct buf *b, struct slice s)
{
	return buf_add(b, s.p, s.n);
}

int
buf_vfmt(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->over || b->cap == 0 ? 0 : b->cap - b->len;
	va_list again;

	/* mostly it fits what is there */
	va_copy(again, ap);
	int n = vsnprintf(room > 0 ? b->p + b->len : NULL, room, fmt, again);
	va_end(again);
	if (n < 0 || buf_reserve(b, (size_t)n) < 0) {
		if (room > 0)
			b->p[b->len] = '\0';
		return -1;
	}
	if ((size_t)n >= room)
		vsnprintf(b->p + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return 0;
}

int
buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int r = buf_vfmt(b, fmt, ap);
	va_end(ap);
	return r;
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		buf_reset(b);
		return;
	}
	memmove(b->p, b->p + n, b->len - n);
	b->len -= n;
	b->p[b->len] = '\0';
}

struct slice
buf_view(const struct buf *b)
{
	return (struct slice){ b->p != NULL ? b->p : "", b->len };
}

char *
buf_detach(struct buf *b)
{
	char *s = b->p != NULL ? b->p : xstrdup("");

	*b = BUF_INIT(b->max);
	return s;
}
