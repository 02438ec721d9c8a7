/* buf.h - growing byte buffers, created with a ceiling.
 *
 * A buffer never truncates: an addition that would pass the ceiling adds
 * nothing, sets "over" and returns -1, and so does every later one.  So it is
 * enough to check the last of several additions.  Once anything was added, a
 * NUL follows the len bytes at p.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

struct buf {
	char *p;
	size_t len, cap;
	size_t max;		/* the ceiling, in bytes */
	bool over;		/* something did not fit */
};

#define BUF_INIT(ceiling) ((struct buf){ .max = (ceiling) })

/* The ceiling for text made from a record: the longest line allowed (64 MiB),
 * which escapes can make six times as long, and room for its envelope. */
#define BUF_RECORD_MAX ((size_t)448 << 20)

void buf_init(struct buf *b, size_t max);
void buf_reset(struct buf *b);			/* empty; keeps the memory
						 * unless it is large */
void buf_release(struct buf *b);		/* frees the memory */

/* The same for several: bufs_reset(BUFS(&in, &out)). */
#define BUFS(...) ((struct buf *const[]){ __VA_ARGS__, NULL })
void bufs_init(struct buf *const *row, size_t max);
void bufs_reset(struct buf *const *row);
void bufs_release(struct buf *const *row);

int buf_add(struct buf *b, const void *p, size_t n);
int buf_adds(struct buf *b, const char *s);
int buf_slice(struct buf *b, struct slice s);
int buf_fmt(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int buf_vfmt(struct buf *b, const char *fmt, va_list ap);
int buf_end_line(struct buf *b);		/* LF if a line is open */
int buf_reserve(struct buf *b, size_t n);	/* room for n more bytes */

/* Inline, as there usually is room. */
static inline int
buf_addc(struct buf *b, char c)
{
	if (b->over || b->len + 1 >= b->cap || b->len >= b->max)
		return buf_add(b, &c, 1);
	b->p[b->len++] = c;
	b->p[b->len] = '\0';
	return 0;
}

void buf_drop(struct buf *b, size_t n);		/* remove the first n bytes */
struct slice buf_view(const struct buf *b);	/* borrowed until b changes */
char *buf_detach(struct buf *b);		/* the caller frees it; b is
						 * then empty */
