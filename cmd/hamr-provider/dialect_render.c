/* dialect_render.c - a conversation for servers that know no tools. */
#include <stdlib.h>
#include <string.h>

#include "dialect_region.h"
#include "mem.h"
#include "msg.h"
#include "scan.h"

/* What the models were trained on, as their own templates have it. */
static const char intro[] = "# Tools\n\n"
	"You may call one or more functions to assist with the user query.\n\n"
	"You are provided with function signatures within <tools></tools> XML "
	"tags:\n<tools>";
static const char hermes_how[] = "\n</tools>\n\n"
	"For each function call, return a json object with function name and "
	"arguments within <tool_call></tool_call> XML tags:\n"
	"<tool_call>\n"
	"{\"name\": <function-name>, \"arguments\": <args-json-object>}\n"
	"</tool_call>";
static const char qwen3_how[] = "\n</tools>\n\n"
	"If you choose to call a function ONLY reply in the following format "
	"with NO suffix:\n\n"
	"<tool_call>\n<function=example_function_name>\n"
	"<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
	"<parameter=example_parameter_2>\nThis is the value for the second "
	"parameter\nthat can span\nmultiple lines\n</parameter>\n"
	"</function>\n</tool_call>\n\n"
	"An inner <function=...></function> block must be nested within "
	"<tool_call></tool_call> tags, and required parameters must be given. "
	"Reasoning may stand before the function call, but not after it.";
static const char other_how[] = "\n</tools>\n\n"
	"To call a function, end your reply with the call in exactly this "
	"form:\n\n";
static const char no_calls[] = "{\"role\":\"system\",\"content\":"
	"\"No function may be called now: answer in plain text, without "
	"<tool_call>.\"}";
static const char no_result[] = "(no result)";

struct render {
	enum dialect_kind kind;
	struct buf *out;
	size_t n;		/* messages printed */
	struct slice *results;	/* of the calls before, by number; the whole
				 * message, or {NULL, 0} */
	size_t ncalls, cap;
	struct pairing pairing;
	struct scan scan;
	struct buf text, tmp;
};

static void
begin(struct render *r)
{
	if (r->n++ > 0)
		buf_addc(r->out, ',');
}

/* ---- tools ---- */

static bool
tools_text(const struct render *r, struct slice tools, struct buf *out)
{
	struct slice key, val;
	struct walk w;
	size_t n = 0;

	if (scan_kind(tools) != SCAN_ARRAY)
		return false;
	buf_adds(out, intro);
	walk_in(&w, tools);
	for (; walk_next(&w, &key, &val); n++) {
		buf_addc(out, '\n');
		buf_slice(out, val);
	}
	if (r->kind == DIALECT_HERMES || r->kind == DIALECT_QWEN3) {
		buf_adds(out, r->kind == DIALECT_HERMES ? hermes_how :
		    qwen3_how);
	} else {
		buf_adds(out, other_how);
		buf_adds(out, form_how(r->kind));
	}
	return n > 0;
}

/* m with other content: a JSON value. */
static void
with_content(struct render *r, struct slice m, struct slice content)
{
	struct slice key, val;
	struct walk w;

	begin(r);
	buf_adds(r->out, "{\"role\":");
	buf_slice(r->out, scan_get(m, "role"));
	buf_adds(r->out, ",\"content\":");
	buf_slice(r->out, content);
	walk_in(&w, m);
	while (walk_next(&w, &key, &val)) {
		if (scan_key_is(key, "role") || scan_key_is(key, "content") ||
		    scan_key_is(key, "tool_calls"))
			continue;
		buf_adds(r->out, ",\"");
		buf_slice(r->out, key);
		buf_adds(r->out, "\":");
		buf_slice(r->out, val);
	}
	buf_addc(r->out, '}');
}

static bool
is_system(struct slice m)
{
	struct slice role = scan_get(m, "role");

	return scan_str_is(role, "system") || scan_str_is(role, "developer");
}

/* The system message m with the tools at its end; {NULL, 0}: a new one. */
static void
system_message(struct render *r, struct slice m, struct slice tools)
{
	struct slice old = scan_get(m, "content");
	struct buf value = BUF_INIT(BUF_RECORD_MAX);

	buf_reset(&r->text);
	if (msg_text(old, &r->text) && r->text.len > 0)
		buf_adds(&r->text, "\n\n");
	tools_text(r, tools, &r->text);
	scan_quote(&value, r->text.p, r->text.len);
	with_content(r, m.p != NULL ? m : SLICE("{\"role\":\"system\"}"),
	    buf_view(&value));
	buf_release(&value);
}

/* ---- calls ---- */

static void
call_hermes(struct render *r, struct slice name, struct slice args, bool object)
{
	struct buf *t = &r->text;

	buf_adds(t, "<tool_call>\n{\"name\": ");
	buf_slice(t, name.p != NULL ? name : SLICE("\"\""));
	buf_adds(t, ", \"arguments\": ");
	if (object)
		buf_slice(t, args);
	else
		scan_quote(t, args.p, args.n);
	buf_adds(t, "}\n</tool_call>");
}

static void
call_qwen3(struct render *r, struct slice name, struct slice args, bool object)
{
	struct buf *t = &r->text;
	struct slice key, val;
	struct walk w;

	buf_adds(t, "<tool_call>\n<function=");
	scan_str(name, t);
	buf_adds(t, ">\n");
	if (object)
		walk_in(&w, args);
	while (object && walk_next(&w, &key, &val)) {
		buf_adds(t, "<parameter=");
		scan_str((struct slice){ key.p - 1, key.n + 2 }, t);
		buf_adds(t, ">\n");
		if (!scan_str(val, t))
			buf_slice(t, val);
		buf_adds(t, "\n</parameter>\n");
	}
	if (!object && args.n > 0) {
		buf_adds(t, "<parameter=arguments>\n");
		buf_slice(t, args);
		buf_adds(t, "\n</parameter>\n");
	}
	buf_adds(t, "</function>\n</tool_call>");
}

static void
call_text(struct render *r, const struct call *c)
{
	struct slice args;
	bool object;

	buf_reset(&r->tmp);
	scan_str(c->args, &r->tmp);
	args = r->tmp.len > 0 ? buf_view(&r->tmp) : SLICE("{}");
	object = scan_record(&r->scan, args.p, args.n) == 0;
	if (r->text.len > 0)
		buf_addc(&r->text, '\n');
	if (r->kind == DIALECT_HERMES)
		call_hermes(r, c->name, args, object);
	else if (r->kind == DIALECT_QWEN3)
		call_qwen3(r, c->name, args, object);
	else
		form_call(r->kind, c->name, object ? args : SLICE("{}"),
		    &r->text);
}

static void
assistant(struct render *r, struct slice m)
{
	struct buf value = BUF_INIT(BUF_RECORD_MAX);
	struct call c;
	struct walk w;

	buf_reset(&r->text);
	msg_text(scan_get(m, "content"), &r->text);
	walk_in(&w, scan_get(m, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		call_text(r, &c);
		r->results = xgrow(r->results, r->ncalls, &r->cap,
		    sizeof *r->results);
		r->results[r->ncalls] = (struct slice){ NULL, 0 };
		pairing_call(&r->pairing, c.id, r->ncalls++);
	}
	scan_quote(&value, r->text.p, r->text.len);
	with_content(r, m, buf_view(&value));
	buf_release(&value);
}

/* ---- results ---- */

static void
result_text(struct render *r, struct slice m)
{
	if (r->text.len > 0)
		buf_addc(&r->text, '\n');
	buf_adds(&r->text, "<tool_response>\n");
	if (m.p == NULL)
		buf_adds(&r->text, no_result);
	else
		msg_text(scan_get(m, "content"), &r->text);
	buf_adds(&r->text, "\n</tool_response>");
}

static void
add_images(struct render *r, struct slice content)
{
	struct slice key, val;
	struct walk w;

	if (!msg_has_image(content))
		return;
	walk_in(&w, content);
	while (walk_next(&w, &key, &val))
		if (scan_kind(val) == SCAN_OBJECT &&
		    !scan_str_is(scan_get(val, "type"), "text")) {
			buf_addc(r->out, ',');
			buf_slice(r->out, val);
		}
}

/* One user message with the results of all calls before, in their order. */
static void
results(struct render *r)
{
	bool images = false;

	if (r->ncalls == 0)
		return;
	buf_reset(&r->text);
	for (size_t i = 0; i < r->ncalls; i++) {
		result_text(r, r->results[i]);
		images = images || msg_has_image(scan_get(r->results[i],
		    "content"));
	}
	begin(r);
	buf_adds(r->out, "{\"role\":\"user\",\"content\":");
	if (images)
		buf_adds(r->out, "[{\"type\":\"text\",\"text\":");
	scan_quote(r->out, r->text.p, r->text.len);
	if (images) {
		buf_addc(r->out, '}');
		for (size_t i = 0; i < r->ncalls; i++)
			add_images(r, scan_get(r->results[i], "content"));
		buf_addc(r->out, ']');
	}
	buf_addc(r->out, '}');
	r->ncalls = 0;
	pairing_reset(&r->pairing);
}

/* ---- messages ---- */

static void
message(struct render *r, struct slice m)
{
	struct slice role = scan_get(m, "role");

	if (scan_str_is(role, "tool")) {
		size_t i = pairing_result(&r->pairing,
		    scan_get(m, "tool_call_id"));

		if (i != (size_t)-1)
			r->results[i] = m;
		return;
	}
	results(r);
	if (scan_str_is(role, "assistant") &&
	    msg_count_calls(scan_get(m, "tool_calls")) > 0) {
		assistant(r, m);
		return;
	}
	begin(r);
	buf_slice(r->out, m);
}

static bool
has_elements(struct slice array)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(array) != SCAN_ARRAY)
		return false;
	walk_in(&w, array);
	return walk_next(&w, &key, &val);
}

void
dialect_render(enum dialect_kind kind, struct slice messages,
    struct slice tools, bool forbidden, struct buf *out)
{
	struct render r = { .kind = kind, .out = out };
	bool described = !has_elements(tools);
	struct slice key, val;
	struct walk w;

	buf_init(&r.text, BUF_RECORD_MAX);
	buf_init(&r.tmp, BUF_RECORD_MAX);
	buf_addc(out, '[');
	walk_in(&w, messages);
	while (walk_next(&w, &key, &val)) {
		if (scan_kind(val) != SCAN_OBJECT)
			continue;
		if (!described) {
			described = true;
			system_message(&r, is_system(val) ? val :
			    (struct slice){ NULL, 0 }, tools);
			if (is_system(val))
				continue;
		}
		message(&r, val);
	}
	results(&r);
	if (!described)
		system_message(&r, (struct slice){ NULL, 0 }, tools);
	if (forbidden && has_elements(tools)) {
		begin(&r);
		buf_adds(out, no_calls);
	}
	buf_addc(out, ']');
	pairing_reset(&r.pairing);
	scan_release(&r.scan);
	buf_release(&r.text);
	buf_release(&r.tmp);
	free(r.results);
}
