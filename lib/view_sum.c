/* view_sum.c - how large a view is: estimates, kept as it grows. */
#include <string.h>

#include "view_in.h"

#define PER_MESSAGE (8 * 64)
#define PER_IMAGE (1600 * 64)
#define DECODED_FIRST 256	/* bytes: then it is faster to make the text */

uint64_t
view_message_sum(void)
{
	return PER_MESSAGE;
}

uint64_t
view_string_sum(enum token_family f, struct slice val)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	unsigned prev = TOKEN_START;
	uint64_t sum;

	if (val.n < DECODED_FIRST)	/* too little to matter */
		return token_sum_json(f, val.p + 1, val.n - 2, &prev);
	scan_str(val, &text);
	sum = token_text(f, text.p, text.len);
	buf_release(&text);
	return sum;
}

static bool
is_image(struct slice part)
{
	struct slice type = scan_get(part, "type");

	return scan_str_is(type, "image_url") || scan_str_is(type, "image") ||
	    scan_str_is(type, "input_image");
}

static uint64_t
part_sum(enum token_family f, struct slice part)
{
	struct slice text = scan_get(part, "text");

	if (scan_kind(part) == SCAN_STRING)
		return view_string_sum(f, part);
	if (scan_kind(text) == SCAN_STRING)
		return view_string_sum(f, text);
	if (is_image(part))
		return PER_IMAGE;
	return token_text(f, part.p, part.n);
}

uint64_t
view_content_sum(enum token_family f, struct slice content)
{
	struct slice part;
	struct walk w;
	uint64_t sum = 0;

	if (scan_kind(content) == SCAN_STRING)
		return view_string_sum(f, content);
	if (scan_kind(content) != SCAN_ARRAY)
		return 0;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part))
		sum += part_sum(f, part);
	return sum;
}

bool
view_is_shown(const struct view *v, size_t node)
{
	return node >= v->fold || (node == 0 && v->nodes[0].kind ==
	    VIEW_SYSTEM);
}

size_t
view_head(const struct view *v, size_t node)
{
	while (v->nodes[node].joins && view_is_shown(v, node - 1))
		node--;
	return node;
}

void
view_grow(struct view *v, size_t i, uint64_t full, uint64_t thin)
{
	v->nodes[i].full += full;
	v->nodes[i].thin += thin;
	if (view_is_shown(v, i))
		v->sum += v->nodes[i].slim ? thin : full;
}

/* ---- calls ---- */

void
view_account(struct view *v, size_t i, uint64_t full, uint64_t thin)
{
	struct view_call *c = &v->calls[i];
	struct view_node *node = &v->nodes[c->node];
	uint64_t was = c->full - c->thin, is = full - thin;

	view_grow(v, c->node, full - c->full, thin - c->thin);
	if (c->keep) {
		node->kept += is - was;
		if (node->slim && view_is_shown(v, c->node))
			v->sum += is - was;
	}
	c->full = full;
	c->thin = thin;
}

void
view_count_call(struct view *v, size_t i, unsigned parts)
{
	struct view_call *c = &v->calls[i];
	uint64_t full = c->full, thin = c->thin;
	const char *result = c->cut != NULL ? c->cut :
	    c->result != NULL ? c->result : NO_RESULT;

	if (parts & COUNT_FULL) {
		if (c->text == 0)
			c->text = view_content_sum(v->family,
			    slice_of(result));
		full = c->args + c->text + PER_MESSAGE;
		if (!v->nodes[c->node].aged)
			thin = full;
	}
	if (parts & COUNT_THIN)
		thin = PER_MESSAGE + (c->slim != NULL ? c->slim_args :
		    c->args) + (c->stub != NULL ? c->stub_text : c->text);
	view_account(v, i, full, thin);
}
