/* sse.c - server-sent events from a byte stream that may be cut anywhere. */
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

#include "sse.h"

void
sse_init(struct sse *s, size_t max_line, size_t max_event)
{
	memset(s, 0, sizeof *s);
	bufs_init(BUFS(&s->line, &s->name, &s->id, &s->next_id),
	    max_line);
	s->retry = -1;
	buf_init(&s->data, max_event);
}

void
sse_reset(struct sse *s)
{
	bufs_reset(BUFS(&s->line, &s->data, &s->name, &s->id, &s->next_id));
	s->retry = -1;
	s->is_error = s->is_cut = false;
	s->ndata = 0;
	s->after_cr = s->begun = false;
}

void
sse_release(struct sse *s)
{
	bufs_release(BUFS(&s->line, &s->data, &s->name, &s->id, &s->next_id));
}

static int
event_end(struct sse *s, sse_fn *fn, void *ctx)
{
	int rc = 0;

	if (!s->is_cut && s->next_id.len > 0) {
		buf_reset(&s->id);
		buf_slice(&s->id, buf_view(&s->next_id));
	}
	buf_reset(&s->next_id);
	if (s->data.len > 0)
		rc = fn(ctx, buf_view(&s->data));
	bufs_reset(BUFS(&s->data, &s->name));
	s->ndata = 0;
	s->is_error = false;
	return rc;
}

/* The value of a line "field:value"; NULL for any other field. */
static struct slice
value_of(struct slice l, const char *field)
{
	size_t n = strlen(field);

	if (l.p == NULL || !slice_starts(l, field) ||
	    (l.n > n && l.p[n] != ':'))
		return (struct slice){ NULL, 0 };
	n += l.n > n;
	n += l.n > n && l.p[n] == ' ';
	return slice_from(l, n);
}

static void
set_field(struct slice l, const char *field, struct buf *to)
{
	struct slice value = value_of(l, field);

	if (value.p == NULL)
		return;
	buf_reset(to);
	buf_slice(to, value);
}

/* A whole line, without its end. */
static int
take_line(struct sse *s, struct slice l, sse_fn *fn, void *ctx)
{
	bool error = false;
	int rc = 0;

	if (!s->begun && slice_starts(l, "\xef\xbb\xbf"))
		l = slice_from(l, 3);
	s->begun = true;
	if (s->lines)
		return l.n > 0 ? fn(ctx, l) : 0;
	if (l.n == 0)
		return event_end(s, fn, ctx);
	set_field(l, "event", &s->name);
	set_field(l, "id", &s->next_id);
	struct slice value = value_of(l, "retry");
	if (value.p != NULL && value.n > 0 && value.n < 10)
		s->retry = strtoll(value.p, NULL, 10);
	value = value_of(l, "data");
	if (value.p == NULL) {
		value = value_of(l, "error");
		error = value.p != NULL;
	}
	if (value.p == NULL)
		return 0;
	/* is it another event's?  Some gateways leave out the blank line, and
	 * two objects are not one value */
	if (s->ndata == 1 && (slice_starts(value, "{") ||
	    slice_is(value, "[DONE]")) && slice_starts(buf_view(&s->data),
	    "{") && scan_is_json(buf_view(&s->data)))
		rc = event_end(s, fn, ctx);
	s->is_error |= error;
	if (s->ndata++ > 0)
		buf_addc(&s->data, '\n');
	buf_slice(&s->data, value);
	return s->data.over ? SSE_TOO_LARGE : rc;
}

int
sse_feed(struct sse *s, const char *p, size_t n, sse_fn *fn, void *ctx)
{
	while (n > 0) {
		bool skip = s->after_cr && *p == '\n';

		s->after_cr = false;
		p += skip;
		n -= skip;
		const char *lf = memchr(p, '\n', n);
		size_t k = lf != NULL ? (size_t)(lf - p) : n;
		const char *cr = memchr(p, '\r', k);
		if (cr != NULL)
			k = (size_t)(cr - p);
		if (buf_add(&s->line, p, k) < 0)
			return SSE_TOO_LARGE;
		if (k == n)
			return 0;
		s->after_cr = p[k] == '\r';
		p += k + 1;
		n -= k + 1;
		int rc = take_line(s, buf_view(&s->line), fn, ctx);
		buf_reset(&s->line);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
sse_end(struct sse *s, sse_fn *fn, void *ctx)
{
	int rc = 0;

	s->is_cut = true;
	if (s->line.len > 0)
		rc = take_line(s, buf_view(&s->line), fn, ctx);
	buf_reset(&s->line);
	return rc != 0 ? rc : event_end(s, fn, ctx);
}
