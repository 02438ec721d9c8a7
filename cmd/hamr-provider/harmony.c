/* harmony.c - gpt-oss answers whose channels a server left in the content. */
#include <string.h>

#include "dialect_in.h"
#include "harmony.h"
#include "scan.h"
#include "utf8.h"

#define HEADER_MAX 4096		/* bytes; it is a few words */
#define MESSAGE "<|message|>"

static const char *const borders[] = { "<|end|>", "<|call|>", "<|return|>",
	"<|start|>", "<|channel|>" };

#define NBORDERS (sizeof borders / sizeof *borders)

void
harmony_init(struct harmony *h)
{
	*h = (struct harmony){ .state = HARMONY_START };
	buf_init(&h->held, BUF_RECORD_MAX);
}

void
harmony_reset(struct harmony *h)
{
	h->state = HARMONY_START;
	h->said = false;
	buf_reset(&h->held);
}

void
harmony_release(struct harmony *h)
{
	buf_release(&h->held);
}

/* ---- bodies ---- */

static void
say(struct harmony *h, struct slice s, harmony_fn *emit, void *ctx)
{
	if (s.n == 0)
		return;
	if (h->kind == HARMONY_CONTENT && h->empty && h->said)
		emit(ctx, HARMONY_CONTENT, SLICE("\n\n"));
	if (h->kind == HARMONY_CONTENT)
		h->said = true;
	h->empty = false;
	emit(ctx, h->kind == HARMONY_REASONING ? HARMONY_REASONING :
	    HARMONY_CONTENT, s);
}

static void
end_body(struct harmony *h, harmony_fn *emit, void *ctx)
{
	if (h->kind != HARMONY_CALL)
		return;
	if (h->empty)
		emit(ctx, HARMONY_CONTENT, SLICE("{}"));
	emit(ctx, HARMONY_CONTENT, SLICE("}</tool_call>"));
}

/* The first border in s, and which; s.n: there is none. */
static size_t
find_border(struct slice s, const char **which)
{
	for (size_t at = 0; at < s.n; at++)
		for (size_t i = 0; s.p[at] == '<' && i < NBORDERS; i++)
			if (tag_match(slice_from(s, at), borders[i]) == 1) {
				*which = borders[i];
				return at;
			}
	return s.n;
}

/* How much of s is certainly not the beginning of a border. */
static size_t
certain(struct slice s)
{
	for (size_t at = s.n > 16 ? s.n - 16 : 0; at < s.n; at++)
		for (size_t i = 0; s.p[at] == '<' && i < NBORDERS; i++)
			if (tag_match(slice_from(s, at), borders[i]) < 0)
				return at;
	return s.n;
}

/* False when more bytes are needed. */
static bool
body(struct harmony *h, harmony_fn *emit, void *ctx)
{
	struct slice s = buf_view(&h->held);
	const char *border = NULL;
	size_t at = find_border(s, &border), n;

	if (at == s.n) {
		n = certain(s);
		say(h, (struct slice){ s.p, n }, emit, ctx);
		buf_drop(&h->held, n);
		return false;
	}
	say(h, (struct slice){ s.p, at }, emit, ctx);
	end_body(h, emit, ctx);
	/* the last two begin the next header */
	n = border == borders[3] || border == borders[4] ? at :
	    at + strlen(border);
	buf_drop(&h->held, n);
	h->state = HARMONY_HEADER;
	return true;
}

/* ---- headers ---- */

/* Behind "to=", without "functions."; {NULL, 0}: there is none. */
static struct slice
recipient(struct slice header)
{
	const char *to = memmem(header.p, header.n, "to=", 3);
	struct slice name = { NULL, 0 };

	if (to == NULL)
		return name;
	name.p = to + 3;
	while (name.p + name.n < header.p + header.n &&
	    memchr(" \t\r\n<", name.p[name.n], 5) == NULL)
		name.n++;
	if (slice_starts(name, "functions.")) {
		name.p += 10;
		name.n -= 10;
	}
	return name;
}

static void
begin_body(struct harmony *h, struct slice header, harmony_fn *emit,
    void *ctx)
{
	struct slice name = recipient(header);
	struct buf b = BUF_INIT(8 * HEADER_MAX);

	h->state = HARMONY_BODY;
	h->empty = true;
	h->kind = name.p != NULL ? HARMONY_CALL :
	    memmem(header.p, header.n, "analysis", 8) != NULL ?
	    HARMONY_REASONING : HARMONY_CONTENT;
	if (h->kind == HARMONY_CALL) {
		buf_adds(&b, "<tool_call>{\"name\":");
		scan_quote(&b, name.p, name.n);
		buf_adds(&b, ",\"arguments\":");
		emit(ctx, HARMONY_CONTENT, buf_view(&b));
	}
	buf_release(&b);
}

static bool
header(struct harmony *h, harmony_fn *emit, void *ctx)
{
	struct slice s = buf_view(&h->held);
	const char *end = s.n > 0 ? memmem(s.p, s.n, MESSAGE,
	    strlen(MESSAGE)) : NULL;

	if (end == NULL && s.n > HEADER_MAX)
		h->state = HARMONY_OFF;
	if (end == NULL)
		return h->state == HARMONY_OFF;
	begin_body(h, (struct slice){ s.p, (size_t)(end - s.p) }, emit, ctx);
	buf_drop(&h->held, (size_t)(end - s.p) + strlen(MESSAGE));
	return true;
}

/* ---- the walk ---- */

static bool
start(struct harmony *h)
{
	struct slice s = buf_view(&h->held);
	size_t at = 0;
	int channel, begin;

	while (at < s.n && is_white(s.p[at]))
		at++;
	if (at == s.n)
		return s.n > HEADER_MAX;
	channel = tag_match(slice_from(s, at), "<|channel|>");
	begin = tag_match(slice_from(s, at), "<|start|>");
	if (channel == 1 || begin == 1)
		h->state = HARMONY_HEADER;
	else if (channel == 0 && begin == 0)
		h->state = HARMONY_OFF;
	return h->state != HARMONY_START;
}

static bool
off(struct harmony *h, harmony_fn *emit, void *ctx)
{
	if (h->held.len > 0)
		emit(ctx, HARMONY_CONTENT, buf_view(&h->held));
	buf_reset(&h->held);
	return false;
}

void
harmony_feed(struct harmony *h, struct slice text, harmony_fn *emit,
    void *ctx)
{
	bool more = true;

	buf_slice(&h->held, text);
	while (more)
		switch (h->state) {
		case HARMONY_START: more = start(h); break;
		case HARMONY_OFF: more = off(h, emit, ctx); break;
		case HARMONY_HEADER: more = header(h, emit, ctx); break;
		case HARMONY_BODY: more = body(h, emit, ctx); break;
		}
}

void
harmony_end(struct harmony *h, bool cut, harmony_fn *emit, void *ctx)
{
	if (h->state == HARMONY_BODY) {
		say(h, buf_view(&h->held), emit, ctx);
		if (!cut)
			end_body(h, emit, ctx);
	} else if (h->state != HARMONY_HEADER)
		off(h, emit, ctx);
	h->state = HARMONY_OFF;
	buf_reset(&h->held);
}
