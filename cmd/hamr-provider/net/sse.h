/* sse.h - server-sent events from a byte stream that may be cut anywhere.
 *
 * Reads the format of the HTML standard (9.2): lines ended by LF, CR or CRLF,
 * comments, "data" lines joined by LF, "event", a BOM at the start.  llama.cpp
 * has its own field "error", which is read like data.  No library on our list
 * reads this format.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Called with one event's data, valid during the call; nonzero stops. */
typedef int sse_fn(void *ctx, struct slice data);

struct sse {
	struct buf line, data;	/* their max bounds a line and an event */
	struct buf name;	/* "event" of the current event, or empty */
	struct buf id;		/* of the last complete event with an id */
	struct buf next_id;	/* "id" of the current event */
	size_t ndata;		/* lines of data of the current event */
	long long retry;	/* the last "retry", ms; -1: none */
	/* the current event came as "error"; the stream ended within it */
	bool is_error, is_cut;
	bool after_cr, begun;
	bool lines;		/* each line is an event (NDJSON) */
};

void sse_init(struct sse *s, size_t max_line, size_t max_event);
void sse_reset(struct sse *s);
void sse_release(struct sse *s);

/* Returns 0, what fn returned if nonzero, or SSE_TOO_LARGE. */
enum { SSE_TOO_LARGE = -1000 };
int sse_feed(struct sse *s, const char *p, size_t n, sse_fn *fn, void *ctx);

/* End the stream: an event that lacks its final blank line is passed on with
 * is_cut set.  Returns as sse_feed does. */
int sse_end(struct sse *s, sse_fn *fn, void *ctx);
