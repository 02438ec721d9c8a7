/* answer.c - one assistant message in the making. */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "calls.h"
#include "growth.h"
#include "harmony.h"
#include "mem.h"
#include "scan.h"
#include "think.h"

#define TEXT_MAX BUF_RECORD_MAX

struct answer {
	answer_delta *delta;
	void *ctx;
	struct think *think;
	struct dialect *dialect;
	struct harmony harmony;
	bool has_harmony;	/* it is looked for */
	struct growth content_new, reasoning_new;
	struct slice tools;	/* borrowed */
	struct buf fresh;	/* scratch: what is new of a piece */
	struct buf raw;		/* content as think.h passed it on */
	struct buf content, reasoning;
	struct calls native, lifted;
	struct buf malformed;
	struct buf finish, usage, model;
	struct buf carry;	/* elements for the first call's "carry" */
	unsigned dropped;
	bool started, lossy, ended;
};

static void
show(struct answer *a, const char *kind, struct slice s)
{
	if (s.n == 0)
		return;
	a->started = true;
	a->delta(a->ctx, kind, s);
}

/* ---- what think.h and dialect.h find ---- */

static void
on_text(void *ctx, struct slice s)
{
	struct answer *a = ctx;

	buf_slice(&a->content, s);
	show(a, "content", s);
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
		buf_slice(&a->reasoning, s);
		show(a, "reasoning", s);
		break;
	case THINK_TAKE_BACK:
		buf_slice(&a->reasoning, trim(buf_view(&a->raw)));
		buf_reset(&a->raw);
		buf_reset(&a->content);
		buf_reset(&a->malformed);
		calls_reset(&a->lifted);
		dialect_reset(a->dialect, a->tools);
		break;
	}
}

/* ---- life ---- */

struct answer *
answer_new(enum dialect_kind dialect, answer_delta *delta, void *ctx)
{
	static const struct dialect_out out = { on_text, on_call,
		on_malformed };
	struct answer *a = xcalloc(1, sizeof *a);

	a->delta = delta;
	a->ctx = ctx;
	a->think = think_new(on_thought, a);
	a->dialect = dialect_new(dialect, &out, a);
	harmony_init(&a->harmony);
	a->has_harmony = dialect == DIALECT_AUTO;
	growth_init(&a->content_new, TEXT_MAX);
	growth_init(&a->reasoning_new, TEXT_MAX);
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
	growth_reset(&a->content_new);
	growth_reset(&a->reasoning_new);
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
	a->dropped = 0;
	a->started = a->lossy = a->ended = false;
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
	growth_release(&a->content_new);
	growth_release(&a->reasoning_new);
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

	if (kind == HARMONY_CONTENT) {
		think_feed(a->think, s);
		return;
	}
	buf_slice(&a->reasoning, s);
	show(a, "reasoning", s);
}

/* What is new of the content, in a->fresh. */
static void
add_content(struct answer *a)
{
	if (a->fresh.len > 0 && a->has_harmony)
		harmony_feed(&a->harmony, buf_view(&a->fresh), on_channel, a);
	else if (a->fresh.len > 0)
		think_feed(a->think, buf_view(&a->fresh));
}

void
answer_content(struct answer *a, struct slice text)
{
	buf_reset(&a->fresh);
	growth_feed(&a->content_new, text, &a->fresh);
	add_content(a);
}

static void
add_reasoning(struct answer *a)
{
	buf_slice(&a->reasoning, buf_view(&a->fresh));
	show(a, "reasoning", buf_view(&a->fresh));
}

void
answer_reasoning(struct answer *a, struct slice text)
{
	buf_reset(&a->fresh);
	growth_feed(&a->reasoning_new, text, &a->fresh);
	add_reasoning(a);
}

void
answer_call(struct answer *a, struct slice element)
{
	buf_reset(&a->fresh);
	calls_merge(&a->native, element, &a->fresh);
	a->started = true;
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
	buf_slice(&a->carry, json);
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
answer_finished(const struct answer *a)
{
	return a->finish.len > 0;
}

/* ---- the end ---- */

static bool
finish_is(const struct answer *a, const char *const *list)
{
	for (; *list != NULL; list++)
		if (slice_is(buf_view(&a->finish), *list))
			return true;
	return false;
}

static bool
is_cut(const struct answer *a)
{
	static const char *const list[] = { "length", "max_tokens",
		"model_context_window_exceeded", "model_length", NULL };

	return finish_is(a, list);
}

/* finish_reason in the words of chapter 2.2. */
static const char *
finish_word(const struct answer *a, bool has_calls)
{
	static const char *const filtered[] = { "content_filter", "refusal",
		"safety", NULL };
	static const char *const failed[] = { "error", "load", NULL };

	/* calls that a cut left are whole, and are to be run: nobody runs
	 * those of "length" */
	if (is_cut(a))
		return has_calls ? "tool_calls" : "length";
	if (finish_is(a, filtered))
		return "content_filter";
	if (finish_is(a, failed))
		return "error";
	return has_calls ? "tool_calls" : "stop";
}

struct slice
answer_end(struct answer *a, bool broken)
{
	if (!a->ended) {
		buf_reset(&a->fresh);
		growth_end(&a->content_new, &a->fresh);
		add_content(a);
		harmony_end(&a->harmony, broken || is_cut(a), on_channel, a);
		think_end(a->think);
		buf_reset(&a->fresh);
		growth_end(&a->reasoning_new, &a->fresh);
		add_reasoning(a);
		a->dropped += dialect_end(a->dialect,
		    broken || is_cut(a));
		/* their arguments may be cut although they parse */
		if (is_cut(a)) {
			a->dropped += (unsigned)a->native.n;
			calls_reset(&a->native);
		}
		a->ended = true;
	}
	return buf_view(&a->malformed);
}

bool
answer_starved(const struct answer *a)
{
	struct slice u = a->usage.len > 0 ? buf_view(&a->usage) : SLICE("{}");
	int64_t made;

	return is_cut(a) && a->content.len == 0 && a->reasoning.len == 0 &&
	    a->lifted.n == 0 && a->dropped == 0 &&
	    scan_int(scan_get(u, "completion_tokens"), &made) && made == 0;
}

static struct slice
carried(const struct answer *a)
{
	return a->carry.len > 0 ? buf_view(&a->carry) : SLICE("");
}

static struct json *
all_calls(const struct answer *a, const struct ids *seen,
    struct json *malformed)
{
	struct json *list = json_array();
	struct ids fresh = { .seen = { NULL, 0, 0 } };

	calls_json(&a->native, seen, &fresh, carried(a), list, malformed);
	calls_json(&a->lifted, seen, &fresh, SLICE(""), list, malformed);
	ids_reset(&fresh);
	return list;
}

static struct slice
text_of(const struct buf *b)
{
	return b->len > 0 ? buf_view(b) : SLICE("");
}

static struct json *
meta_json(const struct answer *a, const struct answer_facts *f,
    struct json *malformed)
{
	struct json *m = json_object();

	if (a->model.len > 0)
		json_slice(m, "model", buf_view(&a->model));
	else if (f->model != NULL && *f->model != '\0')
		json_str(m, "model", f->model);
	json_str(m, "api", f->api);
	json_int(m, "ms", f->ms);
	if (f->ttft_ms >= 0)
		json_int(m, "ttft_ms", f->ttft_ms);
	if (!json_empty(malformed))
		json_add(m, "malformed", malformed);
	else
		json_free(malformed);
	if (a->dropped > 0)
		json_int(m, "dropped_calls", a->dropped);
	if (a->lossy)
		json_bool(m, "lossy", true);
	return m;
}

struct json *
answer_message(struct answer *a, const struct ids *seen,
    const struct answer_facts *facts)
{
	struct json *o = json_object(), *malformed = json_array();
	size_t n = a->native.n + a->lifted.n;

	json_str(o, "role", "assistant");
	if (a->content.len == 0 && n > 0)
		json_null(o, "content");
	else
		json_slice(o, "content", text_of(&a->content));
	if (a->reasoning.len > 0)
		json_slice(o, "reasoning", buf_view(&a->reasoning));
	if (n > 0)
		json_add(o, "tool_calls", all_calls(a, seen, malformed));
	json_str(o, "finish_reason", finish_word(a, n > 0));
	json_add(o, "meta", meta_json(a, facts, malformed));
	return o;
}

struct json *
answer_partial(struct answer *a)
{
	struct json *o = json_object(), *malformed = json_array();
	struct ids none = { .seen = { NULL, 0, 0 } };

	json_slice(o, "content", text_of(&a->content));
	if (a->reasoning.len > 0)
		json_slice(o, "reasoning", buf_view(&a->reasoning));
	if (a->native.n + a->lifted.n > 0)
		json_add(o, "tool_calls", all_calls(a, &none, malformed));
	json_free(malformed);
	return o;
}

/* ---- usage ---- */

static struct slice
first_of(struct slice o, const char *a, const char *b)
{
	struct slice v = scan_get(o, a);

	return scan_kind(v) == SCAN_NUMBER ? v : scan_get(o, b);
}

static void
add_number(struct json *o, const char *key, struct slice v)
{
	if (scan_kind(v) == SCAN_NUMBER)
		json_raw(o, key, v);
}

static long long
count(struct slice v)
{
	int64_t n;

	return scan_int(v, &n) ? n : 0;
}

struct json *
answer_usage_record(const struct answer *a, const struct prices *prices)
{
	struct slice u = buf_view(&a->usage), cached, cost;
	struct json *o;

	if (a->usage.len == 0)
		return NULL;
	o = json_object();
	json_str(o, "type", "usage");
	add_number(o, "prompt_tokens", first_of(u, "prompt_tokens",
	    "input_tokens"));
	add_number(o, "completion_tokens", first_of(u, "completion_tokens",
	    "output_tokens"));
	cached = scan_get(scan_get(u, "prompt_tokens_details"),
	    "cached_tokens");
	if (scan_kind(cached) != SCAN_NUMBER)
		cached = first_of(u, "prompt_cache_hit_tokens",
		    "cached_tokens");
	add_number(o, "cached_tokens", scan_kind(cached) == SCAN_NUMBER ?
	    cached : SLICE("0"));
	cost = scan_get(u, "cost");
	add_number(o, "cost", cost);
	if (scan_kind(cost) != SCAN_NUMBER && prices->known)
		json_double(o, "cost", prices_cost(prices,
		    count(first_of(u, "prompt_tokens", "input_tokens")),
		    count(first_of(u, "completion_tokens", "output_tokens")),
		    count(cached)));
	return o;
}

long long
answer_prompt_tokens(const struct answer *a)
{
	struct slice u = a->usage.len > 0 ? buf_view(&a->usage) : SLICE("{}");
	int64_t n, cached = 0;

	if (!scan_int(first_of(u, "prompt_tokens", "input_tokens"), &n))
		return -1;
	scan_int(scan_get(scan_get(u, "prompt_tokens_details"),
	    "cached_tokens"), &cached);
	return n + (cached > 0 ? cached : 0);
}
