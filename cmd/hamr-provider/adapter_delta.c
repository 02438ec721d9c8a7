/* adapter_delta.c - what an adapter's `event` says, told to the answer. */
#include <string.h>

#include "msg.h"

#include "adapter_in.h"

/* ---- errors ---- */

/* The codes an answer can fail with, and whether later it may work.  What has
 * none of them is judged as an error object of a server is. */
static const struct row {
	const char *code;
	bool retryable, again;
} rows[] = {
	{ "auth", false, false }, { "bad_request", false, false },
	{ "context_overflow", false, false }, { "tls", false, false },
	{ "too_large", false, false }, { "rate_limited", true, true },
	{ "overloaded", true, true }, { "network", true, true },
	{ "server", true, true }, { "timeout", true, true },
	{ "truncated", true, false }, { "malformed_tool_call", true, false },
};

static void
told(struct failure *f, const struct row *row, struct slice o)
{
	struct slice retryable = scan_get(o, "retryable");
	struct buf words = BUF_INIT(FAILURE_MAX);
	long long limit = api_number(o, "context_tokens");
	bool again = row->again, later = row->retryable;

	if (scan_kind(retryable) == SCAN_TRUE ||
	    scan_kind(retryable) == SCAN_FALSE)
		again = later = scan_true(retryable);
	if (!scan_str(scan_get(o, "message"), &words) || words.len == 0)
		buf_adds(&words, "the server reports an error");
	failure_set(f, row->code, later, again, "%.600s", words.p);
	if (limit > 0)
		f->limit = limit;
	buf_release(&words);
}

static void
take_error(struct slice o, struct failure *f)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (scan_str_is(scan_get(o, "code"), rows[i].code)) {
			told(f, &rows[i], o);
			return;
		}
	failure_event(f, o);
}

/* ---- deltas ---- */

static void
text(struct answer *a, struct slice val,
    void (*fn)(struct answer *, struct slice))
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(val, &b) && b.len > 0)
		fn(a, buf_view(&b));
	buf_release(&b);
}

static void
call(struct answer *a, struct slice o)
{
	struct slice args = scan_get(o, "arguments");
	long long index = api_number(o, "index");

	if (args.p == NULL)
		args = scan_get(o, "text");
	api_call(a, (long)index, scan_get(o, "id"), scan_get(o, "name"), args);
}

static bool
take_kind(struct answer *a, struct slice o, struct slice kind)
{
	struct slice val = scan_get(o, "text");

	if (scan_str_is(kind, "tool_call")) {
		call(a, o);
		return true;
	}
	text(a, val, scan_str_is(kind, "content") ? answer_content :
	    answer_reasoning);
	return (scan_str_is(kind, "content") ||
	    scan_str_is(kind, "reasoning")) &&
	    (scan_kind(val) == SCAN_STRING || scan_kind(val) == SCAN_NULL);
}

/* The members of a message, all or some of them; false: it has none. */
static bool
take_message(struct answer *a, struct slice o)
{
	static const char *const keys[] = { "content", "reasoning",
		"tool_calls", "finish_reason", "model", "usage" };
	struct slice calls = scan_get(o, "tool_calls"), el;
	struct walk w;
	bool any = false;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		any |= scan_get(o, keys[i]).p != NULL;
	text(a, scan_get(o, "reasoning"), answer_reasoning);
	text(a, scan_get(o, "content"), answer_content);
	walk_in(&w, calls);
	while (scan_kind(calls) == SCAN_ARRAY && walk_next(&w, NULL, &el))
		if (scan_kind(el) == SCAN_OBJECT)
			answer_call(a, el);
	text(a, scan_get(o, "model"), answer_model);
	text(a, scan_get(o, "finish_reason"), answer_finish);
	answer_usage(a, scan_get(o, "usage"));
	return any;
}

static void
take_usage(struct answer *a, struct slice o)
{
	if (scan_kind(scan_get(o, "cost")) == SCAN_NUMBER) {
		answer_usage(a, o);
		return;
	}
	api_usage(a, api_number(o, "prompt_tokens"),
	    api_number(o, "completion_tokens"),
	    api_number(o, "cached_tokens"),
	    api_number(o, "cache_write_tokens"));
}

enum api_said
adapter_delta(struct answer *a, struct slice o, struct failure *f)
{
	struct slice type = scan_get(o, "type"), kind = scan_get(o, "kind");

	if (scan_kind(o) == SCAN_NULL)
		return API_MORE;
	if (scan_kind(o) != SCAN_OBJECT)
		return API_ERROR;
	if (scan_str_is(type, "error")) {
		take_error(o, f);
		return API_ERROR;
	}
	if (scan_str_is(type, "done"))
		return API_DONE;
	if (scan_str_is(type, "usage"))
		take_usage(a, o);
	else if (kind.p != NULL ? !take_kind(a, o, kind) : !take_message(a, o))
		return API_ERROR;
	return API_MORE;
}
