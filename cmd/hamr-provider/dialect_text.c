/* dialect_text.c - the text between calls, and where it is code. */
#include "dialect_in.h"
#include "dialect_text.h"

void
dialect_text_init(struct dialect_text *t)
{
	buf_init(&t->ready, BUF_RECORD_MAX);
	buf_init(&t->white, BUF_RECORD_MAX);
	buf_init(&t->apart, BUF_RECORD_MAX);
}

void
dialect_text_reset(struct dialect_text *t)
{
	buf_reset(&t->ready);
	buf_reset(&t->white);
	buf_reset(&t->apart);
	t->fence = (struct fence){ 0 };
	t->after_block = t->said = false;
}

void
dialect_text_release(struct dialect_text *t)
{
	buf_release(&t->ready);
	buf_release(&t->white);
	buf_release(&t->apart);
}

void
dialect_text_flush(struct dialect_text *t)
{
	if (t->ready.len > 0)
		t->emit(t->ctx, buf_view(&t->ready));
	buf_reset(&t->ready);
}

static void
keep_longest(struct dialect_text *t)
{
	if (t->white.len > t->apart.len) {
		buf_reset(&t->apart);
		buf_slice(&t->apart, buf_view(&t->white));
	}
	buf_reset(&t->white);
}

void
dialect_text_say(struct dialect_text *t, struct slice s)
{
	size_t lead = 0, end = s.n;

	fence_feed(&t->fence, s.p, s.n);
	while (lead < s.n && is_white(s.p[lead]))
		lead++;
	buf_add(&t->white, s.p, lead);
	if (lead == s.n)
		return;
	while (is_white(s.p[end - 1]))
		end--;
	if (t->after_block) {
		keep_longest(t);
		if (t->said)
			buf_slice(&t->ready, buf_view(&t->apart));
		buf_reset(&t->apart);
		t->after_block = false;
	} else
		buf_slice(&t->ready, buf_view(&t->white));
	buf_reset(&t->white);
	t->said = true;
	buf_add(&t->ready, s.p + lead, end - lead);
	buf_add(&t->white, s.p + end, s.n - end);
}

void
dialect_text_block(struct dialect_text *t)
{
	dialect_text_flush(t);
	keep_longest(t);
	t->after_block = true;
	/* a fence begins at the start of a line */
	t->fence.line = FENCE_TEXT;
	t->fence.last = '>';
}

void
dialect_text_end(struct dialect_text *t)
{
	if (!t->after_block)
		buf_slice(&t->ready, buf_view(&t->white));
	buf_reset(&t->white);
	dialect_text_flush(t);
}

bool
dialect_text_is_code(const struct dialect_text *t)
{
	return fence_in(&t->fence) || fence_inline(&t->fence);
}
