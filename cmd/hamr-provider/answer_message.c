/* answer_message.c - an answer as records: message, partial, usage. */
#include "scan.h"

#include "answer_in.h"

/* finish_reason in the words of chapter 2.2. */
static const char *
finish_word(const struct answer *a, bool has_calls)
{
	static const char *const filtered[] = { "content_filter", "refusal",
		"safety", NULL };
	static const char *const failed[] = { "error", "load", NULL };

	/* calls that a cut left are whole, and are to be run: nobody runs
	 * those of "length" */
	if (answer_is_cut(a))
		return has_calls ? "tool_calls" : "length";
	if (answer_finish_is(a, filtered))
		return "content_filter";
	if (answer_finish_is(a, failed))
		return "error";
	return has_calls ? "tool_calls" : "stop";
}

bool
answer_starved(const struct answer *a)
{
	struct slice u = a->usage.len > 0 ? buf_view(&a->usage) : SLICE("{}");
	int64_t made;

	return answer_is_cut(a) && a->content.len == 0 && a->reasoning.len == 0 &&
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
	if (answer_repeats(a) > 0)
		json_int(m, "repeats", answer_repeats(a));
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

static long long
count(struct slice v)
{
	int64_t n;

	return scan_int(v, &n) && n > 0 ? n : 0;
}

/* What is no count of tokens is not told. */
static void
add_count(struct json *o, const char *key, struct slice v)
{
	int64_t n;

	if (scan_int(v, &n) && n >= 0)
		json_raw(o, key, v);
}

struct json *
answer_usage_record(const struct answer *a, const struct prices *prices)
{
	struct slice u = buf_view(&a->usage), cached, written, cost;
	struct json *o;

	if (a->usage.len == 0)
		return NULL;
	o = json_object();
	json_str(o, "type", "usage");
	add_count(o, "prompt_tokens", first_of(u, "prompt_tokens",
	    "input_tokens"));
	add_count(o, "completion_tokens", first_of(u, "completion_tokens",
	    "output_tokens"));
	cached = scan_get(scan_get(u, "prompt_tokens_details"),
	    "cached_tokens");
	if (scan_kind(cached) != SCAN_NUMBER)
		cached = first_of(u, "prompt_cache_hit_tokens",
		    "cached_tokens");
	json_int(o, "cached_tokens", count(cached));
	written = scan_get(scan_get(u, "prompt_tokens_details"),
	    "cache_write_tokens");
	if (count(written) > 0)
		json_raw(o, "cache_write_tokens", written);
	cost = scan_get(u, "cost");
	if (scan_kind(cost) == SCAN_NUMBER && *cost.p != '-')
		json_raw(o, "cost", cost);
	else if (prices->known)
		json_double(o, "cost", prices_cost(prices,
		    count(first_of(u, "prompt_tokens", "input_tokens")),
		    count(first_of(u, "completion_tokens", "output_tokens")),
		    count(cached), count(written)));
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
