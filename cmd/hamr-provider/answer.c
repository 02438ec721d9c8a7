/* answer.c - one assistant message in the making. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "one_line.h"
#include "scan.h"

#include "answer_in.h"

#define TEXT_MAX BUF_RECORD_MAX

static void
show(struct answer *a, const char *kind, struct slice s)
{
	if (s.n == 0)
		return;
	a->started = true;
	a->delta(a->ctx, kind, s);
}

/* As much of a text as is said before it repeats itself too often. */
static struct slice
cut(struct answer *a, struct repetition *r, struct slice s)
{
	if (answer_repeats(a) > 0)
		return SLICE("");
	return (struct slice){ s.p, repetition_feed(r, s.p, s.n) };
}

static void
add_content(struct answer *a, struct slice s)
{
	s = cut(a, &a->said, s);
	buf_slice(&a->content, s);
	show(a, "content", s);
}

static void
add_reasoning(struct answer *a, struct slice s)
{
	s = cut(a, &a->thought, s);
	buf_slice(&a->reasoning, s);
	show(a, "reasoning", s);
}

/* ---- what think.h and dialect.h find ---- */

static void
on_text(void *ctx, struct slice s)
{
	add_content(ctx, s);
}

static void
on_call(void *ctx, struct slice name, struct slice args)
{
	struct answer *a = ctx;

	calls_add(&a->lifted, name, args);
	show(a, "tool_call", name);
	show(a, "tool_call", args);
}

static void
on_malformed(void *ctx, struct slice block)
{
	struct answer *a = ctx;

	if (a->malformed.len == 0)
		buf_slice(&a->malformed, block);
}

static struct slice
trim(struct slice s)
{
	while (s.n > 0 && memchr(" \t\r\n", *s.p, 4) != NULL) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && memchr(" \t\r\n", s.p[s.n - 1], 4) != NULL)
		s.n--;
	return s;
}

static void
on_thought(void *ctx, enum think_kind kind, struct slice s)
{
	struct answer *a = ctx;

	switch (kind) {
	case THINK_CONTENT:
		buf_slice(&a->raw, s);
		dialect_feed(a->dialect, s);
		break;
	case THINK_REASONING:
		add_reasoning(a, s);
		break;
	case THINK_TAKE_BACK:
		buf_slice(&a->reasoning, trim(buf_view(&a->raw)));
		buf_reset(&a->raw);
		buf_reset(&a->content);
		repetition_reset(&a->said);
		buf_reset(&a->malformed);
		calls_reset(&a->lifted);
		dialect_reset(a->dialect, a->tools);
		break;
	}
}

/* ---- life ---- */

struct answer *
answer_new(enum dialect_kind dialect, long long repeat_limit,
    answer_delta *delta, void *ctx)
{
	static const struct dialect_out out = { on_text, on_call,
		on_malformed };
	struct answer *a = xcalloc(1, sizeof *a);

	a->delta = delta;
	a->ctx = ctx;
	a->think = think_new(on_thought, a);
	a->dialect = dialect_new(dialect, &out, a);
	a->said.limit = a->thought.limit = repeat_limit;
	harmony_init(&a->harmony);
	a->has_harmony = dialect == DIALECT_AUTO;
	buf_init(&a->fresh, TEXT_MAX);
	buf_init(&a->raw, TEXT_MAX);
	buf_init(&a->content, TEXT_MAX);
	buf_init(&a->reasoning, TEXT_MAX);
	buf_init(&a->malformed, TEXT_MAX);
	buf_init(&a->finish, 4096);
	buf_init(&a->usage, (size_t)1 << 20);
	buf_init(&a->model, 4096);
	buf_init(&a->carry, TEXT_MAX);
	return a;
}

void
answer_reset(struct answer *a, struct slice tools)
{
	a->tools = tools;
	think_reset(a->think);
	dialect_reset(a->dialect, tools);
	harmony_reset(&a->harmony);
	buf_reset(&a->fresh);
	buf_reset(&a->raw);
	buf_reset(&a->content);
	buf_reset(&a->reasoning);
	buf_reset(&a->malformed);
	buf_reset(&a->finish);
	buf_reset(&a->usage);
	buf_reset(&a->model);
	buf_reset(&a->carry);
	calls_reset(&a->native);
	calls_reset(&a->lifted);
	repetition_reset(&a->said);
	repetition_reset(&a->thought);
	a->dropped = 0;
	a->fed = a->started = a->lossy = a->ended = false;
}

void
answer_free(struct answer *a)
{
	if (a == NULL)
		return;
	answer_reset(a, (struct slice){ NULL, 0 });
	think_free(a->think);
	dialect_free(a->dialect);
	harmony_release(&a->harmony);
	buf_release(&a->fresh);
	buf_release(&a->raw);
	buf_release(&a->content);
	buf_release(&a->reasoning);
	buf_release(&a->malformed);
	buf_release(&a->finish);
	buf_release(&a->usage);
	buf_release(&a->model);
	buf_release(&a->carry);
	free(a);
}

/* ---- what a server sends ---- */

static void
on_channel(void *ctx, enum harmony_kind kind, struct slice s)
{
	struct answer *a = ctx;

	if (kind == HARMONY_CONTENT)
		think_feed(a->think, s);
	else
		add_reasoning(a, s);
}

void
answer_content(struct answer *a, struct slice text)
{
	if (text.n == 0)
		return;
	a->fed = true;
	if (a->has_harmony)
		harmony_feed(&a->harmony, text, on_channel, a);
	else
		think_feed(a->think, text);
}

void
answer_reasoning(struct answer *a, struct slice text)
{
	a->fed |= text.n > 0;
	add_reasoning(a, text);
}

void
answer_call(struct answer *a, struct slice element)
{
	buf_reset(&a->fresh);
	calls_merge(&a->native, element, &a->fresh);
	a->started |= a->native.n > 0;
	show(a, "tool_call", buf_view(&a->fresh));
}

void
answer_finish(struct answer *a, struct slice reason)
{
	if (reason.n == 0)
		return;
	buf_reset(&a->finish);
	buf_slice(&a->finish, reason);
}

void
answer_usage(struct answer *a, struct slice object)
{
	if (scan_kind(object) != SCAN_OBJECT)
		return;
	buf_reset(&a->usage);
	buf_slice(&a->usage, object);
}

struct slice
answer_usage_told(const struct answer *a)
{
	return a->usage.len > 0 ? buf_view(&a->usage) : SLICE("");
}

void
answer_carry(struct answer *a, struct slice json)
{
	buf_adds(&a->carry, a->carry.len > 0 ? "," : "");
	one_line(json, &a->carry);
}

size_t
answer_ncalls(const struct answer *a)
{
	return a->native.n;
}

void
answer_model(struct answer *a, struct slice name)
{
	if (a->model.len == 0)
		buf_slice(&a->model, name);
}

void
answer_lossy(struct answer *a)
{
	a->lossy = true;
}

bool
answer_started(const struct answer *a)
{
	return a->started;
}

bool
answer_has_any(const struct answer *a)
{
	return a->fed || a->native.n > 0;
}

bool
answer_finished(const struct answer *a)
{
	return a->finish.len > 0 || answer_repeats(a) > 0;
}

long long
answer_repeats(const struct answer *a)
{
	return a->said.times > 0 ? a->said.times : a->thought.times;
}

/* ---- the end ---- */

bool
answer_finish_is(const struct answer *a, const char *const *list)
{
	for (; *list != NULL; list++)
		if (slice_is(buf_view(&a->finish), *list))
			return true;
	return false;
}

bool
answer_is_cut(const struct answer *a)
{
	static const char *const list[] = { "length", "max_tokens",
		"model_context_window_exceeded", "model_length", NULL };

	return answer_repeats(a) > 0 || answer_finish_is(a, list);
}

struct slice
answer_end(struct answer *a, bool broken)
{
	if (!a->ended) {
		harmony_end(&a->harmony, broken || answer_is_cut(a), on_channel, a);
		think_end(a->think);
		a->dropped += dialect_end(a->dialect,
		    broken || answer_is_cut(a));
		/* their arguments may be cut although they parse */
		if (answer_is_cut(a)) {
			a->dropped += (unsigned)a->native.n;
			calls_reset(&a->native);
		}
		a->ended = true;
	}
	return buf_view(&a->malformed);
}
