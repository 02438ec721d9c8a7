/* mcp_serve.c - hamr-tool --mcp: our tools for any MCP client, over stdio. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extra.h"
#include "mcp.h"
#include "mem.h"
#include "rpc.h"

#include "mcp_answer.h"
#include "mcp_serve.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define WAITING_MAX 10000	/* requests that wait for a call's end */

/* ---- a call ---- */

static void take_lines(struct serve *v);

static void
answer(struct serve *v, const struct rpc_msg *m, struct slice message)
{
	struct json *o = json_object();

	json_add(o, "content", mcp_content(scan_get(message, "content")));
	json_bool(o, "isError", scan_true(scan_get(message, "is_error")));
	serve_result(v, m->id, o);
}

static void
run(struct serve *v, const struct rpc_msg *m, const char *name,
    struct slice args)
{
	struct stage *s = v->t->stage;
	struct buf message = BUF_INIT(BUF_RECORD_MAX);
	bool known, cancelled;

	v->running = xmemdup0(m->id.p, m->id.n);
	take_lines(v);		/* it may be cancelled already */
	known = tool_answer(v->t, name, args, &message);
	cancelled = (stage_wait(s, NULL, 0, 0) & STAGE_CANCEL) != 0;
	stage_cancel(s, false);
	free(v->running);
	v->running = NULL;
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
		answer(v, m, buf_view(&message));
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
request(struct serve *v, const struct rpc_msg *m)
{
	if (scan_str_is(m->method, "initialize"))
		serve_initialize(v, m);
	else if (scan_str_is(m->method, "ping"))
		serve_result(v, m->id, json_object());
	else if (scan_str_is(m->method, "tools/list"))
		serve_list(v, m);
	else if (scan_str_is(m->method, "tools/call"))
		on_call(v, m);
	else
		serve_error(v, m->id, RPC_NO_METHOD, "there is no such method; "
		    "hamr-tool has tools only");
}

static void
message(struct serve *v, struct slice text)
{
	struct rpc_msg m;

	rpc_read(text, &m);
	if (m.kind == RPC_REQUEST)
		request(v, &m);
	else if (m.kind == RPC_OTHER)
		serve_error(v, m.id.p != NULL && (scan_kind(m.id) ==
		    SCAN_STRING || scan_kind(m.id) == SCAN_NUMBER) ? m.id :
		    SLICE("null"), RPC_INVALID, "this is no JSON-RPC 2.0 "
		    "message");
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
		serve_error(v, SLICE("null"), RPC_PARSE, "this is no JSON, or "
		    "a key stands twice in it");
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

static bool
is_same_id(const char *id, struct slice other)
{
	return other.p != NULL && slice_is(other, id);
}

/* A request that waits is not wanted any more. */
static void
drop(struct serve *v, struct slice id)
{
	for (size_t i = 0; i < v->nlater; i++) {
		struct rpc_msg m;

		rpc_read(slice_of(v->later[i]), &m);
		if (m.kind != RPC_REQUEST || !slice_eq(m.id, id))
			continue;
		v->bytes -= strlen(v->later[i]);
		free(v->later[i]);
		memmove(v->later + i, v->later + i + 1, (--v->nlater - i) *
		    sizeof *v->later);
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

		if (v->running != NULL && is_same_id(v->running, id))
			stage_cancel(v->t->stage, true);
		else if (id.p != NULL)
			drop(v, id);
	} else if (m.kind == RPC_REQUEST && scan_str_is(m.method, "ping")) {
		serve_result(v, m.id, json_object());
	} else if (v->nlater >= WAITING_MAX || v->bytes > LINE_MAX_BYTES) {
		serve_error(v, m.id, RPC_INTERNAL, "too many requests are waiting; send it again later");
	} else {
		v->later = xgrow(v->later, v->nlater, &v->caplater,
		    sizeof *v->later);
		v->later[v->nlater++] = xmemdup0(text.p, text.n);
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

static bool
next_later(struct serve *v)
{
	char *text;

	if (v->nlater == 0)
		return false;
	text = v->later[0];
	memmove(v->later, v->later + 1, --v->nlater * sizeof *v->later);
	v->bytes -= strlen(text);
	line(v, RPC_TEXT, slice_of(text));
	free(text);
	return true;
}

static void
serve(struct serve *v)
{
	struct stage *s = v->t->stage;
	struct slice text;
	enum rpc_got got;
	struct err e;

	while (!s->failed) {
		if (next_later(v))
			continue;
		got = rpc_take(&v->in, &text);
		if (got != RPC_NONE) {
			line(v, got, text);
			continue;
		}
		if (rec_flush(&s->out, &e) < 0)
			stage_fail(s, &e);
		if (s->in.eof)
			return;
		mcp_idle(v->t, STDIN_FILENO);
		if (rpc_fill(&v->in) < 0)
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
	s->mute = true;
	t->serve = &v;
	serve(&v);
	if (rec_end(&s->out, &e) < 0)
		stage_fail(s, &e);
	for (size_t i = 0; i < v.nlater; i++)
		free(v.later[i]);
	free(v.later);
	rpc_release(&v.in);
	t->serve = NULL;
	return s->failed ? err_report(&s->err) : ST_OK;
}
