/* output.c - one stream of a command's output, in bounded memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#include "output.h"

void
output_init(struct output *o, size_t cap)
{
	*o = (struct output){ .cap = cap, .head = BUF_INIT(cap),
		.ring = BUF_INIT(cap), .spool = -1 };
}

void
output_release(struct output *o)
{
	buf_release(&o->head);
	buf_release(&o->ring);
	if (o->spool >= 0)
		close(o->spool);
	o->spool = -1;
}

/* ---- the spool ---- */

static void
spool(struct output *o, const char *p, size_t n)
{
	if (o->failed || o->spool < 0)
		return;
	if (n > OUTPUT_SPOOL_MAX - o->spooled)
		n = (size_t)(OUTPUT_SPOOL_MAX - o->spooled);
	if (file_write_all(o->spool, p, n) < 0)
		o->failed = true;
	o->spooled += n;
}

/* A file nobody else can open: on disk, as /tmp may be memory. */
static int
unnamed_file(void)
{
	static const char *const dirs[] = { "/var/tmp", "/tmp" };
	const char *own = getenv("TMPDIR");
	char name[] = "/var/tmp/hamr.XXXXXX";
	int fd = -1;

	if (own != NULL && own[0] == '/')
		fd = open(own, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	for (size_t i = 0; i < 2 && fd < 0; i++)
		fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void
spool_begin(struct output *o)
{
	o->spool = unnamed_file();
	o->failed = o->spool < 0;
	spool(o, o->head.p, o->head.len);
}

/* ---- the window ---- */

static void
ring_add(struct output *o, const char *p, size_t n)
{
	if (n > o->cap) {
		p += n - o->cap;
		n = o->cap;
	}
	if (o->ring.len < o->cap) {
		size_t k = o->cap - o->ring.len;

		if (k > n)
			k = n;
		buf_add(&o->ring, p, k);
		p += k;
		n -= k;
		o->at = o->ring.len % o->cap;
	}
	while (n > 0) {
		size_t k = o->cap - o->at;

		if (k > n)
			k = n;
		memcpy(o->ring.p + o->at, p, k);
		o->at = (o->at + k) % o->cap;
		p += k;
		n -= k;
	}
}

static void
keep(struct output *o, const char *p, size_t n)
{
	size_t room = o->cap - o->head.len;

	o->total += n;
	o->last = p[n - 1];
	if (o->spool < 0 && !o->failed && n > room)
		spool_begin(o);
	spool(o, p, n);
	if (room > n)
		room = n;
	buf_add(&o->head, p, room);
	ring_add(o, p + room, n - room);
}

void
output_add(struct output *o, const char *p, size_t n, struct buf *text)
{
	buf_reset(text);
	if (p != NULL)
		clean_add(&o->clean, p, n, text);
	else
		clean_end(&o->clean, text);
	o->raw += n;
	if (text->len > 0)
		keep(o, text->p, text->len);
}

bool
output_is_whole(const struct output *o)
{
	return o->total <= 2 * (unsigned long long)o->cap;
}

struct slice
output_head(const struct output *o)
{
	return o->head.p != NULL ? buf_view(&o->head) : SLICE("");
}

void
output_tail(const struct output *o, struct buf *out)
{
	if (o->ring.len < o->cap) {
		buf_add(out, o->ring.p != NULL ? o->ring.p : "", o->ring.len);
		return;
	}
	buf_add(out, o->ring.p + o->at, o->cap - o->at);
	buf_add(out, o->ring.p, o->at);
}
