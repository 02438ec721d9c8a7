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

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define PROGRESS_MS 250		/* between progress messages of a call */
#define WAITING_MAX 10000	/* requests that wait for a call's end */

struct serve {
	struct tool *t;
	struct rpc in;
	struct buf *batch;	/* answers to a batch, or NULL */
	bool busy;		/* a line is being answered */
	char *running;		/* id of the current call, as JSON */
	struct slice token;	/* its progressToken, p NULL: none */
	int64_t progress;	/* how often that was used */
	long long due;		/* ms; not before */
	struct texts later;	/* lines that wait */
	size_t bytes;		/* of them */
};

/* Write a message, or add it to the batch; releases it. */
static void
serve_put(struct serve *v, struct buf *message)
{
	if (v->batch != NULL) {
		buf_addc(v->batch, v->batch->len == 0 ? '[' : ',');
		buf_slice(v->batch, buf_view(message));
	} else {
		rec_put(&v->t->stage->out, buf_view(message));
	}
	buf_release(message);
}

static void
serve_error(struct serve *v, struct slice id, enum rpc_code code,
    const char *words)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	rpc_error(&b, rpc_is_id(id) ? id : SLICE("null"), code, words);
	serve_put(v, &b);
}

static void
serve_result(struct serve *v, struct slice id, struct slice result)
{
	struct buf b = BUF_INIT(2 * BUF_RECORD_MAX);

	rpc_result(&b, id, result);
	serve_put(v, &b);
}

static void
serve_list(struct serve *v, const struct rpc_msg *m)
{
	struct slice cursor = scan_get(m->params, "cursor"), el;
	struct buf record = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(2 * BUF_RECORD_MAX);
	struct err e;

	if (cursor.p != NULL && scan_kind(cursor) != SCAN_NULL) {
		serve_error(v, m->id, RPC_NO_PARAMS, "there is no such cursor: "
		    "all tools are on one page");
		return;
	}
	if (extras_load(v->t, &e) < 0) {
		serve_error(v, m->id, RPC_INTERNAL, e.text);
		return;
	}
	tool_record_all(v->t, &record);
	buf_adds(&b, "{\"tools\":[");
	for (struct walk w = walk_of(scan_get(buf_view(&record), "tools"));
	    walk_next(&w, NULL, &el); ) {
		struct slice fn = scan_get(el, "function");
		char *name = scan_strdup(scan_get(fn, "name"));
		const struct schema *s = tool_schema(v->t, name);
		const struct extra *x = s != NULL ? extra_of(s) : NULL;

		scan_put(&b, "${'name':$,'description':$,'inputSchema':$,"
		    "'annotations':{'readOnlyHint':$}}", scan_comma(&b),
		    scan_get(fn, "name"), scan_get(fn, "description"),
		    scan_get(fn, "parameters"), scan_truth(x != NULL ?
		    !x->mutates : s != NULL && (s->id == TOOL_READ ||
		    s->id == TOOL_VIEW || s->id == TOOL_SEARCH_MEMORY)));
		free(name);
	}
	buf_adds(&b, "]}");
	serve_result(v, m->id, buf_view(&b));
	buf_release(&b);
	xset(&v->t->told, buf_detach(&record));
}

static void
tell(struct serve *v, const char *method, struct slice params)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), *batch = v->batch;

	rpc_call(&b, (struct slice){ NULL, 0 }, method, params);
	v->batch = NULL;
	serve_put(v, &b);
	v->batch = batch;
}

/* Append a message's content as text and image parts. */
static void
put_parts(struct slice content, struct buf *out)
{
	struct slice el;

	if (scan_kind(content) == SCAN_STRING)
		scan_put(out, "{'type':'text','text':$}", content);
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &el); ) {
		struct slice text = scan_get(el, "text");
		char *url = scan_text(scan_get(scan_get(el, "image_url"),
		    "url"));	/* data:MIME;base64,DATA */
		struct slice u = slice_of(url);
		size_t semi = slice_find(u, 0, ";");
		size_t comma = slice_find(u, semi, ",");

		if (slice_starts(u, "data:") && comma < u.n)
			scan_put(out, "${'type':'image','data':@,"
			    "'mimeType':@}", scan_comma(out),
			    slice_from(u, comma + 1), slice_part(u, 5, semi));
		else if (u.n == 0 && scan_kind(text) == SCAN_STRING)
			scan_put(out, "${'type':'text','text':$}",
			    scan_comma(out), text);
		free(url);
	}
}

/* What a call writes while it runs: its last line is how far it is.  Other
 * tools than those the client has listed: it is told to list them again. */
void
mcp_serve_unwritten(struct stage *s, enum rec_kind kind, struct slice record)
{
	struct serve *v = ((struct tool *)s->self)->serve;

	if (kind == R_TOOLS)
		tell(v, "notifications/tools/list_changed",
		    (struct slice){ NULL, 0 });
	char *text = kind == R_OUTPUT && v->token.p != NULL &&
	    file_now_ms() >= v->due ? scan_strdup(scan_get(record, "text")) :
	    NULL;
	struct slice rest = slice_trim(slice_of(text != NULL ? text : ""));
	struct slice last = { NULL, 0 };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	while (slice_line(&rest, &last))
		;
	if (last.n > 0) {
		scan_put(&b, "{'progressToken':$,'progress':$,'message':@}",
		    v->token, SCAN_INT(++v->progress), last);
		tell(v, "notifications/progress", buf_view(&b));
		v->due = file_now_ms() + PROGRESS_MS;
	}
	buf_release(&b);
	free(text);
}

static void take_lines(struct serve *v);

static void
serve_call(struct serve *v, const struct rpc_msg *m)
{
	struct slice args = scan_get(m->params, "arguments");
	char *name = scan_strdup(scan_get(m->params, "name"));
	struct stage *s = v->t->stage;
	struct buf message = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(2 * BUF_RECORD_MAX);

	if (args.p == NULL || scan_kind(args) == SCAN_NULL)
		args = SLICE("{}");
	if (name == NULL || scan_kind(args) != SCAN_OBJECT) {
		serve_error(v, m->id, RPC_NO_PARAMS, name == NULL ?
		    "the name of a tool is missing" :
		    "arguments must be an object");
		free(name);
		return;
	}
	v->running = xmemdup0(m->id.p, m->id.n);
	v->token = scan_get(scan_get(m->params, "_meta"), "progressToken");
	v->progress = 0;
	take_lines(v);		/* it may be cancelled already */
	bool known = tool_answer(v->t, name, args, &message);
	bool cancelled = (stage_wait(s, NULL, 0, 0) & STAGE_CANCEL) != 0;
	s->cancelled = false;
	xset(&v->running, NULL);
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
	} else if (!cancelled) {	/* a cancelled call gets no answer */
		buf_adds(&b, "{\"content\":[");
		put_parts(scan_get(buf_view(&message), "content"), &b);
		scan_put(&b, "],'isError':$}", scan_truth(scan_true(scan_get(
		    buf_view(&message), "is_error"))));
		serve_result(v, m->id, buf_view(&b));
	}
	bufs_release(BUFS(&message, &b));
	free(name);
}

static void
message(struct serve *v, struct slice text)
{
	/* the first, if the client asks for another */
	static const char *const known[] = { "2025-11-25", "2025-06-18",
		"2025-03-26", "2024-11-05" };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *version = known[0];
	struct rpc_msg m;

	rpc_read(text, &m);
	struct slice asked = scan_get(m.params, "protocolVersion");
	if (m.kind == RPC_OTHER)
		serve_error(v, m.id, RPC_INVALID, "this is not a JSON-RPC "
		    "2.0 message");
	if (m.kind != RPC_REQUEST)
		return;
	bool begins = scan_str_is(m.method, "initialize");
	if (begins && scan_kind(asked) != SCAN_STRING) {
		serve_error(v, m.id, RPC_NO_PARAMS, "protocolVersion is "
		    "missing");
	} else if (begins) {
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			if (scan_str_is(asked, known[i]))
				version = known[i];
		scan_put(&b, "{'protocolVersion':@,'capabilities':{'tools':"
		    "{'listChanged':true}},'serverInfo':{'name':'hamr-tool',"
		    "'version':@}}", slice_of(version), SLICE(HAMR_VERSION));
		serve_result(v, m.id, buf_view(&b));
		buf_release(&b);
	} else if (scan_str_is(m.method, "ping")) {
		serve_result(v, m.id, SLICE("{}"));
	} else if (scan_str_is(m.method, "tools/list")) {
		serve_list(v, &m);
	} else if (scan_str_is(m.method, "tools/call")) {
		serve_call(v, &m);
	} else {
		serve_error(v, m.id, RPC_NO_METHOD, "there is no such method; "
		    "hamr-tool has tools only");
	}
}

/* A message, or a batch of them. */
static void
line(struct serve *v, struct slice text)
{
	struct buf answers = BUF_INIT(2 * BUF_RECORD_MAX);
	bool empty = true;
	struct slice el;

	if (scan_kind(text) != SCAN_ARRAY) {
		message(v, text);
		return;
	}
	v->batch = &answers;
	for (struct walk w = walk_of(text); walk_next(&w, NULL, &el);
	    empty = false)
		message(v, el);
	v->batch = NULL;
	if (answers.len > 0) {
		buf_addc(&answers, ']');
		serve_put(v, &answers);
	} else if (empty) {
		serve_error(v, SLICE(""), RPC_INVALID, "an empty batch");
	}
}

/* ---- the lines that came ---- */

/* Remove waiting line i; the caller frees it. */
static char *
take_later(struct serve *v, size_t i)
{
	char *text = v->later.v[i];

	memmove(v->later.v + i, v->later.v + i + 1, (--v->later.n - i) *
	    sizeof *v->later.v);
	v->bytes -= strlen(text);
	return text;
}

/* Let the next line wait for its answer; while one is being answered, all that
 * come.  Cancel and ping do not wait. */
static void
take_lines(struct serve *v)
{
	struct buf *was = v->batch;
	struct slice text;
	struct rpc_msg m;
	enum rpc_got got;

	v->batch = NULL;
	while ((v->busy || v->later.n == 0) &&
	    (got = rpc_take(&v->in, &text)) != RPC_NONE) {
		if (got == RPC_LONG) {
			serve_error(v, SLICE(""), RPC_INVALID,
			    "a message longer than 64 MiB");
			continue;
		} else if (got == RPC_BAD) {
			/* for its id: the client waits for an answer to it */
			serve_error(v, scan_get(text, "id"), RPC_PARSE, "this "
			    "is not JSON, or has a key twice, \\u0000 or bad "
			    "UTF-8 in it");
			continue;
		}
		rpc_read(text, &m);
		if (m.kind == RPC_NOTIFY && scan_str_is(m.method,
		    "notifications/cancelled")) {
			struct slice id = scan_get(m.params, "requestId");
			bool found = v->running != NULL &&
			    slice_is(id, v->running);

			if (found)
				v->t->stage->cancelled = true;
			/* or drop a waiting request that was canceled */
			for (size_t i = 0; i < v->later.n && !found; i++) {
				rpc_read(slice_of(v->later.v[i]), &m);
				found = m.kind == RPC_REQUEST &&
				    slice_eq(m.id, id);
				if (found)
					free(take_later(v, i));
			}
		} else if (m.kind == RPC_REQUEST &&
		    scan_str_is(m.method, "ping")) {
			serve_result(v, m.id, SLICE("{}"));
		} else if (m.kind != RPC_REQUEST && m.kind != RPC_OTHER) {
			;
		} else if (v->later.n >= WAITING_MAX ||
		    v->bytes > LINE_MAX_BYTES) {
			serve_error(v, m.id, RPC_INTERNAL, "too many "
			    "requests are waiting; send it again later");
		} else {
			texts_add(&v->later, xmemdup0(text.p, text.n));
			v->bytes += text.n;
		}
	}
	v->batch = was;
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

int
mcp_serve(struct tool *t)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	struct serve v = { .t = t };
	struct stage *s = t->stage;
	struct err e;

	rpc_init(&v.in, STDIN_FILENO, -1, LINE_MAX_BYTES);
	rec_in_init(&s->in, STDIN_FILENO, "stdin", 0);
	s->mute = s->stream = true;
	t->serve = &v;		/* cppcheck-suppress autoVariables */
	while (!s->failed) {
		tool_may_end(s);
		take_lines(&v);
		if (v.later.n > 0) {
			char *text = take_later(&v, 0);

			v.busy = true;
			line(&v, slice_of(text));
			v.busy = false;
			free(text);
			continue;
		}
		if (rec_flush(&s->out, &e) < 0)
			stage_fail(s, &e);
		if (s->in.eof || !mcp_idle(t, STDIN_FILENO, t->told != NULL))
			break;
		tool_put_changed(t);
		/* what came while servers were looked after was read there */
		if (poll(&in, 1, 0) > 0 && rpc_fill(&v.in) < 0)
			s->in.eof = true;
	}
	if (rec_end(&s->out, &e) < 0)
		stage_fail(s, &e);
	texts_release(&v.later);
	rpc_release(&v.in);
	t->serve = NULL;
	return s->failed ? tool_fail(t, &s->err) : ST_OK;
}
