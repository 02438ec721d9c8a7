/* responses.c - OpenAI's Responses API, without state on the server. */
#include "request/quirks.h"

#include "api.h"
#include "form.h"

static const struct slice none = { NULL, 0 };

/* ---- what is sent ---- */

static void
put_call(struct writer *w, struct slice call)
{
	struct slice fn = scan_get(call, "function");

	writer_item(w);
	scan_put(w->out, "{'type':'function_call','call_id':$,'name':$,"
	    "'arguments':$}", scan_get(call, "id"), scan_get(fn, "name"),
	    scan_get(fn, "arguments"));
}

static const struct form form = {
	.tools = "[", .tool = "{'type':'function','name':$,'description':$,"
	    "'parameters':$,'strict':false}", .tools_end = "]",
	.turn = "{'type':'message','role':$,'content':[", .flat = true,
	.text = "{'type':'input_text','text':$",
	.said = "{'type':'output_text','text':$",
	.image_url = "{'type':'input_image','image_url':$",
	.carried = (const char *const[]){ "reasoning", NULL },
	.call = put_call, .result = writer_result,
	.result_head = "{'type':'function_call_output','call_id':$,'output':"
};

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const ours[] = { "messages", "input", "tools",
		"stream", "model", "tool_choice", NULL };
	struct buf own = BUF_INIT(1 << 20);
	struct writer w = { .form = &form, .out = out,
		.no_carry = b->quirks & QUIRK_NO_CARRY };
	struct slice name = scan_get(scan_get(b->tool_choice, "function"),
	    "name");

	scan_put(&own, "{'model':@,'stream':$,'store':false,"
	    "'include':['reasoning.encrypted_content']", slice_of(b->model),
	    scan_truth(b->stream));
	body_numbers(b, "max_output_tokens", &own);
	buf_addc(&own, '}');
	fields_begin(b, buf_view(&own), ours, out);
	form_tools(&form, b, out);
	fields_put(b, "input", SLICE("["), out);
	writer_messages(&w, messages);
	buf_addc(out, ']');
	buf_reset(&own);
	if (scan_kind(name) == SCAN_STRING)
		scan_put(&own, "{'type':'function','name':$}", name);
	else
		buf_slice(&own, b->tool_choice);
	if (own.len > 0 && body_has_tools(b))
		fields_put(b, "tool_choice", buf_view(&own), out);
	buf_addc(out, '}');
	buf_release(&own);
}

/* ---- what comes ---- */

/* Read the final response object. */
static enum api_said
ended(struct answer *a, struct slice r, struct slice data, struct failure *f)
{
	struct slice status = scan_get(r, "status");
	struct slice why = scan_get(scan_get(r, "incomplete_details"),
	    "reason");

	api_text(a, scan_get(r, "model"), answer_model);
	answer_usage(a, scan_get(r, "usage"));
	if (scan_str_is(status, "failed"))
		return api_fails(f, scan_kind(scan_get(r, "error")) ==
		    SCAN_OBJECT ? r : data);
	answer_finish(a, !scan_str_is(status, "incomplete") ? SLICE("stop") :
	    scan_str_is(why, "content_filter") ? SLICE("content_filter") :
	    SLICE("length"));
	return API_DONE;
}

/* Read a complete item: at the end of a streamed one what its deltas did not
 * tell, which is all of it from servers that send none. */
static void
item_done(struct api_stream *st, struct answer *a, struct slice item,
    long index)
{
	struct slice type = scan_get(item, "type");
	bool thought = scan_str_is(type, "reasoning"), open = st->open == index;
	api_text_fn *fn = thought ? answer_reasoning : answer_content;
	struct walk w = walk_elements(scan_get(item, "summary"));
	struct slice el;

	if (scan_str_is(type, "function_call")) {
		api_call(a, index, open ? none : scan_get(item, "call_id"),
		    scan_get(item, "name"),
		    open ? none : scan_get(item, "arguments"));
		return;
	}
	if (!st->deltas && !thought && !open)
		api_apart(a, a->content.len, answer_content);
	while (!st->deltas && walk_next(&w, NULL, &el)) {
		api_apart(a, a->reasoning.len, answer_reasoning);
		api_text(a, scan_get(el, "text"), answer_reasoning);
	}
	w = walk_elements(scan_get(item, "content"));
	while (!st->deltas && walk_next(&w, NULL, &el)) {
		api_text(a, scan_get(el, "text"), fn);
		api_text(a, scan_get(el, "refusal"), fn);
	}
	if (thought)
		answer_carry(a, item);
	st->open = -1;
}

/* Read the items of an answer that was not streamed. */
static void
whole(struct api_stream *st, struct answer *a, struct slice list)
{
	struct slice item;
	long n = 0;

	api_stream_reset(st);
	for (struct walk w = walk_elements(list); walk_next(&w, NULL, &item); )
		item_done(st, a, item, n++);
}

static enum api_said
read(struct api_stream *st, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice type = api_member(st, "type");
	struct slice item = api_member(st, "item");
	struct slice delta = api_member(st, "delta");
	bool is_call = scan_str_is(scan_get(item, "type"), "function_call");
	int64_t n;
	long index = scan_int(api_member(st, "output_index"), &n) && n >= 0 ?
	    (long)n : 0;

	if (scan_str_is(api_member(st, "object"), "response") ||
	    (type.p == NULL && api_member(st, "output").p != NULL)) {
		whole(st, a, api_member(st, "output"));
		return ended(a, data, data, f);
	}
	if (scan_str_is(type, "error") || (type.p == NULL &&
	    scan_kind(api_member(st, "error")) == SCAN_OBJECT))
		return api_fails(f, data);
	if (scan_str_is(type, "response.output_item.added") && is_call) {
		st->open = -1;
		api_call(a, index, scan_get(item, "call_id"),
		    scan_get(item, "name"), none);
	} else if (scan_str_is(type, "response.output_item.added") &&
	    scan_str_is(scan_get(item, "type"), "message")) {
		st->open = index;
		api_apart(a, a->content.len, answer_content);
	} else if (scan_str_is(type, "response.reasoning_summary_part.added")) {
		api_apart(a, a->reasoning.len, answer_reasoning);
	} else if (scan_str_is(type,
	    "response.function_call_arguments.delta")) {
		st->open = index;
		api_call(a, index, none, none, delta);
	} else if (scan_str_is(type,
	    "response.function_call_arguments.done") && st->open != index) {
		/* some models send no deltas of the arguments, and may omit
		 * them from the item */
		st->open = index;
		api_call(a, index, none, none, api_member(st, "arguments"));
	} else if (scan_str_is(type, "response.output_text.delta") ||
	    scan_str_is(type, "response.refusal.delta")) {
		st->deltas = true;
		api_text(a, delta, answer_content);
	} else if (scan_str_is(type, "response.reasoning_summary_text.delta") ||
	    scan_str_is(type, "response.reasoning_text.delta")) {
		st->deltas = true;
		api_text(a, delta, answer_reasoning);
	} else if (scan_str_is(type, "response.output_item.done")) {
		item_done(st, a, item, index);
	} else if (scan_str_is(type, "response.completed") ||
	    scan_str_is(type, "response.incomplete") ||
	    scan_str_is(type, "response.failed")) {
		/* for servers that send no deltas */
		struct slice last = api_member(st, "response");
		if (!a->fed)
			whole(st, a, scan_get(last, "output"));
		return ended(a, last, data, f);
	}
	return API_MORE;
}

const struct api api_responses = {
	.name = "responses",
	.own_url = "https://api.openai.com/v1",
	.url_env = "OPENAI_BASE_URL",
	.key_env = "OPENAI_API_KEY",
	.key_header = "Authorization: Bearer ",
	.models = "/models",
	.mark = "\"output\"",
	.path = "/responses",
	.body = body,
	.read = read,
};
