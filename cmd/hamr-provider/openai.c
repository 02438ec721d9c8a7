/* openai.c - chunks and answers of the chat completions API, read. */
#include <string.h>

#include "api.h"
#include "msg.h"

#define EVENT_MAX BUF_RECORD_MAX

/* ---- small steps ---- */

typedef void feed_fn(struct answer *a, struct slice text);

/* A string, or an array of text parts, decoded. */
static bool
feed(struct answer *a, struct slice val, feed_fn *fn)
{
	struct buf b = BUF_INIT(EVENT_MAX);
	bool is_text = msg_text(val, &b) && b.len > 0;

	if (is_text)
		fn(a, buf_view(&b));
	buf_release(&b);
	return is_text;
}

/* ---- parts of a chunk ---- */

static void
read_details(struct answer *a, struct slice list)
{
	struct slice key, val;
	struct walk w;

	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		if (!feed(a, scan_get(val, "text"), answer_reasoning))
			feed(a, scan_get(val, "summary"), answer_reasoning);
}

/* Mistral has thoughts among the parts of the content. */
static void
read_thoughts(struct answer *a, struct slice content)
{
	struct slice part;
	struct walk w;

	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part))
		feed(a, scan_get(part, "thinking"), answer_reasoning);
}

static void
read_reasoning(struct answer *a, struct slice d)
{
	static const char *const keys[] = { "reasoning_content", "reasoning",
		"thinking", "reasoning_text" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (feed(a, scan_get(d, keys[i]), answer_reasoning))
			return;
	if (scan_kind(scan_get(d, "reasoning_details")) == SCAN_ARRAY)
		read_details(a, scan_get(d, "reasoning_details"));
}

static void
read_calls(struct answer *a, struct slice list)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return;
	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		if (scan_kind(val) == SCAN_OBJECT)
			answer_call(a, val);
}

/* A delta, or the message of an answer without a stream. */
static void
read_delta(struct answer *a, struct slice d)
{
	read_reasoning(a, d);
	read_thoughts(a, scan_get(d, "content"));
	if (!feed(a, scan_get(d, "content"), answer_content))
		feed(a, scan_get(d, "refusal"), answer_content);
	read_calls(a, scan_get(d, "tool_calls"));
	if (scan_kind(scan_get(d, "function_call")) == SCAN_OBJECT)
		answer_call(a, scan_get(d, "function_call"));
}

static void
read_choice(struct answer *a, struct slice c)
{
	struct slice d = scan_get(c, "delta");
	struct buf b = BUF_INIT(4096);
	int64_t index;

	if (scan_int(scan_get(c, "index"), &index) && index != 0)
		return;
	if (scan_kind(d) == SCAN_OBJECT)
		read_delta(a, d);
	else if (!answer_has_any(a))
		read_delta(a, scan_get(c, "message"));
	if (scan_str(scan_get(c, "finish_reason"), &b))
		answer_finish(a, buf_view(&b));
	answer_usage(a, scan_get(c, "usage"));
	buf_release(&b);
}

static bool
is_error(const struct scan *sc, struct slice choices)
{
	struct slice e = api_member(sc, "error");

	if (scan_kind(e) == SCAN_OBJECT || scan_kind(e) == SCAN_STRING)
		return true;
	if (scan_str_is(api_member(sc, "object"), "error") ||
	    scan_str_is(api_member(sc, "type"), "error"))
		return true;
	return choices.p == NULL && (api_member(sc, "detail").p != NULL ||
	    api_member(sc, "message").p != NULL);
}

static enum api_said
read_chunk(struct api_stream *st, const struct scan *sc, struct answer *a,
    struct slice data, struct failure *f)
{
	struct slice choices = api_member(sc, "choices"), key, val;
	struct buf b = BUF_INIT(4096);
	struct walk w;

	(void)st;
	if (is_error(sc, choices)) {
		failure_event(f, data);
		return API_ERROR;
	}
	if (scan_str(api_member(sc, "model"), &b))
		answer_model(a, buf_view(&b));
	buf_release(&b);
	if (scan_kind(choices) == SCAN_ARRAY) {
		walk_in(&w, choices);
		while (walk_next(&w, &key, &val)) {
			if (scan_kind(scan_get(val, "error")) == SCAN_OBJECT) {
				failure_event(f, val);
				return API_ERROR;
			}
			read_choice(a, val);
		}
	}
	answer_usage(a, scan_get(api_member(sc, "x_groq"), "usage"));
	answer_usage(a, api_member(sc, "usage"));
	return answer_finished(a) ? API_FINISHED : API_MORE;
}

const struct api api_openai = {
	.name = "openai",
	.own_url = "https://api.openai.com/v1",
	.own_host = "https://api.openai.com",
	.url_env = "OPENAI_BASE_URL",
	.key_env = "OPENAI_API_KEY",
	.key_header = "Authorization: Bearer ",
	.models = "/models",
	.chat = true,
	.mark = "\"choices\"",
	.path = "/chat/completions",
	.read = read_chunk,
};
