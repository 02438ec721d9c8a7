/* anthropic.c - the Messages API of Anthropic. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "request/quirks.h"

#include "api.h"
#include "form.h"

#define MAX_TOKENS 8192LL	/* the API requires a number */
#define CACHE ",'cache_control':{'type':'ephemeral'}"

static const struct slice none = { NULL, 0 };

/* ---- what is sent ---- */

static const char *const thoughts[] = { "thinking", "redacted_thinking",
	NULL };

static void
put_call(struct writer *w, struct slice call)
{
	struct slice fn = scan_get(call, "function");

	writer_part(w, SLICE("\"assistant\""));
	scan_put(w->out, "{'type':'tool_use','id':$,'name':",
	    scan_get(call, "id"));
	messages_safe_name(scan_get(fn, "name"), SIZE_MAX, w->out);
	scan_put(w->out, ",'input':");
	scan_str(scan_get(fn, "arguments"), w->out);
	writer_end(w);
}

static const struct form form = {
	.tools = "[", .tool = "{'name':$,'description':$,'input_schema':$}",
	.tools_end = "]",
	.turn = "{'role':$,'content':[", .assistant = "\"assistant\"",
	.text = "{'type':'text','text':$",
	.image_data = "{'type':'image','source':{'type':'base64',"
	    "'media_type':@,'data':@}",
	.image_url = "{'type':'image','source':{'type':'url','url':@}",
	.carried = thoughts, .call = put_call, .result = writer_result,
	.result_head = "{'type':'tool_result','tool_use_id':$,'content':"
};

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const ours[] = { "messages", "tools", "stream",
		"system", "model", "tool_choice", NULL };
	struct buf own = BUF_INIT(BUF_RECORD_MAX);
	struct writer w = { .form = &form, .out = out,
		.no_carry = b->quirks & QUIRK_NO_CARRY };
	struct slice name = scan_get(scan_get(b->tool_choice, "function"),
	    "name");

	scan_put(&own, "{'model':@,'max_tokens':$,'stream':$",
	    slice_of(b->model), SCAN_INT(b->max_tokens > 0 ? b->max_tokens :
	    MAX_TOKENS), scan_truth(b->stream));
	body_numbers(b, NULL, &own);
	buf_addc(&own, '}');
	fields_begin(b, buf_view(&own), ours, out);
	form_tools(&form, b, out);
	buf_reset(&own);
	if (system_text(messages, &own)) {
		fields_put(b, "system", SLICE(""), out);
		scan_put(out, "[{'type':'text','text':@" CACHE "}]",
		    buf_view(&own));
	}
	fields_put(b, "messages", SLICE("["), out);
	writer_messages(&w, messages);
	if (w.end > 0) {	/* cache all up to the last part */
		char *tail = xmemdup0(out->p + w.end, out->len - w.end);
		out->len = w.end;
		scan_put(out, CACHE);
		buf_adds(out, tail);
		free(tail);
	}
	buf_addc(out, ']');
	buf_reset(&own);
	if (scan_str_is(b->tool_choice, "none"))
		scan_put(&own, "{'type':'none'}");
	else if (scan_str_is(b->tool_choice, "required"))
		scan_put(&own, "{'type':'any'}");
	else if (scan_kind(name) == SCAN_STRING)
		scan_put(&own, "{'type':'tool','name':$}", name);
	else	/* its own form */
		buf_slice(&own, scan_only(SCAN_OBJECT, b->tool_choice));
	if (own.len > 0 && body_has_tools(b))
		fields_put(b, "tool_choice", buf_view(&own), out);
	buf_addc(out, '}');
	buf_release(&own);
}

/* ---- what comes ---- */

static void
usage(struct answer *a, struct slice u)
{
	long long in = answer_number(u, "input_tokens");
	long long read = answer_number(u, "cache_read_input_tokens");
	long long made = answer_number(u, "cache_creation_input_tokens");

	if (scan_kind(u) != SCAN_OBJECT)
		return;
	/* some gateways end with 0 for what message_start told */
	if (in == 0 && read <= 0 && made <= 0 && a->usage.prompt > 0)
		in = read = made = -1;
	if (in >= 0)
		in += (read > 0 ? read : 0) + (made > 0 ? made : 0);
	answer_count(a, &(struct usage){ in,
		answer_number(u, "output_tokens"), read, made });
}

/* Read the start of a content block, or (whole) a complete one. */
static void
take_block(struct api_stream *st, struct answer *a, struct slice c, long index,
    bool whole)
{
	struct slice type = scan_get(c, "type"), input = scan_get(c, "input");

	if (scan_str_is(type, "thinking") && !whole) {
		api_stream_reset(st);
		st->open = index;
		api_apart(a, a->reasoning.len, answer_reasoning);
		scan_str(scan_get(c, "thinking"), &st->text);
		scan_str(scan_get(c, "signature"), &st->mark);
		api_text(a, scan_get(c, "thinking"), answer_reasoning);
	} else if (slice_in(scan_plain(type), thoughts)) {
		api_text(a, scan_get(c, "thinking"), answer_reasoning);
		answer_carry(a, c);
	} else if (scan_str_is(type, "tool_use")) {
		/* some gateways send index 0 for every block */
		st->foreign = -1;
		/* in a stream, deltas follow an empty input */
		api_call(a, index, scan_get(c, "id"), scan_get(c, "name"),
		    whole || (scan_kind(input) == SCAN_OBJECT && input.n > 2) ?
		    input : none);
	} else {
		/* a server-side tool's call has an input too */
		if (input.p != NULL)
			st->foreign = index;
		api_text(a, scan_get(c, "text"), answer_content);
	}
}

static enum api_said
read(struct api_stream *st, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice type = api_member(st, "type"), c;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int64_t n;
	long index = scan_int(api_member(st, "index"), &n) && n >= 0 ?
	    (long)n : 0;

	if (scan_str_is(type, "error") ||
	    scan_kind(api_member(st, "error")) == SCAN_OBJECT)
		return api_fails(f, data);
	if (scan_str_is(type, "message") || (type.p == NULL &&
	    api_member(st, "content").p != NULL)) {	/* without a stream */
		index = 0;
		for (struct walk w = walk_elements(api_member(st, "content"));
		    walk_next(&w, NULL, &c); )
			take_block(st, a, c, index++, true);
		api_text(a, api_member(st, "model"), answer_model);
		api_text(a, api_member(st, "stop_reason"), answer_finish);
		usage(a, api_member(st, "usage"));
		return API_DONE;
	}
	if (scan_str_is(type, "message_start")) {
		struct slice m = api_member(st, "message");
		if (a->fed) {		/* of a gateway */
			failure_set(f, "truncated", "the server broke the "
			    "answer off and began another");
			return API_ERROR;
		}
		api_text(a, scan_get(m, "model"), answer_model);
		usage(a, scan_get(m, "usage"));
	} else if (scan_str_is(type, "content_block_start")) {
		take_block(st, a, api_member(st, "content_block"), index,
		    false);
	} else if (scan_str_is(type, "content_block_delta")) {
		struct slice d = api_member(st, "delta");

		type = scan_get(d, "type");
		if (scan_str_is(type, "text_delta")) {
			api_text(a, scan_get(d, "text"), answer_content);
		} else if (scan_str_is(type, "thinking_delta")) {
			scan_str(scan_get(d, "thinking"), &st->text);
			api_text(a, scan_get(d, "thinking"), answer_reasoning);
		} else if (scan_str_is(type, "signature_delta")) {
			scan_str(scan_get(d, "signature"), &st->mark);
		} else if (scan_str_is(type, "input_json_delta") &&
		    index != st->foreign) {
			api_call(a, index, none, none,
			    scan_get(d, "partial_json"));
		}
	} else if (scan_str_is(type, "content_block_stop")) {
		if (st->open < 0 || st->open != index)
			return API_MORE;
		/* a complete thought, kept in the form to send back */
		st->open = -1;
		scan_put(&b, "{'type':'thinking','thinking':@,'signature':@}",
		    buf_view(&st->text), buf_view(&st->mark));
		answer_carry(a, buf_view(&b));
		buf_release(&b);
	} else if (scan_str_is(type, "message_delta")) {
		usage(a, api_member(st, "usage"));
		/* the reason counts once message_stop arrives */
		buf_reset(&st->mark);
		scan_str(scan_get(api_member(st, "delta"), "stop_reason"),
		    &st->mark);
	} else if (scan_str_is(type, "message_stop")) {
		answer_finish(a, st->mark.len > 0 ? buf_view(&st->mark) :
		    SLICE("end_turn"));
		return API_DONE;
	}
	return API_MORE;
}

const struct api api_anthropic = {
	.name = "anthropic",
	.own_url = "https://api.anthropic.com",
	.url_env = "ANTHROPIC_BASE_URL",
	.key_env = "ANTHROPIC_API_KEY",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.models = "/v1/models",
	.one_system = true, .plain_ids = true,
	.mark = "\"content\"",
	.path = "/v1/messages",
	.body = body,
	.read = read,
};
