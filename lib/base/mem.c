/* mem.c - allocation that exits when memory runs out; arenas. */
#include <fcntl.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "err.h"
#include "file.h"
#include "mem.h"

#define LEAN 32768		/* bytes; more than most lines have */

/* Exits at once: we may hold locks that exit handlers, such as OpenSSL's, wait
 * for. */
void
mem_exhausted(void)
{
	err_say("out of memory");
	_exit(ST_SYSTEM);
}

static void *
checked(void *p)
{
	if (p == NULL)
		mem_exhausted();
	return p;
}

void
mem_return_freed(void)
{
#ifdef __GLIBC__
	/* thresholds that are set do not grow as memory is freed */
	mallopt(M_MMAP_THRESHOLD, LEAN);
	mallopt(M_TRIM_THRESHOLD, LEAN);
	mallopt(M_TOP_PAD, LEAN / 2);
#endif
}

void *
xmalloc(size_t n)
{
	return checked(malloc(n != 0 ? n : 1));
}

void *
xcalloc(size_t count, size_t size)
{
	return checked(calloc(count != 0 ? count : 1, size != 0 ? size : 1));
}

void *
xrealloc(void *p, size_t n)
{
	return checked(realloc(p, n != 0 ? n : 1));
}

char *
xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}

char *
xmemdup0(const char *p, size_t n)
{
	char *s = xmalloc(n + 1);

	if (n != 0)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

void
xset(char **to, char *owned)
{
	free(*to);
	*to = owned;
}

void
mem_free(void *const *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(row[i]);
}

char *
xasprintf(const char *fmt, ...)
{
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		err_die(ST_BUG, "bad format");
	char *s = xmalloc((size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

void *
xgrow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	if (*cap > SIZE_MAX / 2 / size)
		mem_exhausted();
	*cap = *cap != 0 ? *cap * 2 : 8;
	return xrealloc(p, *cap * size);
}

void
texts_add(struct texts *t, char *text)
{
	t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = text;
}

void
texts_release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	*t = (struct texts){ NULL, 0, 0 };
}

/* ---- arenas ---- */

#define BLOCK ((size_t)64 << 10)
#define LARGE (BLOCK / 4)	/* gets a block of its own */
#define SPILL_AFTER ((size_t)8 << 20)
#define SPILL_TEXT 512		/* shorter texts are used more often */
#define SPILL_BLOCK ((size_t)1 << 20)

struct arena_block {
	struct arena_block *next;
	size_t mapped;		/* bytes of a file; 0: from malloc */
	alignas(max_align_t) char bytes[];
};

static void
add_block(struct arena *a, struct arena_block *b, size_t mapped)
{
	b->next = a->blocks;
	b->mapped = mapped;
	a->blocks = b;
}

static char *
new_block(struct arena *a, size_t n)
{
	struct arena_block *b = xmalloc(sizeof *b + n);

	add_block(a, b, 0);
	return b->bytes;
}

/* Start a new block in a file, for at least n bytes; -1: it failed.  The last
 * one's contents leave memory. */
static int
spill_block(struct arena *a, size_t n)
{
	size_t size = sizeof *a->spilled + n;
	void *p = MAP_FAILED;
	int fd = file_unnamed();

	size = (size + SPILL_BLOCK - 1) / SPILL_BLOCK * SPILL_BLOCK;
	/* notice a full disk now, not by a signal later */
	if (fd >= 0 && posix_fallocate(fd, 0, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	file_close(fd);
	if (p == MAP_FAILED)
		return -1;
	if (a->spilled != NULL)
		madvise(a->spilled, a->spilled->mapped, MADV_DONTNEED);
	add_block(a, p, size);
	a->spilled = p;
	a->room = size - sizeof *a->spilled;
	return 0;
}

/* n bytes, not zeroed, aligned for anything. */
static void *
take(struct arena *a, size_t n)
{
	size_t want = (n + alignof(max_align_t) - 1) /
	    alignof(max_align_t) * alignof(max_align_t);
	char *p;

	a->taken += want;
	if (a->spills && a->taken > SPILL_AFTER && want >= SPILL_TEXT) {
		a->spills = want <= a->room || spill_block(a, want) == 0;
		if (a->spills) {
			p = (char *)a->spilled + a->spilled->mapped - a->room;
			a->room -= want;
			return p;
		}
	}
	if (want >= LARGE)
		return new_block(a, want);
	if (want > a->left) {
		a->p = new_block(a, BLOCK);
		a->left = BLOCK;
	}
	p = a->p;
	a->p += want;
	a->left -= want;
	return p;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return memset(take(a, n), 0, n);
}

char *
arena_dup(struct arena *a, const char *p, size_t n)
{
	char *s = take(a, n + 1);

	if (n > 0)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

char *
arena_concat(struct arena *a, struct slice x, struct slice y)
{
	char *s = take(a, x.n + y.n + 1);

	if (x.n > 0)
		memcpy(s, x.p, x.n);
	if (y.n > 0)
		memcpy(s + x.n, y.p, y.n);
	s[x.n + y.n] = '\0';
	return s;
}

void
arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		if (b->mapped > 0)
			munmap(b, b->mapped);
		else
			free(b);
	}
	*a = (struct arena){ .spills = a->spills };
}
