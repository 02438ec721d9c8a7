/* harmony.c - gpt-oss answers whose channels a server left in the content. */
#include <string.h>

#include "dialect/match.h"
#include "json/scan.h"

#include "harmony.h"

#define HEADER_MAX 4096		/* bytes; it is a few words */
#define MESSAGE "<|message|>"

/* ---- bodies ---- */

static void
say(struct harmony *h, struct slice s)
{
	bool content = h->kind == SPLIT_CONTENT && !h->call;

	if (s.n == 0)
		return;
	if (content && h->empty && h->said)
		h->emit(h->ctx, SPLIT_CONTENT, SLICE("\n\n"));
	h->said |= content;
	h->empty = false;
	h->emit(h->ctx, h->kind, s);
}

static void
end_body(struct harmony *h)
{
	if (!h->call)
		return;
	if (h->empty)
		h->emit(h->ctx, SPLIT_CONTENT, SLICE("{}"));
	h->emit(h->ctx, SPLIT_CONTENT, SLICE("}</tool_call>"));
}

/* This and the states below return false when more bytes are needed.  What may
 * become a border is held back. */
static bool
body(struct harmony *h)
{
	static const char *const borders[] = { "<|start|>", "<|channel|>",
		"<|end|>", "<|call|>", "<|return|>" };
	struct slice s = buf_view(&h->held);
	size_t at, i = 0;
	int m = 0;

	for (at = 0; (at = slice_find(s, at, "<")) < s.n; at++) {
		for (i = 0; i < sizeof borders / sizeof *borders; i++) {
			m = tag_match(slice_from(s, at), borders[i]);
			if (m != 0)
				break;
		}
		if (m != 0)
			break;
	}
	say(h, slice_part(s, 0, at));
	if (m == 1) {
		end_body(h);
		if (i >= 2)	/* the first two belong to the next header */
			at += strlen(borders[i]);
		h->state = HARMONY_HEADER;
	}
	buf_drop(&h->held, at);
	return m == 1;
}

static bool
header(struct harmony *h)
{
	struct slice s = buf_view(&h->held);
	size_t end = slice_find(s, 0, MESSAGE);
	struct buf b = BUF_INIT(8 * HEADER_MAX);

	if (end == s.n || end + strlen(MESSAGE) > HEADER_MAX) {
		if (s.n > HEADER_MAX)
			h->state = HARMONY_OFF;
		return h->state == HARMONY_OFF;
	}
	s.n = end;
	size_t to = slice_find(s, 0, "to=");
	if (begins(s, to, "to=assistant"))	/* not a call */
		to = s.n;
	h->state = HARMONY_BODY;
	h->empty = h->headed = true;
	h->call = to < s.n;
	h->kind = !h->call && slice_has(s, "analysis") ? SPLIT_REASONING :
	    SPLIT_CONTENT;
	if (h->call) {
		struct slice name = slice_from(s, to + 3);
		for (to = 0; to < name.n && name.p[to] != '<' &&
		    !is_whitespace(name.p[to]); to++)
			;
		name.n = to;
		scan_put(&b, "<tool_call>{'name':@,'arguments':",
		    tool_name(name));
		h->emit(h->ctx, SPLIT_CONTENT, buf_view(&b));
	}
	buf_release(&b);
	buf_drop(&h->held, end + strlen(MESSAGE));
	return true;
}

static bool
start(struct harmony *h)
{
	struct slice s = buf_view(&h->held);
	size_t at = skip_white(s, 0);
	int channel = tag_match(slice_from(s, at), "<|channel|>");
	int begin = tag_match(slice_from(s, at), "<|start|>");
	/* the prompt ended with <|start|>assistant */
	int to = tag_match(slice_from(s, at), "to=functions.");

	if (to == 1)
		to = tag_match(slice_from(s, skip_white(s, skip_name(s,
		    at + strlen("to=")))), "<|");
	if (channel == 1 || begin == 1 || to == 1)
		h->state = HARMONY_HEADER;
	else if (s.n > HEADER_MAX || (channel == 0 && begin == 0 && to == 0))
		h->state = HARMONY_OFF;
	return h->state != HARMONY_START;
}

static bool
off(struct harmony *h)
{
	if (h->held.len > 0)
		h->emit(h->ctx, SPLIT_CONTENT, buf_view(&h->held));
	buf_reset(&h->held);
	return false;
}

void
harmony_feed(struct harmony *h, struct slice text)
{
	static bool (*const step[])(struct harmony *h) = {
		[HARMONY_START] = start, [HARMONY_OFF] = off,
		[HARMONY_HEADER] = header, [HARMONY_BODY] = body,
	};

	buf_slice(&h->held, text);
	while (step[h->state](h))
		;
}

void
harmony_end(struct harmony *h, bool cut)
{
	if (h->state == HARMONY_BODY) {
		say(h, buf_view(&h->held));
		if (!cut)
			end_body(h);
	} else if (h->state != HARMONY_HEADER || !h->headed)
		off(h);
	h->state = HARMONY_OFF;
	buf_reset(&h->held);
}
