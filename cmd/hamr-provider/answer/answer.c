/* answer.c - one assistant message under construction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "dialect/match.h"
#include "json/scan.h"

#include "answer.h"

/* All buffers of an answer. */
#define ALL(a) BUFS(&(a)->fresh, &(a)->raw, &(a)->content, &(a)->reasoning, \
	&(a)->malformed, &(a)->carry, &(a)->cost, &(a)->model, \
	&(a)->harmony.held)

static void
show(struct answer *a, const char *kind, struct slice s)
{
	if (s.n == 0)
		return;
	a->started = true;
	a->delta(a->ctx, kind, s);
}

/* Add s, up to where the text repeats itself too often. */
static void
add_text(struct answer *a, const char *kind, struct buf *to,
    struct repetition *r, struct slice s)
{
	if (answer_repeats(a) > 0)
		return;
	s.n = repetition_feed(r, s.p, s.n);
	buf_slice(to, s);
	show(a, kind, s);
}

/* ---- what reasoning.h and dialect.h find ---- */

static void
on_text(void *ctx, struct slice s)
{
	struct answer *a = ctx;

	if (a->again) {
		buf_slice(&a->raw, s);
		calls_reset(&a->lifted);	/* these were only reasoning */
	} else
		add_text(a, "content", &a->content, &a->said, s);
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

/* Look for calls from here on. */
static void
new_dialect(struct answer *a)
{
	static const struct dialect_out out = { on_text, on_call,
		on_malformed };

	dialect_free(a->dialect);
	a->dialect = dialect_new(a->kind, a->tools, &out, a);
}

static void
on_thought(void *ctx, enum reasoning_kind kind, struct slice s)
{
	struct answer *a = ctx;

	switch (kind) {
	case SPLIT_CONTENT:
		buf_slice(&a->raw, s);
		dialect_feed(a->dialect, s);
		break;
	case SPLIT_REASONING:
		add_text(a, "reasoning", &a->reasoning, &a->thought, s);
		break;
	case SPLIT_RECLASSIFY:
		buf_slice(&a->reasoning, slice_trim(buf_view(&a->raw)));
		bufs_reset(BUFS(&a->raw, &a->content));
		free(a->said.text);
		a->said = (struct repetition){ .limit = a->thought.limit };
		buf_reset(&a->malformed);
		calls_reset(&a->lifted);
		new_dialect(a);
		break;
	}
}

static bool
in_call(void *ctx)
{
	struct answer *a = ctx;

	return dialect_in_call(a->dialect);
}

static void
on_channel(void *ctx, enum reasoning_kind kind, struct slice s)
{
	struct answer *a = ctx;

	if (kind == SPLIT_CONTENT)
		reasoning_feed(a->splitter, s);
	else
		on_thought(a, kind, s);
}

/* ---- life ---- */

struct answer *
answer_new(enum dialect_kind kind, struct slice tools, bool forbidden,
    long long repeat_limit, answer_delta *delta, void *ctx)
{
	struct answer *a = xcalloc(1, sizeof *a);

	*a = (struct answer){ .delta = delta, .ctx = ctx, .kind = kind,
		.tools = tools, .forbidden = forbidden,
		.splitter = reasoning_new(on_thought, in_call, a),
		.harmony = { .emit = on_channel, .ctx = a },
		.said = { .limit = repeat_limit },
		.thought = { .limit = repeat_limit },
		.usage = { -1, -1, -1, -1 } };
	new_dialect(a);
	bufs_init(ALL(a), BUF_RECORD_MAX);
	buf_init(&a->model, 4096);
	return a;
}

void
answer_free(struct answer *a)
{
	if (a == NULL)
		return;
	reasoning_free(a->splitter);
	dialect_free(a->dialect);
	bufs_release(ALL(a));
	calls_reset(&a->native);
	calls_reset(&a->lifted);
	FREE(a->said.text, a->thought.text, a);
}

/* ---- what a server sends ---- */

void
answer_content(struct answer *a, struct slice text)
{
	if (text.n == 0)
		return;
	a->fed = true;
	if (a->kind == DIALECT_AUTO)
		harmony_feed(&a->harmony, text);
	else
		reasoning_feed(a->splitter, text);
}

void
answer_reasoning(struct answer *a, struct slice text)
{
	if (text.n == 0)
		return;
	a->fed = true;
	reasoning_is_apart(a->splitter);
	on_thought(a, SPLIT_REASONING, text);
}

void
answer_call(struct answer *a, const struct call_delta *d)
{
	size_t had = a->native.n;

	buf_reset(&a->fresh);
	calls_merge(&a->native, d, &a->fresh);
	if (a->native.n > had)		/* what came before it led to it */
		calls_carry(&a->native, &a->carry);
	a->fed |= a->native.n > 0;
	a->started |= a->native.n > 0;
	show(a, "tool_call", buf_view(&a->fresh));
}

void
answer_calls(struct answer *a, struct slice list, bool whole)
{
	bool single = scan_kind(list) == SCAN_OBJECT;	/* of some gateways */
	struct walk w = walk_elements(list);
	struct slice el = list;

	for (long long n = 0; single ? n == 0 : walk_next(&w, NULL, &el); n++) {
		struct call_delta d = call_delta(el);
		/* here, as its text lives no longer than the block */
		struct slice place = SCAN_INT(n);

		if (whole && !single)
			d.index = place;
		if (scan_kind(el) == SCAN_OBJECT)
			answer_call(a, &d);
	}
}

/* Map servers' finish reasons, in any case, to those of chapter 2.2.  Any other
 * one is a normal end, and whether there are calls decides. */
void
answer_finish(struct answer *a, struct slice reason)
{
	static const char *const words[][16] = {
		[FINISH_LENGTH] = { "length", "max_tokens", "model_length",
		    "max_output_tokens", "model_context_window_exceeded" },
		[FINISH_FILTER] = { "content_filter", "refusal", "safety",
		    "blocklist", "prohibited_content", "image_safety", "spii",
		    "recitation",	/* Gemini's, to spii */
		    "sensitive" },	/* z.ai */
		[FINISH_ERROR] = { "error", "other", "language",
		    "unexpected_tool_call", "malformed_response",
		    "missing_thought_signature", "too_many_tool_calls",
		    "load", "unload", "abort",	/* vLLM, SGLang */
		    "network_error",		/* z.ai */
		    "insufficient_system_resource" },	/* DeepSeek */
	};

	if (reason.n == 0)
		return;
	a->finish = FINISH_STOP;
	for (enum finish f = FINISH_LENGTH; f <= FINISH_ERROR; f++)
		for (const char *const *w = words[f]; *w != NULL; w++)
			if (is_word(reason, *w))
				a->finish = f;
}

long long
answer_number(struct slice o, const char *key)
{
	struct slice v = scan_get(o, key);
	double n;

	/* some servers write 1000.0 */
	if (scan_kind(v) != SCAN_NUMBER || !num_double(v.p, v.n, &n) ||
	    n < 0 || n > 1e15 || n != (double)(long long)n)
		return -1;
	return (long long)n;
}

/* The same, from the first of two keys that has a number. */
static long long
count(struct slice o, const char *a, const char *b)
{
	return answer_number(o, scan_kind(scan_get(o, a)) == SCAN_NUMBER ? a :
	    b);
}

void
answer_count(struct answer *a, const struct usage *new)
{
	struct usage *u = &a->usage;

	u->prompt = new->prompt >= 0 ? new->prompt : u->prompt;
	u->completion = new->completion >= 0 ? new->completion : u->completion;
	u->cached = new->cached >= 0 ? new->cached : u->cached;
	u->written = new->written >= 0 ? new->written : u->written;
	buf_reset(&a->cost);
}

void
answer_usage(struct answer *a, struct slice u)
{
	struct slice details = scan_get(u, "prompt_tokens_details");
	struct slice cost = scan_get(u, "cost");
	/* xAI's price, in 1e-10 dollars; only there are thoughts counted */
	long long ticks = answer_number(u, "cost_in_usd_ticks");

	if (scan_kind(u) != SCAN_OBJECT)
		return;
	if (details.p == NULL)
		details = scan_get(u, "input_tokens_details");
	bool apart = scan_kind(scan_get(details, "cached_tokens")) ==
	    SCAN_NUMBER;
	answer_count(a, &(struct usage){
		.prompt = count(u, "prompt_tokens", "input_tokens"),
		.completion = count(u, "completion_tokens", "output_tokens"),
		.cached = count(apart ? details : u, apart ? "cached_tokens" :
		    "prompt_cache_hit_tokens", "cached_tokens"),
		.written = answer_number(scan_get(u, "cache_write_tokens").p !=
		    NULL ? u : details, "cache_write_tokens"),
	});
	if (scan_kind(cost) == SCAN_NUMBER && *cost.p != '-')
		buf_slice(&a->cost, cost);
	else if (ticks >= 0)
		buf_fmt(&a->cost, "%.15g", (double)ticks / 1e10);
}

void
answer_carry(struct answer *a, struct slice json)
{
	buf_adds(&a->carry, a->carry.len > 0 ? "," : "");
	json_one_line(json, &a->carry);
}

void
answer_model(struct answer *a, struct slice name)
{
	if (a->model.len == 0)
		buf_slice(&a->model, name);
}

bool
answer_finished(const struct answer *a)
{
	return a->finish != FINISH_NONE || answer_repeats(a) > 0;
}

long long
answer_repeats(const struct answer *a)
{
	return a->said.times > 0 ? a->said.times : a->thought.times;
}

/* ---- the end ---- */

/* Cut by length, by the server or by us? */
static bool
is_cut(const struct answer *a)
{
	return answer_repeats(a) > 0 || a->finish == FINISH_LENGTH;
}

struct slice
answer_end(struct answer *a, bool broken)
{
	bool cut = broken || is_cut(a);

	calls_carry(&a->native, &a->carry);
	calls_sort(&a->native);
	harmony_end(&a->harmony, cut);
	bool open = reasoning_end(a->splitter);
	/* flushing the rest of the text may exceed the repeat limit */
	cut = broken || is_cut(a);
	unsigned dropped = dialect_end(a->dialect, cut);
	bool lost = dropped > 0 || a->malformed.len > 0;
	if (a->forbidden || a->native.n > 0 || (broken && lost)) {
		/* what looks like a call is text if calls are forbidden, if
		 * the server parses them itself, or if a partial answer would
		 * lose one */
		struct buf shown = a->content;

		calls_reset(&a->lifted);
		buf_reset(&a->malformed);
		if (answer_repeats(a) == 0) {
			a->content = a->raw;
			a->raw = shown;
		}
	} else if ((open || slice_trim(buf_view(&a->raw)).n == 0) && !cut &&
	    a->lifted.n == 0 && a->malformed.len == 0) {
		/* calls at the end of reasoning that is never closed, or that
		 * no text follows, count */
		a->again = true;
		buf_reset(&a->raw);
		new_dialect(a);
		dialect_feed(a->dialect, buf_view(&a->reasoning));
		dialect_end(a->dialect, false);
		a->again = false;
		buf_reset(&a->malformed);
		if (a->lifted.n > 0) {
			buf_reset(&a->reasoning);
			buf_slice(&a->reasoning,
			    slice_trim(buf_view(&a->raw)));
		}
	} else {
		a->dropped += dropped;
	}
	/* the arguments of native calls may be cut even if they parse */
	if (is_cut(a)) {
		a->dropped += (unsigned)a->native.n;
		calls_reset(&a->native);
	}
	return buf_view(&a->malformed);
}

bool
answer_lacked_room(const struct answer *a)
{
	return is_cut(a) && a->content.len == 0 && a->reasoning.len == 0 &&
	    a->lifted.n == 0 && a->dropped == 0 && a->usage.completion == 0;
}

/* ---- as records ---- */

/* Append content, reasoning and calls; those whose arguments are not JSON
 * are named in malformed.  False: there are no calls. */
static bool
put_body(const struct answer *a, const struct map *seen, bool whole,
    struct buf *out, struct buf *malformed)
{
	bool calls = a->native.n + a->lifted.n > 0;
	struct map fresh = { NULL, 0, 0 };

	scan_put(out, whole && calls && a->content.len == 0 ?
	    "'content':null" : "'content':@", buf_view(&a->content));
	if (a->reasoning.len > 0)
		scan_put(out, ",'reasoning':@", buf_view(&a->reasoning));
	if (calls) {
		scan_put(out, ",'tool_calls':[");
		calls_put(&a->native, seen, &fresh, out, malformed);
		calls_put(&a->lifted, seen, &fresh, out, malformed);
		buf_addc(out, ']');
		map_release(&fresh);
	}
	return calls;
}

void
answer_message(const struct answer *a, const struct map *seen,
    const struct answer_facts *f, struct buf *out)
{
	struct buf malformed = BUF_INIT(BUF_RECORD_MAX);
	struct slice model = a->model.len > 0 ? buf_view(&a->model) :
	    slice_of(f->model);

	scan_put(out, "{'role':'assistant',");
	bool calls = put_body(a, seen, true, out, &malformed);
	/* calls that survive a cut are complete and should run; those of a
	 * message that ends with "length" are not run */
	const char *finish = is_cut(a) ? (calls ? "tool_calls" : "length") :
	    a->finish == FINISH_FILTER ? "content_filter" :
	    a->finish == FINISH_ERROR ? "error" :
	    calls ? "tool_calls" : "stop";
	scan_put(out, model.n > 0 ? ",'finish_reason':@,'meta':{'model':@," :
	    ",'finish_reason':@,'meta':{", slice_of(finish), model);
	scan_put(out, "'api':@,'ms':$", slice_of(f->api), SCAN_INT(f->ms));
	if (f->ttft_ms >= 0)
		buf_fmt(out, ",\"ttft_ms\":%lld", f->ttft_ms);
	if (malformed.len > 0)
		scan_put(out, ",'malformed':[$]", buf_view(&malformed));
	if (a->dropped > 0)
		buf_fmt(out, ",\"dropped_calls\":%u", a->dropped);
	if (answer_repeats(a) > 0)
		buf_fmt(out, ",\"repeats\":%lld", answer_repeats(a));
	scan_put(out, a->lossy ? ",'lossy':true}}" : "}}");
	buf_release(&malformed);
}

void
answer_partial(const struct answer *a, struct buf *out)
{
	struct buf malformed = BUF_INIT(BUF_RECORD_MAX);
	struct map none = { NULL, 0, 0 };

	buf_addc(out, '{');
	put_body(a, &none, false, out, &malformed);
	buf_addc(out, '}');
	buf_release(&malformed);
}

/* ---- usage ---- */

bool
answer_usage_record(const struct answer *a, const struct prices *prices,
    struct buf *out)
{
	const struct usage *u = &a->usage;

	if (u->prompt < 0 && u->completion < 0)
		return false;
	scan_put(out, "{'type':'usage'");
	if (u->prompt >= 0)
		buf_fmt(out, ",\"prompt_tokens\":%lld", u->prompt);
	if (u->completion >= 0)
		buf_fmt(out, ",\"completion_tokens\":%lld", u->completion);
	buf_fmt(out, ",\"cached_tokens\":%lld", u->cached > 0 ? u->cached : 0);
	if (u->written > 0)
		buf_fmt(out, ",\"cache_write_tokens\":%lld", u->written);
	if (a->cost.len > 0)
		scan_put(out, ",'cost':$", buf_view(&a->cost));
	else if (prices->known)
		buf_fmt(out, ",\"cost\":%.15g", prices_cost(prices, u->prompt,
		    u->completion, u->cached, u->written));
	buf_addc(out, '}');
	return true;
}
