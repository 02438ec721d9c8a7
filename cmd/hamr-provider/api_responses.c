/* api_responses.c - the Responses API of OpenAI, no state on the server. */
#include <string.h>

#include "api.h"

/* ---- what is sent ---- */

static void
part(struct buf *out, size_t *n, const char *kind, struct slice text)
{
	if (scan_kind(text) != SCAN_STRING)
		return;
	buf_fmt(out, "%s{\"type\":\"%s\",\"text\":", (*n)++ > 0 ? "," : "",
	    kind);
	buf_slice(out, text);
	buf_addc(out, '}');
}

static void
parts(struct buf *out, const char *kind, struct slice content)
{
	struct slice el, url;
	struct walk w;
	size_t n = 0;

	part(out, &n, kind, content);
	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &el)) {
		url = scan_get(scan_get(el, "image_url"), "url");
		part(out, &n, kind, scan_get(el, "text"));
		if (scan_kind(url) != SCAN_STRING)
			continue;
		buf_fmt(out, "%s{\"type\":\"input_image\",\"image_url\":",
		    n++ > 0 ? "," : "");
		buf_slice(out, url);
		buf_addc(out, '}');
	}
}

static void
put_message(struct buf *out, size_t *n, struct slice role, const char *kind,
    struct slice content)
{
	struct slice el;
	struct walk w;

	/* nothing in it: refused */
	walk_in(&w, content);
	if (scan_kind(content) == SCAN_ARRAY ? !walk_next(&w, NULL, &el) :
	    scan_kind(content) != SCAN_STRING || content.n <= 2)
		return;
	buf_fmt(out, "%s{\"type\":\"message\",\"role\":", (*n)++ > 0 ? "," :
	    "");
	buf_slice(out, role);
	buf_adds(out, ",\"content\":[");
	parts(out, kind, content);
	buf_adds(out, "]}");
}

static void
put_calls(struct buf *out, size_t *n, struct slice calls)
{
	struct slice call, item;
	struct walk w, c;

	walk_in(&w, calls);
	while (scan_kind(calls) == SCAN_ARRAY && walk_next(&w, NULL, &call)) {
		struct slice fn = scan_get(call, "function");
		struct slice carry = scan_get(call, "carry");

		walk_in(&c, carry);
		while (scan_kind(carry) == SCAN_ARRAY &&
		    walk_next(&c, NULL, &item))
			if (scan_str_is(scan_get(item, "type"),
			    "reasoning")) {
				buf_adds(out, (*n)++ > 0 ? "," : "");
				buf_slice(out, item);
			}
		buf_fmt(out, "%s{\"type\":\"function_call\",\"call_id\":",
		    (*n)++ > 0 ? "," : "");
		buf_slice(out, scan_get(call, "id"));
		buf_adds(out, ",\"name\":");
		buf_slice(out, scan_get(fn, "name"));
		buf_adds(out, ",\"arguments\":");
		buf_slice(out, scan_get(fn, "arguments"));
		buf_addc(out, '}');
	}
}

static void
put_result(struct buf *out, size_t *n, struct slice m)
{
	struct slice content = scan_get(m, "content");

	buf_fmt(out, "%s{\"type\":\"function_call_output\",\"call_id\":",
	    (*n)++ > 0 ? "," : "");
	buf_slice(out, scan_get(m, "tool_call_id"));
	buf_adds(out, ",\"output\":");
	if (scan_kind(content) == SCAN_ARRAY) {
		buf_addc(out, '[');
		parts(out, "input_text", content);
		buf_addc(out, ']');
	} else {
		buf_slice(out, content.p != NULL ? content : SLICE("\"\""));
	}
	buf_addc(out, '}');
}

static void
put_input(struct buf *out, struct slice messages)
{
	struct slice m;
	struct walk w;
	size_t n = 0;

	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		struct slice role = scan_get(m, "role");

		if (scan_str_is(role, "tool")) {
			put_result(out, &n, m);
			continue;
		}
		put_message(out, &n, role, scan_str_is(role, "assistant") ?
		    "output_text" : "input_text", scan_get(m, "content"));
		put_calls(out, &n, scan_get(m, "tool_calls"));
	}
}

static const struct api_tools tools_form = {
	.open = "[", .head = "{\"type\":\"function\",\"name\":",
	.schema = ",\"parameters\":", .end = ",\"strict\":false}", .close = "]"
};

static void
put_choice(struct buf *out, bool *first, struct slice choice)
{
	struct slice name = scan_get(scan_get(choice, "function"), "name");

	if (scan_kind(choice) == SCAN_STRING) {
		api_field(out, first, "tool_choice", choice);
	} else if (scan_kind(name) == SCAN_STRING) {
		api_field(out, first, "tool_choice",
		    SLICE("{\"type\":\"function\",\"name\":"));
		buf_slice(out, name);
		buf_addc(out, '}');
	}
}

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const skip[] = { "messages", "input", "tools",
		"stream", "model", "tool_choice", NULL };
	struct buf text = BUF_INIT(1 << 16);
	bool first = true;

	scan_quote(&text, b->model != NULL ? b->model : "",
	    b->model != NULL ? strlen(b->model) : 0);
	api_field(out, &first, "model", buf_view(&text));
	api_field(out, &first, "stream", b->stream ? SLICE("true") :
	    SLICE("false"));
	api_field(out, &first, "store", SLICE("false"));
	api_field(out, &first, "include",
	    SLICE("[\"reasoning.encrypted_content\"]"));
	if (b->has_temperature) {
		buf_reset(&text);
		buf_fmt(&text, "%.15g", b->temperature);
		api_field(out, &first, "temperature", buf_view(&text));
	}
	if (b->max_tokens > 0) {
		buf_reset(&text);
		buf_fmt(&text, "%lld", b->max_tokens);
		api_field(out, &first, "max_output_tokens", buf_view(&text));
	}
	api_fields(b, out, &first, skip);
	api_tools(b->tools, &tools_form, out, &first);
	api_field(out, &first, "input", SLICE("["));
	put_input(out, messages);
	buf_addc(out, ']');
	if (scan_kind(b->tools) == SCAN_ARRAY && b->tools.n > 2)
		put_choice(out, &first, b->tool_choice);
	buf_addc(out, '}');
	buf_release(&text);
}

/* ---- what comes ---- */

static long
index_of(const struct scan *sc)
{
	int64_t n;

	return scan_int(api_member(sc, "output_index"), &n) && n >= 0 ?
	    (long)n : 0;
}

static void
usage(struct answer *a, struct slice u)
{
	if (scan_kind(u) == SCAN_OBJECT)
		api_usage(a, api_number(u, "input_tokens"),
		    api_number(u, "output_tokens"), api_number(scan_get(u,
		    "input_tokens_details"), "cached_tokens"), -1);
}

/* The response as it stands at its end. */
static enum api_said
ended(struct answer *a, struct slice r, struct slice data, struct failure *f)
{
	struct slice status = scan_get(r, "status");

	api_text(a, scan_get(r, "model"), answer_model);
	usage(a, scan_get(r, "usage"));
	if (scan_str_is(status, "failed")) {
		failure_event(f, scan_kind(scan_get(r, "error")) ==
		    SCAN_OBJECT ? r : data);
		return API_ERROR;
	}
	if (scan_str_is(status, "incomplete"))
		answer_finish(a, scan_str_is(scan_get(scan_get(r,
		    "incomplete_details"), "reason"), "content_filter") ?
		    SLICE("content_filter") : SLICE("length"));
	else
		answer_finish(a, SLICE("stop"));
	return API_DONE;
}

/* The texts of a list of parts. */
static void
texts(struct answer *a, struct slice list,
    void (*fn)(struct answer *, struct slice))
{
	struct slice el;
	struct walk w;

	walk_in(&w, list);
	while (scan_kind(list) == SCAN_ARRAY && walk_next(&w, NULL, &el)) {
		api_text(a, scan_get(el, "text"), fn);
		api_text(a, scan_get(el, "refusal"), fn);
	}
}

/* The items of an answer that came at once. */
static void
whole(struct answer *a, struct slice list)
{
	struct slice item;
	struct walk w;
	long n = 0;

	walk_in(&w, list);
	while (scan_kind(list) == SCAN_ARRAY && walk_next(&w, NULL, &item)) {
		struct slice type = scan_get(item, "type");

		if (scan_str_is(type, "reasoning")) {
			texts(a, scan_get(item, "summary"), answer_reasoning);
			texts(a, scan_get(item, "content"), answer_reasoning);
			answer_carry(a, item);
		} else if (scan_str_is(type, "function_call")) {
			api_call(a, n++, scan_get(item, "call_id"),
			    scan_get(item, "name"),
			    scan_get(item, "arguments"));
		} else {
			texts(a, scan_get(item, "content"), answer_content);
		}
	}
}

static void
item_done(struct api_stream *st, const struct scan *sc, struct answer *a)
{
	struct slice item = api_member(sc, "item"), none = { NULL, 0 };
	struct slice type = scan_get(item, "type");

	if (scan_str_is(type, "reasoning"))
		answer_carry(a, item);
	else if (scan_str_is(type, "function_call") &&
	    st->open != index_of(sc))
		/* servers that send no deltas of the arguments */
		api_call(a, index_of(sc), scan_get(item, "call_id"),
		    scan_get(item, "name"), scan_get(item, "arguments"));
	else if (scan_str_is(type, "function_call"))
		api_call(a, index_of(sc), none, scan_get(item, "name"), none);
}

static enum api_said
read(struct api_stream *st, const struct scan *sc, struct answer *a,
    struct slice data, struct failure *f)
{
	struct slice type = api_member(sc, "type"), item, none = { NULL, 0 };

	if (scan_str_is(api_member(sc, "object"), "response")) {
		whole(a, api_member(sc, "output"));
		return ended(a, data, data, f);
	}
	if (scan_str_is(type, "error") || (type.p == NULL &&
	    scan_kind(api_member(sc, "error")) == SCAN_OBJECT)) {
		failure_event(f, data);
		return API_ERROR;
	}
	if (scan_str_is(type, "response.output_item.added")) {
		item = api_member(sc, "item");
		if (scan_str_is(scan_get(item, "type"), "function_call"))
			api_call(a, index_of(sc), scan_get(item, "call_id"),
			    scan_get(item, "name"), none);
	} else if (scan_str_is(type,
	    "response.function_call_arguments.delta")) {
		st->open = index_of(sc);
		api_call(a, index_of(sc), none, none,
		    api_member(sc, "delta"));
	} else if (scan_str_is(type, "response.output_text.delta") ||
	    scan_str_is(type, "response.refusal.delta")) {
		api_text(a, api_member(sc, "delta"), answer_content);
	} else if (scan_str_is(type, "response.reasoning_summary_text.delta") ||
	    scan_str_is(type, "response.reasoning_text.delta")) {
		api_text(a, api_member(sc, "delta"), answer_reasoning);
	} else if (scan_str_is(type, "response.output_item.done")) {
		item_done(st, sc, a);
	} else if (scan_str_is(type, "response.completed") ||
	    scan_str_is(type, "response.incomplete") ||
	    scan_str_is(type, "response.failed")) {
		/* servers that send no deltas */
		if (!answer_has_any(a))
			whole(a, scan_get(api_member(sc, "response"),
			    "output"));
		return ended(a, api_member(sc, "response"), data, f);
	}
	return API_MORE;
}

const struct api api_responses = {
	.name = "responses",
	.own_url = "https://api.openai.com/v1",
	.own_host = "https://api.openai.com",
	.url_env = "OPENAI_BASE_URL",
	.key_env = "OPENAI_API_KEY",
	.key_header = "Authorization: Bearer ",
	.models = "/models",
	.mark = "\"output\"",
	.path = "/responses",
	.body = body,
	.read = read,
};
