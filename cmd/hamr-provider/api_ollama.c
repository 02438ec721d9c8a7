/* api_ollama.c - Ollama's own /api/chat: lines of JSON, a window by request. */
#include <string.h>

#include "api.h"
#include "msg.h"

/* ---- what is sent ---- */

static void
put_images(struct buf *out, struct slice content)
{
	struct buf url = BUF_INIT(BUF_RECORD_MAX);
	struct slice part, mime, data;
	struct walk w;
	size_t n = 0;

	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part)) {
		buf_reset(&url);
		if (!scan_str(scan_get(scan_get(part, "image_url"), "url"),
		    &url) || !api_data_url(buf_view(&url), &mime, &data))
			continue;
		buf_adds(out, n++ == 0 ? ",\"images\":[" : ",");
		scan_quote(out, data.p, data.n);
	}
	buf_adds(out, n > 0 ? "]" : "");
	buf_release(&url);
}

static void
put_calls(struct buf *out, struct slice calls)
{
	struct slice call;
	struct walk w;
	size_t n = 0;

	walk_in(&w, calls);
	while (scan_kind(calls) == SCAN_ARRAY && walk_next(&w, NULL, &call)) {
		struct slice fn = scan_get(call, "function");
		struct buf args = BUF_INIT(BUF_RECORD_MAX);

		buf_adds(out, n++ == 0 ? ",\"tool_calls\":[" : ",");
		buf_adds(out, "{\"function\":{\"name\":");
		buf_slice(out, scan_get(fn, "name"));
		buf_adds(out, ",\"arguments\":");
		scan_str(scan_get(fn, "arguments"), &args);
		buf_slice(out, args.len > 0 ? buf_view(&args) : SLICE("{}"));
		buf_adds(out, "}}");
		buf_release(&args);
	}
	buf_adds(out, n > 0 ? "]" : "");
}

static struct slice
name_of(struct slice calls, struct slice id)
{
	struct slice call;
	struct walk w;

	walk_in(&w, calls);
	while (scan_kind(calls) == SCAN_ARRAY && walk_next(&w, NULL, &call))
		if (slice_eq(scan_get(call, "id"), id))
			return scan_get(scan_get(call, "function"), "name");
	return (struct slice){ NULL, 0 };
}

static void
put_messages(struct buf *out, struct slice messages)
{
	struct slice m, calls = { NULL, 0 }, name;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct walk w;
	size_t n = 0;

	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		struct slice role = scan_get(m, "role");

		buf_reset(&text);
		msg_text(scan_get(m, "content"), &text);
		buf_adds(out, n++ > 0 ? ",{\"role\":" : "{\"role\":");
		buf_slice(out, role);
		buf_adds(out, ",\"content\":");
		scan_quote(out, buf_view(&text).p, text.len);
		put_images(out, scan_get(m, "content"));
		if (scan_str_is(role, "assistant")) {
			calls = scan_get(m, "tool_calls");
			put_calls(out, calls);
		}
		name = name_of(calls, scan_get(m, "tool_call_id"));
		if (scan_str_is(role, "tool") && name.p != NULL) {
			buf_adds(out, ",\"tool_name\":");
			buf_slice(out, name);
		}
		buf_addc(out, '}');
	}
	buf_release(&text);
}

/* The window and what else stands under options; those of params win. */
static void
put_options(struct buf *out, bool *first, const struct body *b)
{
	struct slice more = scan_get(b->conf_params, "options"), key, val;
	struct walk w;
	bool none = true;

	if (b->window > 0 && scan_get(more, "num_ctx").p == NULL) {
		api_field(out, first, "options", SLICE(""));
		buf_fmt(out, "{\"num_ctx\":%lld", b->window);
		none = false;
	}
	if (none) {
		api_field(out, first, "options", SLICE("{"));
		buf_adds(out, "\"num_keep\":0");
	}
	if (b->has_temperature)
		buf_fmt(out, ",\"temperature\":%.15g", b->temperature);
	if (b->max_tokens > 0)
		buf_fmt(out, ",\"num_predict\":%lld", b->max_tokens);
	walk_in(&w, more);
	while (scan_kind(more) == SCAN_OBJECT && walk_next(&w, &key, &val)) {
		buf_adds(out, ",\"");
		buf_slice(out, key);
		buf_adds(out, "\":");
		buf_slice(out, val);
	}
	buf_addc(out, '}');
}

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const skip[] = { "messages", "tools", "stream",
		"model", "options", "tool_choice", NULL };
	struct buf model = BUF_INIT(1 << 16);
	bool first = true;

	scan_quote(&model, b->model != NULL ? b->model : "",
	    b->model != NULL ? strlen(b->model) : 0);
	api_field(out, &first, "model", buf_view(&model));
	api_field(out, &first, "stream", b->stream ? SLICE("true") :
	    SLICE("false"));
	/* what does not fit shall be an error, not be cut in silence */
	api_field(out, &first, "truncate", SLICE("false"));
	api_field(out, &first, "shift", SLICE("false"));
	put_options(out, &first, b);
	api_fields(b, out, &first, skip);
	if (scan_kind(b->tools) == SCAN_ARRAY && b->tools.n > 2 &&
	    !scan_str_is(b->tool_choice, "none"))
		api_field(out, &first, "tools", b->tools);
	api_field(out, &first, "messages", SLICE("["));
	put_messages(out, messages);
	buf_adds(out, "]}");
	buf_release(&model);
}

/* ---- what comes ---- */

static void
take_calls(struct answer *a, struct slice list)
{
	struct slice el;
	struct walk w;

	walk_in(&w, list);
	while (scan_kind(list) == SCAN_ARRAY && walk_next(&w, NULL, &el)) {
		struct slice fn = scan_get(el, "function");

		/* each one comes whole */
		api_call(a, (long)answer_ncalls(a), scan_get(el, "id"),
		    scan_get(fn, "name"), scan_get(fn, "arguments"));
	}
}

static enum api_said
read(struct api_stream *st, const struct scan *sc, struct answer *a,
    struct slice data, struct failure *f)
{
	struct slice m = api_member(sc, "message");

	(void)st;
	if (api_member(sc, "error").p != NULL) {
		failure_event(f, data);
		return API_ERROR;
	}
	api_text(a, api_member(sc, "model"), answer_model);
	api_text(a, scan_get(m, "thinking"), answer_reasoning);
	api_text(a, scan_get(m, "content"), answer_content);
	take_calls(a, scan_get(m, "tool_calls"));
	if (!scan_true(api_member(sc, "done")))
		return API_MORE;
	api_usage(a, api_number(data, "prompt_eval_count"),
	    api_number(data, "eval_count"), -1, -1);
	api_text(a, api_member(sc, "done_reason"), answer_finish);
	if (!answer_finished(a))
		answer_finish(a, SLICE("stop"));
	return API_DONE;
}

const struct api api_ollama = {
	.name = "ollama",
	.own_url = "http://127.0.0.1:11434",
	.own_host = NULL,
	.url_env = "OLLAMA_HOST",
	.key_env = "OLLAMA_API_KEY",
	.key_header = "Authorization: Bearer ",
	.models = "/api/tags",
	.lines = true,
	.mark = "\"message\"",
	.path = "/api/chat",
	.body = body,
	.read = read,
};
