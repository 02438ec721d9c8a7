/* api_gemini.c - generateContent of Google's Gemini API. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mem.h"
#include "msg.h"

/* ---- what is sent ---- */

struct writer {
	struct buf *out;
	const char *role;
	size_t contents, parts;
	struct slice calls;	/* of the assistant message before results */
};

static void
begin_part(struct writer *w, const char *role)
{
	if (w->role == NULL || strcmp(w->role, role) != 0) {
		if (w->role != NULL)
			buf_adds(w->out, "]}");
		buf_fmt(w->out, "%s{\"role\":\"%s\",\"parts\":[",
		    w->contents++ > 0 ? "," : "", role);
		w->role = role;
		w->parts = 0;
	}
	buf_adds(w->out, w->parts++ > 0 ? "," : "");
}

static void
put_text(struct writer *w, const char *role, struct slice text)
{
	if (scan_kind(text) != SCAN_STRING || text.n <= 2)
		return;
	begin_part(w, role);
	buf_adds(w->out, "{\"text\":");
	buf_slice(w->out, text);
	buf_addc(w->out, '}');
}

static void
put_image(struct writer *w, const char *role, struct slice part)
{
	struct buf url = BUF_INIT(BUF_RECORD_MAX);
	struct slice mime, data;

	scan_str(scan_get(scan_get(part, "image_url"), "url"), &url);
	begin_part(w, role);
	if (api_data_url(buf_view(&url), &mime, &data)) {
		buf_adds(w->out, "{\"inlineData\":{\"mimeType\":");
		scan_quote(w->out, mime.p, mime.n);
		buf_adds(w->out, ",\"data\":");
		scan_quote(w->out, data.p, data.n);
	} else {
		buf_adds(w->out, "{\"fileData\":{\"fileUri\":");
		scan_quote(w->out, buf_view(&url).p, url.len);
	}
	buf_adds(w->out, "}}");
	buf_release(&url);
}

static void
put_content(struct writer *w, const char *role, struct slice content)
{
	struct slice part;
	struct walk walk;

	put_text(w, role, content);
	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&walk, content);
	while (walk_next(&walk, NULL, &part))
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			put_image(w, role, part);
		else
			put_text(w, role, scan_get(part, "text"));
}

static void
put_call(struct writer *w, struct slice call)
{
	struct slice fn = scan_get(call, "function");
	struct slice mark = scan_get(scan_get(call, "carry"),
	    "thoughtSignature");
	struct buf args = BUF_INIT(BUF_RECORD_MAX);

	begin_part(w, "model");
	buf_adds(w->out, "{\"functionCall\":{\"name\":");
	buf_slice(w->out, scan_get(fn, "name"));
	buf_adds(w->out, ",\"args\":");
	scan_str(scan_get(fn, "arguments"), &args);
	buf_slice(w->out, args.len > 0 ? buf_view(&args) : SLICE("{}"));
	buf_addc(w->out, '}');
	if (scan_kind(mark) == SCAN_STRING) {
		buf_adds(w->out, ",\"thoughtSignature\":");
		buf_slice(w->out, mark);
	}
	buf_addc(w->out, '}');
	buf_release(&args);
}

static void
put_assistant(struct writer *w, struct slice m)
{
	struct slice call;
	struct walk walk;

	put_content(w, "model", scan_get(m, "content"));
	w->calls = scan_get(m, "tool_calls");
	walk_in(&walk, w->calls);
	while (scan_kind(w->calls) == SCAN_ARRAY &&
	    walk_next(&walk, NULL, &call))
		put_call(w, call);
}

/* The API knows a result by its function's name. */
static struct slice
name_of(const struct writer *w, struct slice id)
{
	struct slice call;
	struct walk walk;

	walk_in(&walk, w->calls);
	while (scan_kind(w->calls) == SCAN_ARRAY &&
	    walk_next(&walk, NULL, &call))
		if (slice_eq(scan_get(call, "id"), id))
			return scan_get(scan_get(call, "function"), "name");
	return SLICE("\"unknown\"");
}

static void
put_result(struct writer *w, struct slice m)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice content = scan_get(m, "content"), part;
	struct walk walk;

	msg_text(content, &text);
	begin_part(w, "user");
	buf_adds(w->out, "{\"functionResponse\":{\"name\":");
	buf_slice(w->out, name_of(w, scan_get(m, "tool_call_id")));
	buf_adds(w->out, ",\"response\":{\"output\":");
	scan_quote(w->out, buf_view(&text).p, text.len);
	buf_adds(w->out, "}}}");
	buf_release(&text);
	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&walk, content);
	while (walk_next(&walk, NULL, &part))
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			put_image(w, "user", part);
}

static void
put_messages(struct buf *out, struct slice messages, struct slice *system)
{
	struct writer w = { .out = out };
	struct slice m;
	struct walk walk;

	walk_in(&walk, messages);
	while (walk_next(&walk, NULL, &m)) {
		struct slice role = scan_get(m, "role");

		if (scan_str_is(role, "system"))
			*system = scan_get(m, "content");
		else if (scan_str_is(role, "assistant"))
			put_assistant(&w, m);
		else if (scan_str_is(role, "tool"))
			put_result(&w, m);
		else
			put_content(&w, "user", scan_get(m, "content"));
	}
	if (w.role != NULL)
		buf_adds(out, "]}");
}

static void
put_tools(struct buf *out, bool *first, const struct body *b)
{
	static const struct api_tools form = {
		.open = "[{\"functionDeclarations\":[", .head = "{\"name\":",
		.schema = ",\"parametersJsonSchema\":", .end = "}",
		.close = "]}]"
	};

	if (!api_tools(b->tools, &form, out, first))
		return;
	if (scan_kind(b->tool_choice) == SCAN_STRING)
		api_field(out, first, "toolConfig", scan_str_is(
		    b->tool_choice, "none") ?
		    SLICE("{\"functionCallingConfig\":{\"mode\":\"NONE\"}}") :
		    scan_str_is(b->tool_choice, "required") ?
		    SLICE("{\"functionCallingConfig\":{\"mode\":\"ANY\"}}") :
		    SLICE("{\"functionCallingConfig\":{\"mode\":\"AUTO\"}}"));
}

static void
put_settings(struct buf *out, bool *first, const struct body *b)
{
	if (!b->has_temperature && b->max_tokens == 0)
		return;
	api_field(out, first, "generationConfig", SLICE("{"));
	if (b->has_temperature)
		buf_fmt(out, "\"temperature\":%.15g%s", b->temperature,
		    b->max_tokens > 0 ? "," : "");
	if (b->max_tokens > 0)
		buf_fmt(out, "\"maxOutputTokens\":%lld", b->max_tokens);
	buf_addc(out, '}');
}

static void
body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const skip[] = { "contents", "tools",
		"systemInstruction", "model", "stream", "tool_choice", NULL };
	struct buf list = BUF_INIT((size_t)1 << 40);
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice system = { NULL, 0 };
	bool first = true;

	put_messages(&list, messages, &system);
	put_settings(out, &first, b);
	api_fields(b, out, &first, skip);
	if (msg_text(system, &text) && text.len > 0) {
		api_field(out, &first, "systemInstruction",
		    SLICE("{\"parts\":[{\"text\":"));
		scan_quote(out, text.p, text.len);
		buf_adds(out, "}]}");
	}
	put_tools(out, &first, b);
	api_field(out, &first, "contents", SLICE("["));
	buf_slice(out, buf_view(&list));
	buf_adds(out, "]}");
	buf_release(&list);
	buf_release(&text);
}

/* ---- what comes ---- */

static void
take_call(struct answer *a, struct slice part, struct slice call)
{
	struct slice mark = scan_get(part, "thoughtSignature");
	struct slice args = scan_get(call, "args");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	/* each one comes whole */
	buf_fmt(&b, "{\"index\":%zu", answer_ncalls(a));
	if (scan_kind(scan_get(call, "id")) == SCAN_STRING) {
		buf_adds(&b, ",\"id\":");
		buf_slice(&b, scan_get(call, "id"));
	}
	buf_adds(&b, ",\"function\":{\"name\":");
	buf_slice(&b, scan_kind(scan_get(call, "name")) == SCAN_STRING ?
	    scan_get(call, "name") : SLICE("\"\""));
	buf_adds(&b, ",\"arguments\":");
	buf_slice(&b, scan_kind(args) == SCAN_OBJECT ? args : SLICE("{}"));
	buf_addc(&b, '}');
	if (scan_kind(mark) == SCAN_STRING) {
		buf_adds(&b, ",\"carry\":{\"thoughtSignature\":");
		buf_slice(&b, mark);
		buf_addc(&b, '}');
	}
	buf_addc(&b, '}');
	answer_call(a, buf_view(&b));
	buf_release(&b);
}

static void
take_part(struct answer *a, struct slice part)
{
	struct slice call = scan_get(part, "functionCall");

	if (scan_kind(call) == SCAN_OBJECT)
		take_call(a, part, call);
	else
		api_text(a, scan_get(part, "text"), scan_true(scan_get(part,
		    "thought")) ? answer_reasoning : answer_content);
}

/* Its words in ours. */
static void
take_finish(struct answer *a, struct slice reason)
{
	if (scan_kind(reason) != SCAN_STRING ||
	    scan_str_is(reason, "FINISH_REASON_UNSPECIFIED"))
		return;
	if (scan_str_is(reason, "STOP"))
		answer_finish(a, SLICE("stop"));
	else if (scan_str_is(reason, "MAX_TOKENS"))
		answer_finish(a, SLICE("length"));
	else if (scan_str_is(reason, "OTHER") ||
	    scan_str_is(reason, "LANGUAGE"))
		answer_finish(a, SLICE("error"));
	else
		answer_finish(a, SLICE("content_filter"));
}

static void
usage(struct answer *a, struct slice u)
{
	long long out = api_number(u, "candidatesTokenCount");
	long long thought = api_number(u, "thoughtsTokenCount");

	if (scan_kind(u) != SCAN_OBJECT)
		return;
	if (thought > 0)
		out = (out > 0 ? out : 0) + thought;
	api_usage(a, api_number(u, "promptTokenCount"), out,
	    api_number(u, "cachedContentTokenCount"), -1);
}

static struct slice
first_of(struct slice list)
{
	struct slice el = { NULL, 0 };
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return el;
	walk_in(&w, list);
	return walk_next(&w, NULL, &el) ? el : (struct slice){ NULL, 0 };
}

static enum api_said
read(struct api_stream *st, const struct scan *sc, struct answer *a,
    struct slice data, struct failure *f)
{
	struct slice c = first_of(api_member(sc, "candidates")), part, list;
	struct slice why = scan_get(c, "finishReason");
	struct walk w;

	(void)st;
	if (scan_kind(api_member(sc, "error")) == SCAN_OBJECT) {
		failure_event(f, data);
		return API_ERROR;
	}
	api_text(a, api_member(sc, "modelVersion"), answer_model);
	list = scan_get(scan_get(c, "content"), "parts");
	walk_in(&w, list);
	while (scan_kind(list) == SCAN_ARRAY && walk_next(&w, NULL, &part))
		take_part(a, part);
	usage(a, api_member(sc, "usageMetadata"));
	if (scan_str_is(why, "MALFORMED_FUNCTION_CALL")) {
		failure_set(f, "malformed_tool_call", true, false,
		    "the model wrote a tool call that cannot be read");
		return API_ERROR;
	}
	if (scan_kind(scan_get(api_member(sc, "promptFeedback"),
	    "blockReason")) == SCAN_STRING)
		answer_finish(a, SLICE("content_filter"));
	take_finish(a, why);
	return answer_finished(a) ? API_FINISHED : API_MORE;
}

static char *
path(const char *model, bool stream)
{
	struct buf out = BUF_INIT(1 << 20);

	if (strncmp(model, "models/", 7) == 0)
		model += 7;
	buf_adds(&out, "/v1beta/models/");
	api_path_name(model, &out);
	buf_adds(&out, stream ? ":streamGenerateContent?alt=sse" :
	    ":generateContent");
	return buf_detach(&out);
}

const struct api api_gemini = {
	.name = "gemini",
	.own_url = "https://generativelanguage.googleapis.com",
	.own_host = "https://generativelanguage.googleapis.com",
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
