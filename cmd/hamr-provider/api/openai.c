/* openai.c - the chat completions API. */
#include "request/quirks.h"

#include "api.h"

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const ours[] = { "messages", "tools", "stream",
		"tool_choice", NULL };
	struct buf own = BUF_INIT(1 << 20);
	bool tools = b->dialect <= DIALECT_NONE && body_has_tools(b);

	(void)messages;		/* printed where they belong */
	scan_put(&own, *b->model != '\0' ? "{'model':@,'stream':" :
	    "{'stream':", slice_of(b->model));
	scan_put(&own, b->stream ? "true,'stream_options':"
	    "{'include_usage':true}" : "false");
	if (tools && (b->quirks & QUIRK_ONE_CALL) != 0)
		buf_adds(&own, ",\"parallel_tool_calls\":true");
	body_numbers(b, "max_tokens", &own);
	buf_addc(&own, '}');
	fields_begin(b, buf_view(&own), ours, out);
	if (tools)
		fields_put(b, "tools", b->tools, out);
	fields_put(b, "messages", SLICE(""), out);
	body_messages(b, out);
	if (tools && b->tool_choice.p != NULL)
		fields_put(b, "tool_choice", b->tool_choice, out);
	buf_addc(out, '}');
	buf_release(&own);
}

/* ---- what comes ---- */

/* Gateways to Gemini and Anthropic want what they signed back: of Anthropic's
 * thoughts the signature comes last, in one more element. */
static void
keep_detail(struct api_stream *st, struct answer *a, struct slice el)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice key, val;

	if (scan_str_is(scan_get(el, "type"), "reasoning.encrypted"))
		answer_carry(a, el);
	scan_str(scan_get(el, "text"), &st->text);
	val = scan_get(el, "signature");
	if (scan_kind(val) != SCAN_STRING || val.n <= 2)
		return;
	scan_put(&b, "{'text':@", buf_view(&st->text));
	for (struct walk w = walk_of(el); walk_next(&w, &key, &val); )
		if (!scan_key_is(key, "text"))
			scan_put(&b, ",'$':$", key, val);
	buf_addc(&b, '}');
	answer_carry(a, buf_view(&b));
	buf_release(&b);
	buf_reset(&st->text);
}

/* A delta, or (whole) the message of an answer without a stream. */
static void
read_delta(struct api_stream *st, struct answer *a, struct slice d, bool whole)
{
	static const char *const keys[] = { "reasoning_content", "reasoning",
		"thinking", "reasoning_text" };
	struct slice content = scan_get(d, "content"), el;
	bool thought = false;

	for (size_t i = 0; i < sizeof keys / sizeof *keys && !thought; i++)
		thought = api_text(a, scan_get(d, keys[i]), answer_reasoning);
	for (struct walk w = walk_elements(scan_get(d, "reasoning_details"));
	    walk_next(&w, NULL, &el); ) {
		keep_detail(st, a, el);
		if (!thought && !api_text(a, scan_get(el, "text"),
		    answer_reasoning))
			api_text(a, scan_get(el, "summary"),
			    answer_reasoning);
	}
	/* Mistral puts thoughts among the parts of the content */
	for (struct walk w = walk_elements(content); walk_next(&w, NULL, &el); )
		api_text(a, scan_get(el, "thinking"), answer_reasoning);
	if (!api_text(a, content, answer_content))
		api_text(a, scan_get(d, "refusal"), answer_content);
	answer_calls(a, scan_get(d, "tool_calls"), whole);
	answer_calls(a, scan_get(d, "function_call"), false);
}

static enum api_said
read(struct api_stream *st, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice e = api_member(st, "error"), c;
	struct walk list = walk_elements(api_member(st, "choices"));
	int64_t index;

	/* MiniMax has it in base_resp, z.ai in msg */
	if (scan_kind(e) == SCAN_OBJECT || scan_kind(e) == SCAN_STRING ||
	    (scan_int(scan_get(api_member(st, "base_resp"), "status_code"),
	    &index) && index != 0 && !walk_next(&list, NULL, &c)) ||
	    scan_str_is(api_member(st, "object"), "error") ||
	    scan_str_is(api_member(st, "type"), "error") ||
	    (api_member(st, "choices").p == NULL &&
	    (api_member(st, "detail").p != NULL ||
	    api_member(st, "message").p != NULL ||
	    (api_member(st, "msg").p != NULL &&
	    scan_int(api_member(st, "code"), &index) && index >= 400))))
		return api_fails(f, data);
	api_text(a, api_member(st, "model"), answer_model);
	for (struct walk w = walk_elements(api_member(st, "choices"));
	    walk_next(&w, NULL, &c); ) {
		if (scan_kind(scan_get(c, "error")) == SCAN_OBJECT)
			return api_fails(f, c);
		if (scan_int(scan_get(c, "index"), &index) && index != 0)
			continue;
		struct slice d = scan_get(c, "delta");
		if (scan_kind(d) == SCAN_OBJECT)
			read_delta(st, a, d, false);
		else if (!a->fed)
			read_delta(st, a, scan_get(c, "message"), true);
		api_text(a, scan_get(c, "finish_reason"), answer_finish);
		answer_usage(a, scan_get(c, "usage"));
	}
	answer_usage(a, scan_get(api_member(st, "x_groq"), "usage"));
	answer_usage(a, api_member(st, "usage"));
	return answer_finished(a) ? API_FINISHED : API_MORE;
}

const struct api api_openai = {
	.name = "openai",
	.own_url = "https://api.openai.com/v1",
	.url_env = "OPENAI_BASE_URL",
	.key_env = "OPENAI_API_KEY",
	.key_header = "Authorization: Bearer ",
	.models = "/models",
	.chat = true,
	.mark = "\"choices\"",
	.path = "/chat/completions",
	.body = body,
	.read = read,
};
