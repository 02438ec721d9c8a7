/* mcp_serve.c - hamr-tool --mcp: our tools for any MCP client, over stdio. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "extras/extra.h"
#include "extras/mcp.h"
#include "rpc/rpc.h"
#include "json/scan.h"

#include "mcp_serve.h"

#define VERSION "2025-06-18"	/* where an unknown one is asked for */
#define LINE_MAX_BYTES ((size_t)64 << 20)
#define PROGRESS_MS 250		/* from one word about a call to the next */
#define WAITING_MAX 10000	/* requests that wait for a call's end */

struct serve {
	struct tool *t;
	struct rpc in;
	struct json *batch;	/* answers to a batch, or NULL */
	char *running;		/* id of the call in hand, as JSON */
	struct slice token;	/* its progressToken, p NULL: none */
	int64_t progress;	/* how often that was used */
	long long due;		/* ms; not before */
	bool listed;		/* the client knows the tools */
	struct texts later;	/* lines that wait for its end */
	size_t bytes;		/* of them */
};

/* Write o, or put it into the batch; it is freed. */
static void
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

static void
serve_error(struct serve *v, struct slice id, enum rpc_code code,
    const char *words)
{
	serve_put(v, rpc_error(id, code, words));
}

static void
serve_result(struct serve *v, struct slice id, struct json *result)
{
	struct json *o = rpc_answer(id);

	json_add(o, "result", result);
	serve_put(v, o);
}

/* ---- methods ---- */

static void
serve_initialize(struct serve *v, const struct rpc_msg *m)
{
	static const char *const known[] = { "2024-11-05", "2025-03-26",
		"2025-06-18", "2025-11-25" };
	struct slice asked = scan_get(m->params, "protocolVersion");
	struct json *o;
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
	json_raw(o, "capabilities", SLICE("{\"tools\":{\"listChanged\":"
	    "true}}"));
	json_raw(o, "serverInfo", SLICE("{\"name\":\"hamr-tool\",\"version\":\""
	    HAMR_VERSION "\"}"));
	serve_result(v, m->id, o);
}

static void
list_tools(struct serve *v, const struct rpc_msg *m)
{
	struct json *o = json_object(), *list = json_array(), *record;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice el;

	record = tool_record_all(v->t);
	json_print(record, &b);
	json_free(record);
	for (struct walk w = walk_of(scan_get(buf_view(&b), "tools"));
	    walk_next(&w, NULL, &el); ) {
		struct slice fn = scan_get(el, "function");
		struct json *tool = json_object(), *hints = json_object();
		char *name = scan_strdup(scan_get(fn, "name"));
		const struct schema *s = tool_schema(v->t, name);
		const struct extra *x = s != NULL ? extra_of(s) : NULL;

		json_raw(tool, "name", scan_get(fn, "name"));
		json_raw(tool, "description", scan_get(fn, "description"));
		json_raw(tool, "inputSchema", scan_get(fn, "parameters"));
		json_add(tool, "annotations", hints);
		json_bool(hints, "readOnlyHint", x != NULL ? !x->mutates :
		    s != NULL && s->id == TOOL_READ);
		free(name);
		json_add(list, NULL, tool);
	}
	json_add(o, "tools", list);
	serve_result(v, m->id, o);
	buf_release(&b);
}

static void
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
	v->listed = true;
}

static void
tell(struct serve *v, const char *method, struct json *params)
{
	struct json *o = rpc_message(), *batch = v->batch;

	json_str(o, "method", method);
	if (params != NULL)
		json_add(o, "params", params);
	v->batch = NULL;
	serve_put(v, o);
	v->batch = batch;
}

/* ---- a call ---- */

static void
put_text(struct json *parts, struct slice text)
{
	struct json *o = json_typed("text");

	json_raw(o, "text", text);
	json_add(parts, NULL, o);
}

/* A message's content as an array of text and image parts. */
static struct json *
mcp_content(struct slice content)
{
	struct json *parts = json_array(), *o;
	const char *semi, *comma;	/* of data:MIME;base64,DATA */
	struct slice el;
	struct walk w;

	if (scan_kind(content) == SCAN_STRING)
		put_text(parts, content);
	walk_in(&w, scan_kind(content) == SCAN_ARRAY ? content :
	    SLICE("[]"));
	while (walk_next(&w, NULL, &el)) {
		char *url = scan_strdup(scan_get(scan_get(el, "image_url"),
		    "url"));
		struct slice text = scan_get(el, "text");

		semi = url != NULL ? strchr(url, ';') : NULL;
		comma = url != NULL ? strchr(url, ',') : NULL;
		if (semi != NULL && comma > semi &&
		    strncmp(url, "data:", 5) == 0) {
			o = json_typed("image");
			json_str(o, "data", comma + 1);
			json_slice(o, "mimeType", (struct slice){ url + 5,
			    (size_t)(semi - url) - 5 });
			json_add(parts, NULL, o);
		} else if (url == NULL && scan_kind(text) == SCAN_STRING) {
			put_text(parts, text);
		}
		free(url);
	}
	return parts;
}

/* What a call writes while it runs: its last line is how far it is. */
void
mcp_serve_unwritten(struct stage *s, enum rec_kind kind, struct slice record)
{
	struct serve *v = ((struct tool *)s->self)->serve;
	char *text = kind == R_OUTPUT && v->token.p != NULL &&
	    file_now_ms() >= v->due ? scan_strdup(scan_get(record, "text")) :
	    NULL;
	struct slice rest = slice_trim(slice_of(text != NULL ? text : ""));
	struct slice last = { NULL, 0 };
	struct json *o;

	while (slice_line(&rest, &last))
		;
	if (last.n > 0) {
		o = json_object();
		json_raw(o, "progressToken", v->token);
		json_int(o, "progress", ++v->progress);
		json_slice(o, "message", last);
		tell(v, "notifications/progress", o);
		v->due = file_now_ms() + PROGRESS_MS;
	}
	free(text);
}

static void take_lines(struct serve *v);

static void
run(struct serve *v, const struct rpc_msg *m, const char *name,
    struct slice args)
{
	struct stage *s = v->t->stage;
	struct buf message = BUF_INIT(BUF_RECORD_MAX);
	bool known, cancelled;
	struct json *o;

	v->running = xmemdup0(m->id.p, m->id.n);
	v->token = scan_get(scan_get(m->params, "_meta"), "progressToken");
	v->progress = 0;
	take_lines(v);		/* it may be cancelled already */
	known = tool_answer(v->t, name, args, &message);
	cancelled = (stage_wait(s, NULL, 0, 0) & STAGE_CANCEL) != 0;
	stage_cancel(s, false);
	free(v->running);
	v->running = NULL;
	v->token.p = NULL;
	if (s->failed) {	/* a plug-in that broke its word */
		serve_error(v, m->id, RPC_INTERNAL, s->err.text);
		s->failed = false;
	} else if (!known) {
		char *text = scan_strdup(scan_get(buf_view(&message),
		    "content"));

		serve_error(v, m->id, RPC_NO_PARAMS, text != NULL ? text :
		    "there is no such tool");
		free(text);
	} else if (!cancelled) {	/* who cancels wants no answer */
		o = json_object();
		json_add(o, "content", mcp_content(scan_get(
		    buf_view(&message), "content")));
		json_bool(o, "isError", scan_true(scan_get(
		    buf_view(&message), "is_error")));
		serve_result(v, m->id, o);
	}
	buf_release(&message);
}

static void
on_call(struct serve *v, const struct rpc_msg *m)
{
	struct slice args = scan_get(m->params, "arguments");
	char *name = scan_strdup(scan_get(m->params, "name"));

	if (args.p == NULL || scan_kind(args) == SCAN_NULL)
		args = SLICE("{}");
	if (name == NULL)
		serve_error(v, m->id, RPC_NO_PARAMS, "the name of a tool is "
		    "missing");
	else if (scan_kind(args) != SCAN_OBJECT)
		serve_error(v, m->id, RPC_NO_PARAMS, "arguments must be an "
		    "object");
	else
		run(v, m, name, args);
	free(name);
}

/* ---- messages ---- */

static void
message(struct serve *v, struct slice text)
{
	bool is_id;
	struct rpc_msg m;

	rpc_read(text, &m);
	is_id = m.id.p != NULL && (scan_kind(m.id) == SCAN_STRING ||
	    scan_kind(m.id) == SCAN_NUMBER);
	if (m.kind == RPC_OTHER)
		serve_error(v, is_id ? m.id : SLICE("null"), RPC_INVALID,
		    "this is not a JSON-RPC 2.0 message");
	if (m.kind != RPC_REQUEST)
		return;
	if (scan_str_is(m.method, "initialize"))
		serve_initialize(v, &m);
	else if (scan_str_is(m.method, "ping"))
		serve_result(v, m.id, json_object());
	else if (scan_str_is(m.method, "tools/list"))
		serve_list(v, &m);
	else if (scan_str_is(m.method, "tools/call"))
		on_call(v, &m);
	else
		serve_error(v, m.id, RPC_NO_METHOD, "there is no such method; "
		    "hamr-tool has tools only");
}

static void
batch(struct serve *v, struct slice text)
{
	struct json *answers;
	struct slice el;
	struct walk w;

	walk_in(&w, text);
	v->batch = json_array();
	while (walk_next(&w, NULL, &el))
		message(v, el);
	answers = v->batch;
	v->batch = NULL;
	if (!json_empty(answers)) {
		serve_put(v, answers);
		return;
	}
	json_free(answers);
	walk_in(&w, text);
	if (!walk_next(&w, NULL, &el))
		serve_error(v, SLICE("null"), RPC_INVALID, "an empty batch");
}

static void
line(struct serve *v, enum rpc_got got, struct slice text)
{
	/* a call reads on, which ends the life of the line */
	char *copy;

	if (got == RPC_BAD) {
		serve_error(v, SLICE("null"), RPC_PARSE, "this is not JSON, or "
		    "a key is repeated in it");
		return;
	}
	if (got == RPC_LONG) {
		serve_error(v, SLICE("null"), RPC_INVALID, "a message longer "
		    "than 64 MiB");
		return;
	}
	copy = xmemdup0(text.p, text.n);
	text.p = copy;
	if (scan_kind(text) == SCAN_ARRAY)
		batch(v, text);
	else
		message(v, text);
	free(copy);
}

/* ---- while a call runs ---- */

/* Line i waits no longer; yours. */
static char *
take_later(struct serve *v, size_t i)
{
	char *text = v->later.v[i];

	memmove(v->later.v + i, v->later.v + i + 1, (--v->later.n - i) *
	    sizeof *v->later.v);
	v->bytes -= strlen(text);
	return text;
}

/* A request that waits is not wanted any more. */
static void
drop(struct serve *v, struct slice id)
{
	for (size_t i = 0; i < v->later.n; i++) {
		struct rpc_msg m;

		rpc_read(slice_of(v->later.v[i]), &m);
		if (m.kind != RPC_REQUEST || !slice_eq(m.id, id))
			continue;
		free(take_later(v, i));
		return;
	}
}

/* cancel and ping are dealt with at once, all else after the call. */
static void
meanwhile(struct serve *v, struct slice text)
{
	struct json *was = v->batch;
	struct rpc_msg m;

	rpc_read(text, &m);
	v->batch = NULL;
	if (m.kind == RPC_NOTIFY && scan_str_is(m.method,
	    "notifications/cancelled")) {
		struct slice id = scan_get(m.params, "requestId");

		if (v->running != NULL && id.p != NULL &&
		    slice_is(id, v->running))
			stage_cancel(v->t->stage, true);
		else if (id.p != NULL)
			drop(v, id);
	} else if (m.kind == RPC_REQUEST && scan_str_is(m.method, "ping")) {
		serve_result(v, m.id, json_object());
	} else if (v->later.n >= WAITING_MAX || v->bytes > LINE_MAX_BYTES) {
		serve_error(v, m.id, RPC_INTERNAL, "too many "
		    "requests are waiting; send it again later");
	} else {
		texts_add(&v->later, xmemdup0(text.p, text.n));
		v->bytes += text.n;
	}
	v->batch = was;
}

static void
take_lines(struct serve *v)
{
	struct slice text;
	enum rpc_got got;

	while ((got = rpc_take(&v->in, &text)) != RPC_NONE)
		if (got == RPC_TEXT)
			meanwhile(v, text);
		else
			line(v, got, text);
}

void
mcp_serve_input(struct stage *s)
{
	struct tool *t = s->self;

	if (rpc_fill(&t->serve->in) < 0)
		s->in.eof = true;
	else
		take_lines(t->serve);
}

/* ---- the loop ---- */

static void
serve(struct serve *v)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	struct stage *s = v->t->stage;
	struct slice text;
	enum rpc_got got;
	char *waited;
	struct err e;

	while (!s->failed) {
		if (v->later.n > 0) {
			waited = take_later(v, 0);
			line(v, RPC_TEXT, slice_of(waited));
			free(waited);
			continue;
		}
		got = rpc_take(&v->in, &text);
		if (got != RPC_NONE) {
			line(v, got, text);
			continue;
		}
		if (rec_flush(&s->out, &e) < 0)
			stage_fail(s, &e);
		if (s->in.eof)
			return;
		if (!mcp_idle(v->t, STDIN_FILENO, v->listed))
			return;
		if (v->listed && mcp_changed(v->t)) {
			tell(v, "notifications/tools/list_changed", NULL);
			continue;
		}
		/* what came while servers were looked after was read there */
		if (poll(&in, 1, 0) > 0 && rpc_fill(&v->in) < 0)
			s->in.eof = true;
	}
}

int
mcp_serve(struct tool *t)
{
	struct serve v = { .t = t };
	struct stage *s = t->stage;
	struct err e;

	rpc_init(&v.in, STDIN_FILENO, -1, LINE_MAX_BYTES);
	rec_in_init(&s->in, STDIN_FILENO, "stdin", 0);
	s->mute = s->stream = true;
	t->serve = &v;
	serve(&v);
	if (rec_end(&s->out, &e) < 0)
		stage_fail(s, &e);
	texts_release(&v.later);
	rpc_release(&v.in);
	t->serve = NULL;
	return s->failed ? err_report(&s->err) : ST_OK;
}
