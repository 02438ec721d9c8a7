/* sse.h - server-sent events out of bytes that come cut anywhere.
 *
 * Reads the format of the HTML standard (9.2): lines ended by LF, CR or CRLF,
 * comments, "data" lines joined by LF, "event", a BOM at the start.  llama.cpp
 * has a field of its own, "error", read like data.  No library on the list
 * reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One event's data, valid during the call.  Not 0 ends the feeding. */
typedef int sse_fn(void *ctx, struct slice data);

struct sse {
	struct buf line, data;	/* ceilings: what one line, one event may be */
	struct buf name;	/* "event" of the event in hand, or empty */
	struct buf id;		/* of the last whole event that had one */
	struct buf next_id;	/* "id" of the event in hand */
	long long retry;	/* the last "retry", ms; -1: none */
	/* of the event in hand: it came as "error"; the stream ended in it */
	bool is_error, is_cut;
	bool has_data, after_cr, begun;
	bool lines;		/* each line is an event (NDJSON) */
};

void sse_init(struct sse *s, size_t max_line, size_t max_event);
void sse_reset(struct sse *s);
void sse_release(struct sse *s);

/* 0; what fn returned; or SSE_TOO_LARGE. */
enum { SSE_TOO_LARGE = -1000 };
int sse_feed(struct sse *s, const char *p, size_t n, sse_fn *fn, void *ctx);

/* The end of the stream: an event without its last blank line counts, and is
 * handed on with is_cut. */
int sse_end(struct sse *s, sse_fn *fn, void *ctx);
