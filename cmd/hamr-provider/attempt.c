/* attempt.c - one request to a server and what became of it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attempt.h"
#include "body.h"
#include "budget.h"
#include "cassette.h"
#include "file.h"
#include "mem.h"
#include "quirks.h"
#include "server.h"

#define ERROR_BODY_MAX ((size_t)1 << 20)
#define LARGE 4096		/* tokens; no smaller request overflows */

/* ---- what comes ---- */

static int
on_event(void *ctx, struct slice data)
{
	struct exchange *x = ctx;

	if (x->said == API_DONE || x->said == API_ERROR)
		return 1;
	x->stream.event = buf_view(&x->sse.name);
	x->stream.is_error = x->sse.is_error;
	x->stream.is_cut = x->sse.is_cut;
	x->said = api_event(x->p->set->api, &x->stream, x->p->answer, data,
	    &x->failure);
	if (x->first == 0 && answer_started(x->p->answer))
		x->first = file_now_ms();
	if (answer_repeats(x->p->answer) > 0)
		x->said = API_DONE;
	return x->said == API_DONE || x->said == API_ERROR;
}

/* JSON begins with a brace; a page of HTML is no stream either. */
static void
know_form(struct exchange *x, const char *p, size_t n)
{
	for (; n > 0 && x->form == FORM_UNKNOWN; p++, n--)
		if (strchr(" \t\r\n", *p) == NULL || *p == '\0')
			x->form = *p == '{' || *p == '<' || *p == '[' ?
			    FORM_WHOLE : FORM_SSE;
}

static enum http_next
too_large(struct exchange *x)
{
	failure_set(&x->failure, "too_large", false, false, "%s: a line or "
	    "event of the answer is larger than provider.max_line_bytes or "
	    "provider.max_event_bytes", x->where);
	x->said = API_ERROR;
	return HTTP_ABORT;
}

/* An adapter does not say whether it reads lines or one object: a first line
 * that is a whole value tells. */
static bool
are_lines(struct exchange *x)
{
	const char *lf = memchr(x->raw.p, '\n', x->raw.len);
	struct scan sc = { 0 };

	if (x->p->set->api->own == NULL || x->sse.lines || lf == NULL ||
	    x->is_whole)
		return false;
	x->sse.lines = scan_value(&sc, x->raw.p, (size_t)(lf - x->raw.p)) == 0;
	x->is_whole = !x->sse.lines;
	scan_release(&sc);
	return x->sse.lines;
}

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	struct exchange *x = ctx;
	int rc;

	if (x->p->record >= 0)
		buf_add(&x->tape, p, n);
	if (status < 200 || status > 299) {
		size_t room = ERROR_BODY_MAX - x->raw.len;

		buf_add(&x->raw, p, n < room ? n : room);
		return HTTP_MORE;
	}
	know_form(x, p, n);
	if (x->form == FORM_WHOLE) {
		buf_add(&x->raw, p, n);
		if (x->raw.over)
			return too_large(x);
		if (!are_lines(x))
			return HTTP_MORE;
		x->form = FORM_SSE;
		p = x->raw.p;
		n = x->raw.len;
	}
	rc = sse_feed(&x->sse, p, n, on_event, x);
	if (rc == SSE_TOO_LARGE)
		return too_large(x);
	if (answer_repeats(x->p->answer) > 0)
		return HTTP_ABORT;	/* it would go on for ever */
	if (x->said == API_DONE || x->said == API_ERROR)
		return HTTP_LAST;
	return x->said == API_FINISHED ? HTTP_SOON : HTTP_MORE;
}

int
attempt_wait(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	enum { STOP = STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED };
	struct provider *p = ctx;

	if (p->stage == NULL)		/* --probe */
		return http_poll(NULL, fds, n, ms);
	p->flags |= stage_wait(p->stage, fds, n, ms) & STOP;
	return p->flags;
}

/* ---- what became of it ---- */

static bool
is_ok(long status)
{
	return status >= 200 && status <= 299;
}

static void
broken_off(struct exchange *x)
{
	failure_set(&x->failure, "truncated", true, false,
	    "%s ended the answer without a finish_reason", x->where);
	x->failure.partial = true;
}

/* Does JSON end before its own end?  (The scanner says where a string or a
 * word begins that has none.) */
static bool
is_cut_off(struct slice text)
{
	struct scan sc = { 0 };
	bool good = scan_value(&sc, text.p, text.n) == 0;
	size_t at = sc.at;

	scan_release(&sc);
	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	return !good && (at >= text.n || strchr("]}", text.p[text.n - 1]) ==
	    NULL);
}

/* An answer without a stream: all of it is there. */
static void
read_whole(struct exchange *x)
{
	struct slice raw = buf_view(&x->raw);
	const char *mark = x->p->set->api->mark;
	bool object;

	if (*raw.p != '{') {
		while (raw.n > 0 && strchr(" \t\r\n", *raw.p) != NULL) {
			raw.p++;
			raw.n--;
		}
	}
	object = raw.n > 0 && (*raw.p == '{' || (mark == NULL && *raw.p == '['));
	if (object && is_cut_off(raw)) {
		broken_off(x);
		return;
	}
	if (object)
		x->said = api_event(x->p->set->api, &x->stream, x->p->answer,
		    raw, &x->failure);
	if (x->first == 0)
		x->first = file_now_ms();
	if (x->said == API_ERROR && x->failure.code != NULL)
		return;
	if (!object ||
	    (!answer_started(x->p->answer) && x->said != API_FINISHED &&
	    (mark == NULL || memmem(raw.p, raw.n, mark, strlen(mark)) ==
	    NULL))) {
		failure_set(&x->failure, "server", false, false, "%s answers "
		    "with something else than a chat completion; is base_url "
		    "right (it often ends in /v1)", x->where);
		return;
	}
}

/* The transfer came to its end with a status of 2xx. */
static void
judge_answer(struct exchange *x)
{
	if (x->form == FORM_WHOLE) {
		read_whole(x);
		return;
	}
	if (x->said == API_MORE || x->said == API_FINISHED)
		if (sse_end(&x->sse, on_event, x) == SSE_TOO_LARGE)
			too_large(x);
	if (x->failure.code != NULL) {
		x->failure.partial = answer_started(x->p->answer);
		return;
	}
	if (!answer_finished(x->p->answer))
		broken_off(x);
}

static void
judge(struct exchange *x)
{
	const struct http_reply *r = &x->reply;
	bool got = is_ok(r->status) && r->body;

	/* an adapter's program is given up like a transfer */
	if (r->end == HTTP_GIVEN_UP || (x->failure.code != NULL &&
	    x->p->flags != 0)) {
		failure_set(&x->failure, "interrupted", false, false,
		    "cancelled");
		x->failure.partial = true;
		return;
	}
	if (r->packed && is_ok(r->status)) {
		failure_set(&x->failure, "server", false, false, "%s "
		    "compresses its answer, unasked; turn that off there, or "
		    "in the proxy before it", x->where);
	} else if (x->failure.code != NULL) {
		x->failure.partial = answer_started(x->p->answer);
	} else if (r->end != HTTP_DONE) {
		/* what follows the finish_reason does not matter */
		if (got && x->form != FORM_WHOLE &&
		    answer_finished(x->p->answer))
			return;
		failure_transfer(&x->failure, r, x->where);
		x->failure.partial = got;
	} else if (is_ok(r->status)) {
		judge_answer(x);
	} else {
		failure_status(&x->failure, r->status, r->packed ?
		    SLICE("a compressed answer") : buf_view(&x->raw));
		if (r->status == 400 && x->raw.len == 0 &&
		    x->ask->estimate >= LARGE)
			failure_set(&x->failure, "context_overflow", false,
			    false, "HTTP 400, with an empty body: to a "
			    "request of about %lld tokens, that it is too "
			    "large", x->ask->estimate);
		x->failure.wait_ms = retry_after_ms(r->retry_after,
		    (long long)time(NULL));
	}
}

/* ---- one attempt ---- */

static bool
sends_reasoning(const struct provider *p)
{
	if (p->quirks & QUIRK_REASONING)
		return true;
	if (p->quirks & QUIRK_NO_REASONING)
		return false;
	return p->set->reasoning == REASONING_ALWAYS;
}

static bool
streams(const struct provider *p)
{
	return p->set->stream && !(p->quirks & QUIRK_NO_STREAM);
}

/* Where to: the path may name the model, and whether it streams. */
static void
make_url(struct exchange *x)
{
	const struct settings *s = x->p->set;
	char *path = s->api->path != NULL ? xstrdup(s->api->path) :
	    s->api->model_path(s->model, streams(x->p));

	free(x->url);
	x->url = server_url(s->base_url, path);
	free(path);
}

/* Do params tell by themselves how long an answer may be? */
static bool
limits_output(struct slice params)
{
	static const char *const keys[] = { "max_tokens",
		"max_completion_tokens", "max_output_tokens",
		"generationConfig", "generation_config" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (scan_get(params, keys[i]).p != NULL)
			return true;
	return scan_get(scan_get(params, "options"), "num_predict").p != NULL;
}

/* As it is set, else what is reserved of a window that is known; 0: the
 * server decides. */
static long long
max_tokens(const struct exchange *x)
{
	const struct settings *s = x->p->set;
	long limit = s->window > 0 && x->p->limit < 0 ? (long)s->window :
	    x->p->limit;
	struct budget b;

	if (s->max_tokens > 0 || limits_output(slice_of(s->params)) ||
	    limits_output(x->ask->params))
		return s->max_tokens;
	if (limit < 0 && !conf_is_set(s->conf, "context.window"))
		return 0;
	b = budget_from(s->conf, -1, limit);
	return b.window - b.effective;
}

/* It also says where to, and with which headers. */
static int
ask_adapter(struct exchange *x, const struct body *b, struct slice messages)
{
	const struct settings *s = x->p->set;
	struct adapter_defaults d = { (const char *const *)s->headers,
		s->nheaders, s->key };
	int r;

	adapter_call_release(&x->call);
	r = adapter_request(s->api->own, b, messages, &d, &x->call, &x->body,
	    &x->failure);
	free(x->url);
	x->url = server_url(s->base_url, r == 0 ? x->call.path : "");
	return r;
}

static int
make_body(struct exchange *x)
{
	const struct settings *s = x->p->set;
	struct buf legal = BUF_INIT((size_t)1 << 40);
	struct body b = {
		.model = s->model, .stream = streams(x->p),
		.system_in_place = s->system_in_place && !s->api->one_system,
		.blind = s->blind,
		.reasoning = sends_reasoning(x->p),
		.dialect = x->p->quirks & QUIRK_NO_TOOLS ? DIALECT_HERMES :
		    s->dialect,
		.has_temperature = s->has_temperature,
		.temperature = s->temperature, .max_tokens = max_tokens(x),
		.window = s->window,
		.quirks = x->p->quirks,
		.conf_params = slice_of(s->params),
		.messages = x->ask->messages, .tools = x->ask->tools,
		.tool_choice = x->ask->tool_choice, .params = x->ask->params,
		.past = &x->p->past,
	};
	int r = 0;

	buf_reset(&x->body);
	if (s->api->own == NULL)
		make_url(x);
	if (s->api->own == NULL && s->api->body == NULL) {
		body_print(&b, &x->body);
		return 0;
	}
	body_messages(&b, scan_str_is(b.tool_choice, "none"),
	    s->api->own == NULL, &legal);
	/* those that are told as text are told once */
	if (b.dialect != DIALECT_AUTO && b.dialect != DIALECT_NONE)
		b.tools = b.tool_choice = (struct slice){ NULL, 0 };
	if (s->api->own != NULL)
		r = ask_adapter(x, &b, buf_view(&legal));
	else
		s->api->body(&b, buf_view(&legal), &x->body);
	if (s->api->own == NULL && x->p->quirks != 0) {
		buf_reset(&legal);
		quirks_body(x->p->quirks, buf_view(&x->body), &legal);
		buf_reset(&x->body);
		buf_slice(&x->body, buf_view(&legal));
	}
	buf_release(&legal);
	return r;
}

/* -1: there is nothing to be sent, x->failure says why. */
static int
begin(struct exchange *x)
{
	sse_reset(&x->sse);
	buf_reset(&x->raw);
	buf_reset(&x->tape);
	failure_reset(&x->failure);
	api_stream_reset(&x->stream);
	x->stream.event = (struct slice){ NULL, 0 };
	x->stream.is_error = x->stream.is_cut = false;
	x->form = x->p->set->api->lines ? FORM_SSE : FORM_UNKNOWN;
	x->sse.lines = x->p->set->api->lines;
	x->is_whole = false;
	memset(&x->reply, 0, sizeof x->reply);
	x->said = API_MORE;
	x->first = 0;
	x->started = file_now_ms();
	answer_reset(x->p->answer, x->ask->tools);
	if (x->p->set->api->own != NULL)
		adapter_wait(x->p->set->api->own, attempt_wait, x->p);
	return make_body(x);
}

void
attempt_do(struct exchange *x)
{
	struct http_call call = { .post = true, .sink = on_body,
		.ctx = x, .wait = attempt_wait, .wait_ctx = x->p };

	if (begin(x) < 0) {
		judge(x);
		return;
	}
	call.url = x->url;
	if (x->call.method != NULL) {
		call.method = x->call.method;
		call.post = strcmp(call.method, "GET") != 0;
		call.headers = (const char *const *)x->call.headers;
		call.nheaders = x->call.nheaders;
	}
	call.body = buf_view(&x->body);
	http_do(server_http(x->p), &call, &x->reply);
	judge(x);
}

/* ---- life ---- */

void
attempt_init(struct exchange *x)
{
	const struct settings *s = x->p->set;

	if (x->p->answer == NULL)
		x->p->answer = answer_new(s->dialect, s->repeat_limit,
		    provider_delta, x->p);
	sse_init(&x->sse, s->max_line, s->max_event);
	api_stream_init(&x->stream);
	buf_init(&x->body, (size_t)1 << 40);
	buf_init(&x->raw, s->max_body > ERROR_BODY_MAX ? s->max_body :
	    ERROR_BODY_MAX);
	buf_init(&x->tape, s->max_body > ERROR_BODY_MAX ? s->max_body :
	    ERROR_BODY_MAX);
	failure_init(&x->failure);
	x->where = settings_where(s->base_url);
}

void
attempt_release(struct exchange *x)
{
	sse_release(&x->sse);
	api_stream_release(&x->stream);
	buf_release(&x->body);
	buf_release(&x->raw);
	buf_release(&x->tape);
	failure_release(&x->failure);
	adapter_call_release(&x->call);
	free(x->url);
	free(x->where);
}

void
attempt_play(struct exchange *x, struct slice line, size_t chunk)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	enum http_next next = HTTP_MORE;

	if (begin(x) < 0) {
		judge(x);
		return;
	}
	cassette_read(line, &all, &x->reply);
	x->reply.body = all.len > 0;
	if (chunk == 0)
		chunk = all.len;
	for (size_t at = 0; at < all.len && next != HTTP_ABORT &&
	    next != HTTP_LAST; at += chunk)
		next = on_body(x, x->reply.status, all.p + at,
		    all.len - at < chunk ? all.len - at : chunk);
	buf_release(&all);
	judge(x);
}
