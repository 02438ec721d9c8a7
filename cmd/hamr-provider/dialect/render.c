/* render.c - a conversation for servers without tool support. */
#include "record/msg.h"

#include "internal.h"

/* What the models were trained on, as their own templates have it. */
static const char intro[] = "# Tools\n\n"
	"You may call one or more functions to assist with the user query.\n\n"
	"You are provided with function signatures within <tools></tools> XML "
	"tags:\n<tools>";
#define IN_THIS_FORM "To call a function, end your reply with the call in " \
	"exactly this form:\n\n"
/* How a call is written: what precedes and follows its name, and what follows
 * its arguments.  These are a JSON object or, if key is set, separate
 * members. */
static const struct form {
	const char *how;	/* the instructions for the model */
	const char *before, *between, *after;
	const char *key, *value, *end;
} forms[] = {
	[DIALECT_HERMES] = {
	    "For each function call, return a json object with function name "
	    "and arguments within <tool_call></tool_call> XML tags:\n"
	    "<tool_call>\n{\"name\": <function-name>, \"arguments\": "
	    "<args-json-object>}\n</tool_call>",
	    "<tool_call>\n{\"name\": ", ", \"arguments\": ",
	    "}\n</tool_call>", NULL, NULL, NULL },
	[DIALECT_QWEN3] = {
	    "If you choose to call a function ONLY reply in the following "
	    "format with NO suffix:\n\n"
	    "<tool_call>\n<function=example_function_name>\n"
	    "<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
	    "<parameter=example_parameter_2>\nThis is the value for the "
	    "second parameter\nthat can span\nmultiple lines\n</parameter>\n"
	    "</function>\n</tool_call>\n\n"
	    "An inner <function=...></function> block must be nested within "
	    "<tool_call></tool_call> tags, and required parameters must be "
	    "given. Reasoning may stand before the function call, but not "
	    "after it.",
	    "<tool_call>\n<function=", ">\n", "</function>\n</tool_call>",
	    "<parameter=", ">\n", "\n</parameter>\n" },
	[DIALECT_LLAMA3] = { IN_THIS_FORM
	    PYTHON_TAG "{\"name\": <function-name>, "
	    "\"parameters\": <args-json-object>}",
	    PYTHON_TAG "{\"name\": \"", "\", \"parameters\": ", "}", NULL, NULL,
	    NULL },
	[DIALECT_MISTRAL] = { IN_THIS_FORM
	    MISTRAL "<function-name>" MISTRAL_ARGS "<args-json-object>",
	    MISTRAL, MISTRAL_ARGS, "", NULL, NULL, NULL },
	[DIALECT_DEEPSEEK] = { IN_THIS_FORM
	    DS_CALLS DS_CALL "<function-name>" DS_SEP
	    "<args-json-object>" DS_END DS_CALLS_END,
	    DS_CALLS DS_CALL, DS_SEP, DS_END DS_CALLS_END, NULL, NULL, NULL },
	[DIALECT_GLM] = { IN_THIS_FORM
	    "<tool_call><function-name>\n<arg_key>example_key</arg_key>\n"
	    "<arg_value>example_value</arg_value>\n</tool_call>",
	    "<tool_call>", "\n", "</tool_call>",
	    "<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n" },
	[DIALECT_KIMI] = { IN_THIS_FORM
	    KIMI_CALLS KIMI_CALL "functions.<function-name>:0" KIMI_ARGS
	    "<args-json-object>" KIMI_END KIMI_CALLS_END,
	    KIMI_CALLS KIMI_CALL "functions.", ":0" KIMI_ARGS,
	    KIMI_END KIMI_CALLS_END, NULL, NULL, NULL },
	[DIALECT_MINIMAX] = { IN_THIS_FORM
	    "<minimax:tool_call>\n<invoke name=\"<function-name>\">\n"
	    "<parameter name=\"example_key\">example_value</parameter>\n"
	    "</invoke>\n</minimax:tool_call>",
	    "<minimax:tool_call>\n<invoke name=\"", "\">\n",
	    "</invoke>\n</minimax:tool_call>",
	    "<parameter name=\"", "\">", "</parameter>\n" },
	[DIALECT_PYTHONIC] = { IN_THIS_FORM
	    "[<function-name>(example_key=\"example value\", other_key=12)]",
	    "[", "(", ")]", "", "=", "" },
	[DIALECT_GEMMA] = { IN_THIS_FORM TOOL_CODE
	    "\n<function-name>(example_key=\"example value\", other_key=12)\n"
	    "```",
	    TOOL_CODE "\n", "(", ")\n```", "", "=", "" },
	[DIALECT_JSON] = { IN_THIS_FORM
	    "```json\n{\"name\": <function-name>, "
	    "\"arguments\": <args-json-object>}\n```",
	    "```json\n{\"name\": \"", "\", \"arguments\": ", "}\n```",
	    NULL, NULL, NULL },
};

struct render {
	enum dialect_kind kind;
	struct buf *out;
	struct buf text, args;
	struct buf results, images;	/* of the preceding calls */
};

/* Write message m with r->text as its content. */
static void
with_text(struct render *r, struct slice m)
{
	struct slice key, val;

	scan_put(r->out, "${'role':$,'content':@", scan_comma(r->out),
	    scan_get(m, "role"), buf_view(&r->text));
	for (struct walk w = walk_of(m); walk_next(&w, &key, &val); )
		if (!scan_key_is(key, "role") &&
		    !scan_key_is(key, "content") &&
		    !scan_key_is(key, "tool_calls"))
			scan_put(r->out, ",'$':$", key, val);
	buf_addc(r->out, '}');
}

/* Write the system message m, or a new one if {NULL, 0}, with the tools at its
 * end. */
static void
system_message(struct render *r, struct slice m, struct slice tools)
{
	struct slice val;

	buf_reset(&r->text);
	if (msg_lines(scan_get(m, "content"), &r->text) && r->text.len > 0)
		buf_adds(&r->text, "\n\n");
	buf_adds(&r->text, intro);
	for (struct walk w = walk_of(tools); walk_next(&w, NULL, &val); )
		scan_put(&r->text, "\n$", val);
	buf_adds(&r->text, "\n</tools>\n\n");
	buf_adds(&r->text, forms[r->kind].how);
	with_text(r, m.p != NULL ? m : SLICE("{\"role\":\"system\"}"));
}

/* ---- calls ---- */

static void
call_text(struct render *r, const struct call *c)
{
	const struct form *f = &forms[r->kind];
	bool python = r->kind == DIALECT_PYTHONIC || r->kind == DIALECT_GEMMA;
	struct slice key, val, each = { NULL, 0 };
	struct buf *t = &r->text;
	size_t n = 0;

	buf_reset(&r->args);
	scan_str(c->args, &r->args);
	buf_adds(t, t->len > 0 ? "\n" : "");
	buf_adds(t, f->before);
	if (r->kind == DIALECT_HERMES)
		buf_slice(t, c->name);
	else
		scan_str(c->name, t);
	buf_adds(t, f->between);
	if (f->key == NULL)
		buf_slice(t, buf_view(&r->args));
	else
		each = slice_trim(buf_view(&r->args));
	for (struct walk w = walk_of(each); walk_next(&w, &key, &val); ) {
		enum scan_kind k = scan_kind(val);

		buf_adds(t, f->key);
		buf_adds(t, python && n++ > 0 ? ", " : "");
		scan_inside(key, t);
		buf_adds(t, f->value);
		/* True, False and None as Python spells them; within lists and
		 * objects JSON's words stay, which we can read too */
		if (python)
			buf_slice(t, k == SCAN_TRUE ? SLICE("True") :
			    k == SCAN_FALSE ? SLICE("False") :
			    k == SCAN_NULL ? SLICE("None") : val);
		else if (!scan_str(val, t))
			buf_slice(t, val);
		buf_adds(t, f->end);
	}
	buf_adds(t, f->after);
}

/* ---- messages ---- */

/* Write one user message with the results of all preceding calls: first the
 * texts, then the images. */
static void
put_results(struct render *r)
{
	if (r->results.len > 0)
		scan_put(r->out, r->images.len > 0 ?
		    "${'role':'user','content':[{'type':'text','text':@}$]}" :
		    "${'role':'user','content':@}", scan_comma(r->out),
		    buf_view(&r->results), buf_view(&r->images));
	bufs_reset(BUFS(&r->results, &r->images));
}

static void
message(struct render *r, struct slice m)
{
	struct slice role = scan_get(m, "role"), part;
	struct slice content = scan_get(m, "content");
	struct walk calls = walk_elements(scan_get(m, "tool_calls"));
	struct call c;

	if (scan_str_is(role, "tool")) {
		buf_adds(&r->results, r->results.len > 0 ?
		    "\n<tool_response>\n" : "<tool_response>\n");
		msg_lines(content, &r->results);
		buf_adds(&r->results, "\n</tool_response>");
		for (struct walk w = walk_elements(content);
		    walk_next(&w, NULL, &part); )
			if (scan_str_is(scan_get(part, "type"), "image_url"))
				scan_put(&r->images, ",$", part);
		return;
	}
	put_results(r);
	if (!scan_str_is(role, "assistant") || !msg_next_call(&calls, &c)) {
		scan_put(r->out, "$$", scan_comma(r->out), m);
		return;
	}
	buf_reset(&r->text);
	msg_lines(content, &r->text);
	do
		call_text(r, &c);
	while (msg_next_call(&calls, &c));
	with_text(r, m);
}

void
dialect_render(enum dialect_kind kind, struct slice messages,
    struct slice tools, struct buf *out)
{
	struct render r = { .kind = kind, .out = out };
	bool described = !tools_any(tools);
	struct slice m, none = { NULL, 0 };

	bufs_init(BUFS(&r.text, &r.args, &r.results, &r.images),
	    2 * BUF_RECORD_MAX);
	buf_addc(out, '[');
	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		bool is_system = scan_str_is(scan_get(m, "role"), "system");

		if (!described)
			system_message(&r, is_system ? m : none, tools);
		if (described || !is_system)
			message(&r, m);
		described = true;
	}
	put_results(&r);
	if (!described)
		system_message(&r, none, tools);
	buf_addc(out, ']');
	bufs_release(BUFS(&r.text, &r.args, &r.results, &r.images));
}
