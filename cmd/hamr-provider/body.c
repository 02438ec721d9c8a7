/* body.c - the body of one request, spliced together out of slices. */
#include <stdlib.h>

#include "body.h"
#include "mem.h"
#include "messages.h"
#include "quirks.h"
#include "scan.h"
#include "turns.h"

struct field {
	struct slice key, val;
};

struct fields {
	struct field *v;
	size_t n, cap;
};

/* A field once more takes the place of the one before. */
static void
put(struct fields *f, struct slice key, struct slice val)
{
	for (size_t i = 0; i < f->n; i++)
		if (slice_eq(f->v[i].key, key)) {
			f->v[i].val = val;
			return;
		}
	f->v = xgrow(f->v, f->n, &f->cap, sizeof *f->v);
	f->v[f->n++] = (struct field){ key, val };
}

/* What only we may say. */
static bool
is_ours(struct slice key)
{
	return slice_is(key, "messages") || slice_is(key, "tools") ||
	    slice_is(key, "stream");
}

static void
put_params(struct fields *f, struct slice params)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(params) != SCAN_OBJECT)
		return;
	walk_in(&w, params);
	while (walk_next(&w, &key, &val))
		if (!is_ours(key))
			put(f, key, val);
}

/* That of the request, else of params. */
static struct slice
choice_of(const struct body *b, const struct fields *f)
{
	if (b->tool_choice.p != NULL)
		return b->tool_choice;
	for (size_t i = 0; i < f->n; i++)
		if (slice_is(f->v[i].key, "tool_choice"))
			return f->v[i].val;
	return (struct slice){ NULL, 0 };
}

static void
print_messages(const struct body *b, bool forbidden, bool carry,
    struct buf *out)
{
	struct messages_rules rules = { .system_in_place = b->system_in_place,
		.reasoning = b->reasoning, .blind = b->blind, .carry = carry };
	struct buf text = BUF_INIT(2 * BUF_RECORD_MAX);

	if (b->dialect == DIALECT_AUTO || b->dialect == DIALECT_NONE) {
		messages_print(&rules, b->messages, b->past, out);
		return;
	}
	dialect_render(b->dialect, b->messages, b->tools, forbidden,
	    &text);
	messages_print(&rules, buf_view(&text), NULL, out);
	buf_release(&text);
}

void
body_messages(const struct body *b, bool forbidden, bool carry,
    struct buf *out)
{
	struct buf legal = BUF_INIT((size_t)1 << 40);

	if (!(b->quirks & QUIRKS_OF_TURNS)) {
		print_messages(b, forbidden, carry, out);
		return;
	}
	print_messages(b, forbidden, carry, &legal);
	turns_fit(b->quirks, buf_view(&legal), out);
	buf_release(&legal);
}

void
body_print(const struct body *b, struct buf *out)
{
	struct buf model = BUF_INIT(1 << 16), nums = BUF_INIT(128);
	struct buf tokens = BUF_INIT(64);
	struct fields f = { NULL, 0, 0 };
	struct slice choice;
	bool first = true, named = b->dialect != DIALECT_AUTO &&
	    b->dialect != DIALECT_NONE;
	bool tools = !named && scan_kind(b->tools) == SCAN_ARRAY &&
	    b->tools.n > 2;

	if (b->model != NULL && *b->model != '\0') {
		scan_quote(&model, b->model, slice_of(b->model).n);
		put(&f, SLICE("model"), buf_view(&model));
	}
	put(&f, SLICE("stream"), b->stream ? SLICE("true") : SLICE("false"));
	if (b->stream)
		put(&f, SLICE("stream_options"),
		    SLICE("{\"include_usage\":true}"));
	if (b->has_temperature) {
		buf_fmt(&nums, "%.15g", b->temperature);
		put(&f, SLICE("temperature"), buf_view(&nums));
	}
	if (b->max_tokens > 0) {
		buf_fmt(&tokens, "%lld", b->max_tokens);
		put(&f, SLICE("max_tokens"), buf_view(&tokens));
	}
	put_params(&f, b->conf_params);
	put_params(&f, b->params);
	for (size_t i = 0; i < f.n; i++)
		if (!slice_is(f.v[i].key, "tool_choice"))
			quirks_field(b->quirks, f.v[i].key,
			    f.v[i].val, out, &first);
	if (tools)
		quirks_field(b->quirks, SLICE("tools"), b->tools, out,
		    &first);
	quirks_field(b->quirks, SLICE("messages"), SLICE(""), out, &first);
	choice = choice_of(b, &f);
	body_messages(b, scan_str_is(choice, "none"), false, out);
	if (tools && choice.p != NULL)
		quirks_field(b->quirks, SLICE("tool_choice"), choice, out,
		    &first);
	buf_addc(out, '}');
	free(f.v);
	buf_release(&model);
	buf_release(&nums);
	buf_release(&tokens);
}
