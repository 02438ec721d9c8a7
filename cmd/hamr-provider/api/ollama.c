/* ollama.c - Ollama's own /api/chat: JSON lines, a window set per request. */
#include "record/msg.h"

#include "api.h"
#include "form.h"

#define NO_URL "[image omitted: this server fetches none by its address]"

/* ---- what is sent ---- */

static void
put_messages(struct buf *out, struct slice messages)
{
	struct slice m, calls = { NULL, 0 }, call, name, part, mime, data;
	struct buf text = BUF_INIT(BUF_RECORD_MAX), url = text, images = text;

	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		struct slice role = scan_get(m, "role"), own = { NULL, 0 };
		struct slice content = scan_get(m, "content");
		size_t ncalls = 0;

		bufs_reset(BUFS(&text, &images));
		msg_lines(content, &text);
		for (struct walk each = walk_elements(content);
		    walk_next(&each, NULL, &part); ) {
			struct slice image = scan_get(part, "image_url");

			buf_reset(&url);
			if (!scan_str(scan_get(image, "url"), &url))
				continue;
			if (data_url(buf_view(&url), &mime, &data))
				scan_put(&images, images.len > 0 ? ",@" : "@",
				    data);
			else
				buf_adds(&text, text.len > 0 ? "\n" NO_URL :
				    NO_URL);
		}
		if (text.len + images.len == 0 && scan_str_is(role, "user"))
			buf_adds(&text, "(empty)");
		scan_put(out, images.len > 0 ?
		    "${'role':$,'content':@,'images':[$]" :
		    "${'role':$,'content':@", scan_comma(out), role,
		    buf_view(&text), buf_view(&images));
		if (scan_get(m, "reasoning_content").p != NULL)
			scan_put(out, ",'thinking':$", scan_get(m,
			    "reasoning_content"));
		if (scan_str_is(role, "assistant"))
			calls = own = scan_get(m, "tool_calls");
		for (struct walk each = walk_elements(own);
		    walk_next(&each, NULL, &call); ) {
			struct slice fn = scan_get(call, "function");

			scan_put(out, ncalls++ == 0 ? ",'tool_calls':[" : ",");
			scan_put(out, "{'function':{'name':$,'arguments':",
			    scan_get(fn, "name"));
			scan_str(scan_get(fn, "arguments"), out);
			buf_adds(out, "}}");
		}
		buf_adds(out, ncalls > 0 ? "]" : "");
		name = name_of_call(calls, scan_get(m, "tool_call_id"));
		if (scan_str_is(role, "tool") && name.p != NULL)
			scan_put(out, ",'tool_name':$", name);
		buf_addc(out, '}');
	}
	bufs_release(BUFS(&text, &url, &images));
}

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const ours[] = { "messages", "tools", "stream",
		"model", "tool_choice", NULL };
	struct buf own = BUF_INIT(BUF_RECORD_MAX);

	/* a request that does not fit must fail, not be cut silently */
	scan_put(&own, "{'model':@,'stream':$,'truncate':false,'shift':false,"
	    "'options':{", slice_of(b->model), scan_truth(b->stream));
	if (b->window > 0)
		buf_fmt(&own, "\"num_ctx\":%lld", b->window);
	else
		scan_put(&own, "'num_keep':0");
	body_numbers(b, "num_predict", &own);
	buf_adds(&own, "}}");
	fields_begin(b, buf_view(&own), ours, out);
	if (body_has_tools(b) && !scan_str_is(b->tool_choice, "none"))
		fields_put(b, "tools", b->tools, out);
	fields_put(b, "messages", SLICE("["), out);
	put_messages(out, messages);
	buf_adds(out, "]}");
	buf_release(&own);
}

/* ---- what comes ---- */

static enum api_said
read(struct api_stream *st, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice m = api_member(st, "message"), el;

	if (api_member(st, "error").p != NULL)
		return api_fails(f, data);
	api_text(a, api_member(st, "model"), answer_model);
	api_text(a, scan_get(m, scan_get(m, "thinking").p != NULL ?
	    "thinking" : "reasoning_content"), answer_reasoning);
	api_text(a, scan_get(m, "content"), answer_content);
	for (struct walk w = walk_elements(scan_get(m, "tool_calls"));
	    walk_next(&w, NULL, &el); ) {
		struct slice fn = scan_get(el, "function");

		/* each call arrives complete */
		api_call(a, (long)a->native.n, scan_get(el, "id"),
		    scan_get(fn, "name"), scan_get(fn, "arguments"));
	}
	if (!scan_true(api_member(st, "done")))
		return API_MORE;
	answer_count(a, &(struct usage){
		answer_number(data, "prompt_eval_count"),
		answer_number(data, "eval_count"), -1, -1 });
	api_text(a, api_member(st, "done_reason"), answer_finish);
	if (!answer_finished(a))
		answer_finish(a, SLICE("stop"));
	return API_DONE;
}

const struct api api_ollama = {
	.name = "ollama",
	.own_url = "http://127.0.0.1:11434",
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
