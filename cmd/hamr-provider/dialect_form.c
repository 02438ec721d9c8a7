/* dialect_form.c - how a call is written in the dialects read whole. */
#include <string.h>

#include "dialect_region.h"

/* before NULL: its arguments are not JSON (form_call) */
static const struct form {
	enum dialect_kind kind;
	const char *how;	/* what the model is told */
	const char *before, *between, *after;
} forms[] = {
	{ DIALECT_LLAMA3, "<|python_tag|>{\"name\": <function-name>, "
	    "\"parameters\": <args-json-object>}",
	    "<|python_tag|>{\"name\": \"", "\", \"parameters\": ", "}" },
	{ DIALECT_MISTRAL, "[TOOL_CALLS]<function-name>[ARGS]"
	    "<args-json-object>", "[TOOL_CALLS]", "[ARGS]", "" },
	{ DIALECT_DEEPSEEK, "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>"
	    "<function-name><｜tool▁sep｜><args-json-object>"
	    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁sep｜>",
	    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>" },
	{ DIALECT_KIMI, "<|tool_calls_section_begin|><|tool_call_begin|>"
	    "functions.<function-name>:0<|tool_call_argument_begin|>"
	    "<args-json-object><|tool_call_end|><|tool_calls_section_end|>",
	    "<|tool_calls_section_begin|><|tool_call_begin|>functions.",
	    ":0<|tool_call_argument_begin|>",
	    "<|tool_call_end|><|tool_calls_section_end|>" },
	{ DIALECT_JSON, "```json\n{\"name\": <function-name>, "
	    "\"arguments\": <args-json-object>}\n```",
	    "```json\n{\"name\": \"", "\", \"arguments\": ", "}\n```" },
	{ DIALECT_GLM, "<tool_call><function-name>\n<arg_key>example_key"
	    "</arg_key>\n<arg_value>example_value</arg_value>\n</tool_call>",
	    NULL, NULL, NULL },
	{ DIALECT_MINIMAX, "<minimax:tool_call>\n<invoke name=\""
	    "<function-name>\">\n<parameter name=\"example_key\">"
	    "example_value</parameter>\n</invoke>\n</minimax:tool_call>",
	    NULL, NULL, NULL },
	{ DIALECT_PYTHONIC, "[<function-name>(example_key=\"example value\", "
	    "other_key=12)]", NULL, NULL, NULL },
};

static const struct form *
form_of(enum dialect_kind kind)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].kind == kind)
			return &forms[i];
	return NULL;
}

const char *
form_how(enum dialect_kind kind)
{
	return form_of(kind)->how;
}

/* Python's words for the three that JSON spells otherwise; within lists and
 * objects they stay, and are read so too. */
static void
python_value(struct slice val, struct buf *t)
{
	enum scan_kind k = scan_kind(val);

	buf_slice(t, k == SCAN_TRUE ? SLICE("True") : k == SCAN_FALSE ?
	    SLICE("False") : k == SCAN_NULL ? SLICE("None") : val);
}

static void
members(enum dialect_kind kind, struct slice args, struct buf *t)
{
	struct slice key, val;
	struct walk w;
	bool first = true;

	walk_in(&w, args);
	for (; walk_next(&w, &key, &val); first = false) {
		struct slice quoted = { key.p - 1, key.n + 2 };

		if (kind == DIALECT_PYTHONIC) {
			buf_adds(t, first ? "" : ", ");
			scan_str(quoted, t);
			buf_addc(t, '=');
			python_value(val, t);
			continue;
		}
		buf_adds(t, kind == DIALECT_GLM ? "<arg_key>" :
		    "<parameter name=\"");
		scan_str(quoted, t);
		buf_adds(t, kind == DIALECT_GLM ? "</arg_key>\n<arg_value>" :
		    "\">");
		if (!scan_str(val, t))
			buf_slice(t, val);
		buf_adds(t, kind == DIALECT_GLM ? "</arg_value>\n" :
		    "</parameter>\n");
	}
}

void
form_call(enum dialect_kind kind, struct slice name, struct slice args,
    struct buf *t)
{
	const struct form *f = form_of(kind);

	buf_adds(t, kind == DIALECT_GLM ? "<tool_call>" :
	    kind == DIALECT_MINIMAX ? "<minimax:tool_call>\n<invoke name=\"" :
	    kind == DIALECT_PYTHONIC ? "[" : f->before);
	scan_str(name, t);
	buf_adds(t, kind == DIALECT_GLM ? "\n" : kind == DIALECT_MINIMAX ?
	    "\">\n" : kind == DIALECT_PYTHONIC ? "(" : f->between);
	if (f->before != NULL)
		buf_slice(t, args);
	else
		members(kind, args, t);
	buf_adds(t, kind == DIALECT_GLM ? "</tool_call>" :
	    kind == DIALECT_MINIMAX ? "</invoke>\n</minimax:tool_call>" :
	    kind == DIALECT_PYTHONIC ? ")]" : f->after);
}
