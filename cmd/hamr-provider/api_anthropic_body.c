/* api_anthropic_body.c - the Messages API of Anthropic: what is sent. */
#include <string.h>

#include "api.h"
#include "api_anthropic.h"
#include "msg.h"

#define MAX_TOKENS 8192		/* the API wants a number */
#define CACHE ",\"cache_control\":{\"type\":\"ephemeral\"}"

struct writer {
	struct buf *out;
	const char *role;	/* of the message in hand, NULL: none */
	size_t messages, blocks;
	size_t last;		/* where the last block ends, before its } */
};

static void
open_message(struct writer *w, const char *role)
{
	if (w->role != NULL && strcmp(w->role, role) == 0)
		return;
	if (w->role != NULL)
		buf_adds(w->out, "]}");
	buf_fmt(w->out, "%s{\"role\":\"%s\",\"content\":[",
	    w->messages++ > 0 ? "," : "", role);
	w->role = role;
	w->blocks = 0;
}

static void
block(struct writer *w, const char *role)
{
	open_message(w, role);
	buf_adds(w->out, w->blocks++ > 0 ? "," : "");
}

static void
close_block(struct writer *w)
{
	w->last = w->out->len;
	buf_addc(w->out, '}');
}

static void
put_text(struct writer *w, const char *role, struct slice text)
{
	if (scan_kind(text) != SCAN_STRING || text.n <= 2)
		return;		/* an empty block is refused */
	block(w, role);
	buf_adds(w->out, "{\"type\":\"text\",\"text\":");
	buf_slice(w->out, text);
	close_block(w);
}

static void
put_image(struct writer *w, const char *role, struct slice part)
{
	struct buf url = BUF_INIT(BUF_RECORD_MAX);
	struct slice mime, data;

	scan_str(scan_get(scan_get(part, "image_url"), "url"), &url);
	block(w, role);
	buf_adds(w->out, "{\"type\":\"image\",\"source\":{\"type\":");
	if (api_data_url(buf_view(&url), &mime, &data)) {
		buf_adds(w->out, "\"base64\",\"media_type\":");
		scan_quote(w->out, mime.p, mime.n);
		buf_adds(w->out, ",\"data\":");
		scan_quote(w->out, data.p, data.n);
	} else {
		buf_adds(w->out, "\"url\",\"url\":");
		scan_quote(w->out, buf_view(&url).p, url.len);
	}
	buf_addc(w->out, '}');
	close_block(w);
	buf_release(&url);
}

/* A content: a string, or parts. */
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

/* The API takes letters, digits, _ and - only. */
static void
put_id(struct buf *out, struct slice id)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_str(id, &b);
	for (size_t i = 0; i < b.len; i++)
		if (strchr("_-", b.p[i]) == NULL &&
		    !((b.p[i] | 32) >= 'a' && (b.p[i] | 32) <= 'z') &&
		    !(b.p[i] >= '0' && b.p[i] <= '9'))
			b.p[i] = '_';
	scan_quote(out, buf_view(&b).p, b.len);
	buf_release(&b);
}

/* Thoughts go back unchanged, before all that they led to. */
static void
put_thoughts(struct writer *w, struct slice call)
{
	struct slice carry = scan_get(call, "carry"), item;
	struct walk walk;

	walk_in(&walk, carry);
	while (scan_kind(carry) == SCAN_ARRAY && walk_next(&walk, NULL, &item))
		if (scan_str_is(scan_get(item, "type"), "thinking") ||
		    scan_str_is(scan_get(item, "type"), "redacted_thinking")) {
			block(w, "assistant");
			buf_slice(w->out, item);
		}
}

static void
put_call(struct writer *w, struct slice call)
{
	struct slice fn = scan_get(call, "function");
	struct buf args = BUF_INIT(BUF_RECORD_MAX);

	block(w, "assistant");
	buf_adds(w->out, "{\"type\":\"tool_use\",\"id\":");
	put_id(w->out, scan_get(call, "id"));
	buf_adds(w->out, ",\"name\":");
	buf_slice(w->out, scan_get(fn, "name"));
	buf_adds(w->out, ",\"input\":");
	scan_str(scan_get(fn, "arguments"), &args);
	buf_slice(w->out, args.len > 0 ? buf_view(&args) : SLICE("{}"));
	close_block(w);
	buf_release(&args);
}

static void
put_assistant(struct writer *w, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls"), call;
	bool any = scan_kind(calls) == SCAN_ARRAY;
	struct walk walk;

	walk_in(&walk, calls);
	while (any && walk_next(&walk, NULL, &call))
		put_thoughts(w, call);
	put_content(w, "assistant", scan_get(m, "content"));
	walk_in(&walk, calls);
	while (any && walk_next(&walk, NULL, &call))
		put_call(w, call);
}

static void
put_result(struct writer *w, struct slice m)
{
	struct slice content = scan_get(m, "content");
	struct writer inner = { .out = w->out, .role = "user" };

	block(w, "user");
	buf_adds(w->out, "{\"type\":\"tool_result\",\"tool_use_id\":");
	put_id(w->out, scan_get(m, "tool_call_id"));
	buf_adds(w->out, ",\"content\":");
	if (scan_kind(content) == SCAN_ARRAY) {
		buf_addc(w->out, '[');
		put_content(&inner, "user", content);
		buf_addc(w->out, ']');
	} else {
		buf_slice(w->out, content.p != NULL ? content : SLICE("\"\""));
	}
	close_block(w);
}

static void
put_messages(struct buf *out, struct slice messages, struct slice *system)
{
	struct writer w = { .out = out };
	struct slice m;
	struct walk walk;
	struct buf tail = BUF_INIT(BUF_RECORD_MAX);

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
	if (w.last > 0) {	/* all up to here is to be cached */
		buf_add(&tail, out->p + w.last, out->len - w.last);
		out->len = w.last;
		buf_adds(out, CACHE);
		buf_slice(out, buf_view(&tail));
	}
	if (w.role != NULL)
		buf_adds(out, "]}");
	buf_release(&tail);
}

static const struct api_tools tools_form = {
	.open = "[", .head = "{\"name\":", .schema = ",\"input_schema\":",
	.end = "}", .close = "]"
};

static void
put_choice(struct buf *out, bool *first, struct slice choice)
{
	struct slice name = scan_get(scan_get(choice, "function"), "name");

	if (scan_str_is(choice, "none"))
		api_field(out, first, "tool_choice",
		    SLICE("{\"type\":\"none\"}"));
	else if (scan_str_is(choice, "required"))
		api_field(out, first, "tool_choice",
		    SLICE("{\"type\":\"any\"}"));
	else if (scan_kind(name) == SCAN_STRING) {
		api_field(out, first, "tool_choice",
		    SLICE("{\"type\":\"tool\",\"name\":"));
		buf_slice(out, name);
		buf_addc(out, '}');
	}
}

static void
put_system(struct buf *out, bool *first, struct slice system)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(system, &text) && text.len > 0) {
		api_field(out, first, "system",
		    SLICE("[{\"type\":\"text\",\"text\":"));
		scan_quote(out, text.p, text.len);
		buf_adds(out, CACHE "}]");
	}
	buf_release(&text);
}

void
anthropic_body(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const skip[] = { "messages", "tools", "stream",
		"system", "model", "tool_choice", NULL };
	struct slice system = { NULL, 0 };
	struct buf list = BUF_INIT((size_t)1 << 40), num = BUF_INIT(64);
	bool first = true;

	buf_adds(&num, "\"\"");
	if (b->model != NULL) {
		buf_reset(&num);
		num.max = 1 << 16;
		scan_quote(&num, b->model, strlen(b->model));
	}
	api_field(out, &first, "model", buf_view(&num));
	buf_reset(&num);
	buf_fmt(&num, "%lld", b->max_tokens > 0 ? b->max_tokens :
	    (long long)MAX_TOKENS);
	if (scan_get(b->conf_params, "max_tokens").p == NULL &&
	    scan_get(b->params, "max_tokens").p == NULL)
		api_field(out, &first, "max_tokens", buf_view(&num));
	api_field(out, &first, "stream", b->stream ? SLICE("true") :
	    SLICE("false"));
	if (b->has_temperature) {
		buf_reset(&num);
		buf_fmt(&num, "%.15g", b->temperature);
		api_field(out, &first, "temperature", buf_view(&num));
	}
	api_fields(b, out, &first, skip);
	api_tools(b->tools, &tools_form, out, &first);
	put_messages(&list, messages, &system);
	put_system(out, &first, system);
	api_field(out, &first, "messages", SLICE("["));
	buf_slice(out, buf_view(&list));
	buf_addc(out, ']');
	if (scan_kind(b->tools) == SCAN_ARRAY && b->tools.n > 2)
		put_choice(out, &first, b->tool_choice);
	buf_addc(out, '}');
	buf_release(&list);
	buf_release(&num);
}
