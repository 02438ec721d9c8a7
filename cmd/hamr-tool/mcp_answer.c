/* mcp_answer.c - hamr-tool --mcp: what is said, who we are, what there is. */
#include <stdlib.h>

#include "extra.h"

#include "mcp_answer.h"

#define VERSION "2025-06-18"	/* for who asks for one that we do not know */

void
serve_put(struct serve *v, struct json *o)
{
	struct buf b = BUF_INIT(2 * BUF_RECORD_MAX);

	if (v->batch != NULL) {
		json_add(v->batch, NULL, o);
		return;
	}
	json_print(o, &b);
	json_free(o);
	rec_put(&v->t->stage->out, buf_view(&b));
	buf_release(&b);
}

void
serve_error(struct serve *v, struct slice id, enum rpc_code code,
    const char *words)
{
	serve_put(v, rpc_error(id, code, words));
}

void
serve_result(struct serve *v, struct slice id, struct json *result)
{
	struct json *o = rpc_answer(id);

	json_add(o, "result", result);
	serve_put(v, o);
}

/* ---- methods ---- */

void
serve_initialize(struct serve *v, const struct rpc_msg *m)
{
	static const char *const known[] = { "2024-11-05", "2025-03-26",
		"2025-06-18", "2025-11-25" };
	struct slice asked = scan_get(m->params, "protocolVersion");
	struct json *o, *part;
	const char *version = VERSION;

	if (scan_kind(asked) != SCAN_STRING) {
		serve_error(v, m->id, RPC_NO_PARAMS, "protocolVersion is "
		    "missing");
		return;
	}
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (scan_str_is(asked, known[i]))
			version = known[i];
	o = json_object();
	json_str(o, "protocolVersion", version);
	part = json_object();
	json_add(part, "tools", json_object());
	json_add(o, "capabilities", part);
	part = json_object();
	json_str(part, "name", "hamr-tool");
	json_str(part, "version", HAMR_VERSION);
	json_add(o, "serverInfo", part);
	serve_result(v, m->id, o);
}

static void
put_hints(const struct tool *t, struct json *o, struct slice name)
{
	char *text = scan_strdup(name);
	const struct schema *s = tool_schema(t, text);
	const struct extra *x = s != NULL ? extra_of(s) : NULL;
	struct json *hints = json_object();

	json_bool(hints, "readOnlyHint", x != NULL ? !x->mutates :
	    s != NULL && s->id == TOOL_READ);
	json_add(o, "annotations", hints);
	free(text);
}

static void
list_tools(struct serve *v, const struct rpc_msg *m)
{
	struct json *o = json_object(), *list = json_array(), *record;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice el;
	struct walk w;

	record = tool_record_all(v->t);
	json_print(record, &b);
	json_free(record);
	walk_in(&w, scan_get(buf_view(&b), "tools"));
	while (walk_next(&w, NULL, &el)) {
		struct slice fn = scan_get(el, "function");
		struct json *tool = json_object();

		json_raw(tool, "name", scan_get(fn, "name"));
		json_raw(tool, "description", scan_get(fn, "description"));
		json_raw(tool, "inputSchema", scan_get(fn, "parameters"));
		put_hints(v->t, tool, scan_get(fn, "name"));
		json_add(list, NULL, tool);
	}
	json_add(o, "tools", list);
	serve_result(v, m->id, o);
	buf_release(&b);
}

void
serve_list(struct serve *v, const struct rpc_msg *m)
{
	struct slice cursor = scan_get(m->params, "cursor");
	struct err e;

	if (cursor.p != NULL && scan_kind(cursor) != SCAN_NULL)
		serve_error(v, m->id, RPC_NO_PARAMS, "there is no such cursor: "
		    "all tools stand on one page");
	else if (extras_load(v->t, &e) < 0)
		serve_error(v, m->id, RPC_INTERNAL, e.text);
	else
		list_tools(v, m);
}
