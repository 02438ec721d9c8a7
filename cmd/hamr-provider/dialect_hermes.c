/* dialect_hermes.c - <tool_call>{"name":N,"arguments":{...}}</tool_call>. */
#include <string.h>

#include "dialect_in.h"

#define CLOSE "</tool_call>"
#define OPEN "<tool_call>"

void
hermes_begin(struct hermes *h, size_t at)
{
	*h = (struct hermes){ .at = at, .pos = at };
}

/* Walk on to the end of the object.  A format of its own only in that it must
 * be found before it can be checked; the scanner does that. */
static void
walk_object(struct hermes *h, struct slice held)
{
	while (h->pos < held.n && h->object_end == 0) {
		char c = held.p[h->pos++];

		if (h->escaped)
			h->escaped = false;
		else if (h->in_string && c == '\\')
			h->escaped = true;
		else if (c == '"')
			h->in_string = !h->in_string;
		else if (h->in_string)
			continue;
		else if (c == '{' || c == '[')
			h->depth++;
		else if ((c == '}' || c == ']') && --h->depth == 0)
			h->object_end = h->pos;
	}
}

static bool
read_args(struct slice v, struct scan *sc, struct buf *out)
{
	switch (scan_kind(v)) {
	case SCAN_OBJECT:
		buf_slice(out, v);
		return true;
	case SCAN_NONE:
	case SCAN_NULL:
		buf_adds(out, "{}");
		return true;
	case SCAN_STRING:
		/* written as the API has it: an object as a text */
		scan_str(v, out);
		return out->len > 0 && scan_record(sc, out->p, out->len) == 0;
	default:
		return false;
	}
}

bool
hermes_object(struct slice object, struct scan *sc, struct block_call *call)
{
	struct slice args;

	buf_reset(&call->name);
	buf_reset(&call->args);
	if (scan_record(sc, object.p, object.n) != 0)
		return false;
	if (!scan_str(scan_get(object, "name"), &call->name) ||
	    call->name.len == 0)
		return false;
	args = scan_get(object, "arguments");
	if (scan_kind(args) == SCAN_NONE)
		args = scan_get(object, "parameters");
	return read_args(args, sc, &call->args);
}

enum block_said
hermes_read(struct hermes *h, struct slice held, enum block_end e,
    struct scan *sc, struct block_call *call, size_t *end)
{
	struct slice object, rest;
	size_t at;
	int closed, next;

	walk_object(h, held);
	if (h->object_end == 0)
		return e == BLOCK_GROWS ? BLOCK_MORE : BLOCK_OPEN;
	/* white space behind it is looked at once only */
	for (at = h->pos; at < held.n && is_white(held.p[at]); at++)
		;
	h->pos = at;
	rest = slice_from(held, at);
	closed = tag_match(rest, CLOSE);
	next = tag_match(rest, OPEN);
	if (closed != 1 && next != 1) {
		if (e == BLOCK_GROWS && (closed < 0 || next < 0))
			return BLOCK_MORE;
		if (closed >= 0 && next >= 0)
			return BLOCK_JUNK;
		if (e == BLOCK_CUT)
			return BLOCK_OPEN;
	}
	object = (struct slice){ held.p + h->at, h->object_end - h->at };
	*end = closed == 1 ? at + strlen(CLOSE) : next == 1 ? at : held.n;
	return hermes_object(object, sc, call) ? BLOCK_CALL : BLOCK_BROKEN;
}

bool
hermes_name(struct slice block, struct buf *out)
{
	static const char key[] = "\"name\"";
	const char *p = memmem(block.p, block.n, key, sizeof key - 1);
	const char *end = block.p + block.n, *q;

	if (p == NULL)
		return false;
	for (p += sizeof key - 1; p < end && (is_white(*p) || *p == ':'); p++)
		;
	if (p == end || *p != '"')
		return false;
	q = memchr(p + 1, '"', end - p - 1);
	if (q == NULL)
		return false;
	buf_add(out, p + 1, q - p - 1);
	return true;
}
