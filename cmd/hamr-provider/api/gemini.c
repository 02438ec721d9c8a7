/* gemini.c - generateContent of Google's Gemini API. */
#include <stdlib.h>
#include <string.h>

#include "record/msg.h"
#include "request/quirks.h"

#include "api.h"
#include "form.h"

/* What Google's documentation gives calls of another model: Gemini 3 refuses
 * the first call of a message without a signature. */
#define NO_SIGNATURE "\"skip_thought_signature_validator\""

/* ---- what is sent ---- */

static void
put_call(struct writer *w, struct slice call)
{
	struct slice fn = scan_get(call, "function");
	struct slice mark = scan_get(scan_get(call, "carry"),
	    "thoughtSignature"), first = { NULL, 0 };
	struct walk each = walk_elements(w->calls);

	walk_next(&each, NULL, &first);
	if (w->no_carry)
		mark = (struct slice){ NULL, 0 };
	if (w->signs && mark.p == NULL && first.p == call.p)
		mark = SLICE(NO_SIGNATURE);
	writer_part(w, SLICE("\"model\""));
	scan_put(w->out, "{'functionCall':{'name':$,'args':",
	    scan_get(fn, "name"));
	scan_str(scan_get(fn, "arguments"), w->out);
	scan_put(w->out, scan_kind(mark) == SCAN_STRING ?
	    "},'thoughtSignature':$" : "}", mark);
	writer_end(w);
}

/* The API identifies a result by its function's name; images are separate
 * parts. */
static void
put_result(struct writer *w, struct slice m)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice content = scan_get(m, "content"), part;
	struct slice name = name_of_call(w->calls,
	    scan_get(m, "tool_call_id"));

	msg_lines(content, &text);
	writer_part(w, SLICE("\"user\""));
	scan_put(w->out, "{'functionResponse':{'name':$,"
	    "'response':{'output':@}}", name.p != NULL ? name :
	    SLICE("\"unknown\""), buf_view(&text));
	writer_end(w);
	buf_release(&text);
	for (struct walk walk = walk_elements(content);
	    walk_next(&walk, NULL, &part); )
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			writer_image(w, SLICE("\"user\""), part);
}

static const struct form form = {
	.tools = "[{'functionDeclarations':[",
	.tool = "{'name':$,'description':$,'parametersJsonSchema':$}",
	.tools_end = "]}]",
	.turn = "{'role':$,'parts':[", .assistant = "\"model\"",
	.text = "{'text':$", .image_data = "{'inlineData':{'mimeType':@,"
	    "'data':@}", .image_url = "{'fileData':{'fileUri':@}",
	.call = put_call, .result = put_result
};

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	struct slice choice = b->tool_choice;
	struct slice name = scan_only(SCAN_STRING, scan_get(scan_get(choice,
	    "function"), "name"));
	bool chosen = body_has_tools(b) && (name.p != NULL ||
	    scan_kind(choice) == SCAN_STRING);
	const char *const ours[] = { "contents", "tools",
		"systemInstruction", "model", "stream", "tool_choice",
		chosen ? "toolConfig" : NULL, "tool_config", NULL };
	struct buf own = BUF_INIT(1 << 10), text = BUF_INIT(BUF_RECORD_MAX);
	struct writer w = { .form = &form, .out = out,
		.signs = b->quirks & (QUIRK_DETAILS | QUIRK_NO_CARRY),
		.no_carry = b->quirks & QUIRK_NO_CARRY };

	body_numbers(b, "maxOutputTokens", &own);
	if (own.len > 0) {
		*own.p = '{';
		scan_put(&text, "{'generationConfig':$}}", buf_view(&own));
	}
	fields_begin(b, buf_view(&text), ours, out);
	buf_reset(&text);
	if (system_text(messages, &text)) {
		fields_put(b, "systemInstruction", SLICE(""), out);
		scan_put(out, "{'parts':[{'text':@}]}", buf_view(&text));
	}
	if (form_tools(&form, b, out) && chosen) {
		fields_put(b, "toolConfig", SLICE(""), out);
		scan_put(out, name.p == NULL ?
		    "{'functionCallingConfig':{'mode':@}}" :
		    "{'functionCallingConfig':{'mode':@,"
		    "'allowedFunctionNames':[$]}}",
		    scan_str_is(choice, "none") ? SLICE("NONE") :
		    scan_str_is(choice, "required") || name.p != NULL ?
		    SLICE("ANY") : SLICE("AUTO"), name);
	}
	fields_put(b, "contents", SLICE("["), out);
	writer_messages(&w, messages);
	buf_adds(out, "]}");
	bufs_release(BUFS(&own, &text));
}

/* ---- what comes ---- */

static enum api_said
read(struct api_stream *st, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice u = api_member(st, "usageMetadata"), c = { NULL, 0 };
	struct slice part;
	long long made = answer_number(u, "candidatesTokenCount");
	long long thought = answer_number(u, "thoughtsTokenCount");
	struct walk w = walk_elements(api_member(st, "candidates"));

	if (scan_kind(api_member(st, "error")) == SCAN_OBJECT)
		return api_fails(f, data);
	api_text(a, api_member(st, "modelVersion"), answer_model);
	walk_next(&w, NULL, &c);
	w = walk_elements(scan_get(scan_get(c, "content"), "parts"));
	while (walk_next(&w, NULL, &part)) {
		struct slice call = scan_get(part, "functionCall");
		struct slice mark = scan_get(part, "thoughtSignature");
		struct slice args = scan_get(call, "args");
		struct buf carry = BUF_INIT(BUF_RECORD_MAX);
		if (scan_kind(call) != SCAN_OBJECT) {
			api_text(a, scan_get(part, "text"),
			    scan_true(scan_get(part, "thought")) ?
			    answer_reasoning : answer_content);
			continue;
		}
		if (scan_get(call, "partialArgs").p != NULL ||
		    scan_true(scan_get(call, "willContinue"))) {
			failure_final(f, "bad_request", "arguments in pieces "
			    "cannot be read; take "
			    "streamFunctionCallArguments out of params");
			return API_ERROR;
		}
		if (scan_kind(mark) == SCAN_STRING)
			scan_put(&carry, "{'thoughtSignature':$}", mark);
		/* each call arrives complete */
		answer_call(a, &(struct call_delta){
			.index = SCAN_INT((long long)a->native.n),
			.id = scan_get(call, "id"),
			.name = scan_get(call, "name"),
			.args = scan_kind(args) == SCAN_OBJECT ? args :
			    SLICE("{}"), .carry = buf_view(&carry) });
		buf_release(&carry);
	}
	if (thought > 0)
		made = (made > 0 ? made : 0) + thought;
	if (scan_kind(u) == SCAN_OBJECT)
		answer_count(a, &(struct usage){
			answer_number(u, "promptTokenCount"), made,
			answer_number(u, "cachedContentTokenCount"), -1 });
	struct slice reason = scan_get(c, "finishReason");
	if (scan_str_is(reason, "MALFORMED_FUNCTION_CALL")) {
		char *why = scan_strdup(scan_get(c, "finishMessage"));

		failure_set(f, "malformed_tool_call", "%s", why != NULL ? why :
		    "the model's tool call could not be parsed");
		free(why);
		return API_ERROR;
	}
	if (scan_kind(scan_get(api_member(st, "promptFeedback"),
	    "blockReason")) == SCAN_STRING)
		answer_finish(a, SLICE("content_filter"));
	if (!scan_str_is(reason, "FINISH_REASON_UNSPECIFIED"))
		api_text(a, reason, answer_finish);
	return answer_finished(a) ? API_FINISHED : API_MORE;
}

static char *
path(const char *model, bool stream)
{
	struct buf out = BUF_INIT(1 << 20);

	if (strncmp(model, "models/", 7) == 0)
		model += 7;
	buf_adds(&out, "/v1beta/models/");
	put_path_name(model, &out);
	buf_adds(&out, stream ? ":streamGenerateContent?alt=sse" :
	    ":generateContent");
	return buf_detach(&out);
}

const struct api api_gemini = {
	.name = "gemini",
	.own_url = "https://generativelanguage.googleapis.com",
	.url_env = "GEMINI_BASE_URL",
	.key_env = "GEMINI_API_KEY",
	.key_header = "x-goog-api-key: ",
	.models = "/v1beta/models",
	.one_system = true,
	.mark = "\"candidates\"",
	.model_path = path,
	.body = body,
	.read = read,
};
