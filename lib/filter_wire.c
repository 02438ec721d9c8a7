/* filter_wire.c - the frames between a served program and who gave it. */
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "filter.h"
#include "filter_jail.h"
#include "filter_wire.h"

#define FLUSH ((size_t)64 << 10)

void
filter_wire_init(struct filter_wire *w)
{
	*w = (struct filter_wire){ .at = 0 };
	buf_init(&w->in, BUF_RECORD_MAX * 2);
	buf_init(&w->out, BUF_RECORD_MAX * 2);
}

void
filter_flush(struct filter_wire *w)
{
	if (w->out.len > 0 && file_write_all(FILTER_FD, w->out.p, w->out.len) < 0)
		_exit(0);
	buf_reset(&w->out);
}

void
filter_put(struct filter_wire *w, char tag, struct slice payload)
{
	uint32_t n = (uint32_t)payload.n;

	buf_addc(&w->out, tag);
	buf_add(&w->out, &n, sizeof n);
	buf_slice(&w->out, payload);
	if (w->out.len >= FLUSH)
		filter_flush(w);
}

static void
fill(struct filter_wire *w)
{
	ssize_t n;

	if (w->at > 0) {
		buf_drop(&w->in, w->at);
		w->at = 0;
	}
	buf_reserve(&w->in, FLUSH);
	n = read(FILTER_FD, w->in.p + w->in.len, FLUSH);
	if (n <= 0)
		_exit(0);
	w->in.len += (size_t)n;
}

char
filter_take(struct filter_wire *w, struct slice *payload)
{
	uint32_t n;
	char tag;

	if (w->in.len == w->at) {
		filter_put(w, FILTER_MORE, SLICE(""));
		filter_flush(w);
	}
	while (w->in.len - w->at < FILTER_HEAD)
		fill(w);
	memcpy(&n, w->in.p + w->at + 1, sizeof n);
	while (w->in.len - w->at - FILTER_HEAD < n)
		fill(w);
	tag = w->in.p[w->at];
	*payload = (struct slice){ w->in.p + w->at + FILTER_HEAD, n };
	w->at += FILTER_HEAD + n;
	return tag;
}
