/* attempt.c - one request to a server and what became of it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "dialect/match.h"
#include "request/quirks.h"
#include "tokens/budget.h"

#include "exchange.h"

#define ERROR_BODY_MAX ((size_t)1 << 20)
#define LARGE 4096		/* tokens; no smaller request overflows */

static bool
is_ok(long status)
{
	return status >= 200 && status <= 299;
}

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
	if (x->first == 0 && x->p->answer->started)
		x->first = file_now_ms();
	if (answer_repeats(x->p->answer) > 0)
		x->said = API_DONE;
	return x->said == API_DONE || x->said == API_ERROR;
}

static enum http_next
too_large(struct exchange *x)
{
	failure_set(&x->failure, "too_large", "%s: a line or event of the "
	    "answer is larger than provider.max_line_bytes or "
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

	if (x->p->set->api->own == NULL || x->sse.lines || lf == NULL ||
	    x->is_whole)
		return false;
	x->sse.lines = scan_is_json((struct slice){ x->raw.p,
		(size_t)(lf - x->raw.p) });
	x->is_whole = !x->sse.lines;
	return x->sse.lines;
}

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	struct exchange *x = ctx;
	size_t lead = skip_white((struct slice){ p, n }, 0);

	if (x->p->record >= 0)
		buf_add(&x->tape, p, n);
	if (!is_ok(status)) {
		size_t room = ERROR_BODY_MAX - x->raw.len;

		buf_add(&x->raw, p, n < room ? n : room);
		return HTTP_MORE;
	}
	/* JSON begins with a brace; a page of HTML is not a stream either */
	if (x->form == FORM_UNKNOWN && lead < n)
		x->form = memchr("{<[", p[lead], 3) != NULL ? FORM_WHOLE :
		    FORM_SSE;
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
	if (sse_feed(&x->sse, p, n, on_event, x) == SSE_TOO_LARGE)
		return too_large(x);
	if (answer_repeats(x->p->answer) > 0)
		return HTTP_ABORT;	/* it would go on for ever */
	if (x->said == API_DONE || x->said == API_ERROR)
		return HTTP_LAST;
	return x->said == API_FINISHED ? HTTP_SOON : HTTP_MORE;
}

/* ---- what became of it ---- */

static void
broken_off(struct exchange *x)
{
	failure_set(&x->failure, "truncated",
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
	text = slice_trim(text);
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

	raw = slice_from(raw, skip_white(raw, 0));
	object = begins(raw, 0, "{") || (mark == NULL && begins(raw, 0, "["));
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
	    (!x->p->answer->started && x->said != API_FINISHED &&
	    (mark == NULL || !slice_has(raw, mark))))
		failure_final(&x->failure, "server", "%s did not answer with a "
		    "chat completion; %s", x->where,
		    api_url_hint(x->p->set->api));
}

static void
judge(struct exchange *x)
{
	const struct http_reply *r = &x->reply;
	bool got = is_ok(r->status) && r->body;

	/* an adapter's program is given up like a transfer */
	if (r->end == HTTP_GIVEN_UP || (x->failure.code != NULL &&
	    x->p->flags != 0)) {
		failure_set(&x->failure, "interrupted", "cancelled");
		x->failure.partial = true;
	} else if (r->packed && is_ok(r->status)) {
		failure_final(&x->failure, "server", "%s sent a compressed "
		    "answer that was not asked for; turn compression off "
		    "there, or in the proxy in front of it", x->where);
	} else if (x->failure.code != NULL) {
		x->failure.partial = x->p->answer->started;
	} else if (r->end != HTTP_DONE) {
		/* what follows the finish_reason does not matter */
		if (got && x->form != FORM_WHOLE &&
		    answer_finished(x->p->answer))
			return;
		failure_transfer(&x->failure, r, x->where);
		x->failure.partial = got;
	} else if (is_ok(r->status) && x->form == FORM_WHOLE) {
		read_whole(x);
	} else if (is_ok(r->status)) {
		if ((x->said == API_MORE || x->said == API_FINISHED) &&
		    sse_end(&x->sse, on_event, x) == SSE_TOO_LARGE)
			too_large(x);
		if (x->failure.code != NULL)
			x->failure.partial = x->p->answer->started;
		else if (!answer_finished(x->p->answer))
			broken_off(x);
	} else {
		failure_status(&x->failure, r->status, r->packed ?
		    SLICE("a compressed answer") : buf_view(&x->raw));
		if (r->status == 400 && x->raw.len == 0 &&
		    x->ask->estimate >= LARGE)
			failure_set(&x->failure, "context_overflow",
			    "HTTP 400 with an empty body; the request of about "
			    "%lld tokens is probably too large",
			    x->ask->estimate);
		/* else a model may be what is not found */
		if (r->status == 404 && !slice_has(buf_view(&x->raw), "model"))
			buf_fmt(&x->failure.message, "; %s",
			    api_url_hint(x->p->set->api));
		x->failure.wait_ms = retry_after_ms(r->retry_after,
		    (long long)time(NULL));
	}
}

/* ---- one attempt ---- */

/* Do params tell by themselves how long an answer may be? */
static bool
limits_output(struct slice params)
{
	return scan_get(params, "max_tokens").p != NULL ||
	    scan_get(params, "max_completion_tokens").p != NULL ||
	    scan_get(params, "max_output_tokens").p != NULL ||
	    scan_get(params, "generationConfig").p != NULL ||
	    scan_get(params, "generation_config").p != NULL ||
	    scan_get(scan_get(params, "options"), "num_predict").p != NULL;
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
	b = budget_from(s->conf, limit);
	return b.window - b.effective;
}

/* What is sent, and where to. */
static int
make_body(struct exchange *x)
{
	const struct settings *s = x->p->set;
	const struct api *api = s->api;
	struct buf legal = BUF_INIT((size_t)1 << 40);
	unsigned quirks = x->p->quirks;
	struct body b = {
		.model = s->model,
		.stream = s->stream && !(quirks & QUIRK_NO_STREAM),
		.system_in_place = s->system_in_place && !api->one_system,
		.no_images = s->no_images,
		.reasoning = quirks & QUIRK_REASONING ||
		    (!(quirks & QUIRK_NO_REASONING) &&
		    s->reasoning == REASONING_ALWAYS),
		.dialect = quirks & QUIRK_NO_TOOLS ? DIALECT_HERMES :
		    s->dialect,
		.has_temperature = s->has_temperature,
		.temperature = s->temperature, .max_tokens = max_tokens(x),
		.window = s->window, .quirks = quirks,
		.conf_params = slice_of(s->params),
		.messages = x->ask->messages, .tools = x->ask->tools,
		.tool_choice = x->ask->tool_choice, .params = x->ask->params,
		.past = &x->p->past,
	};
	struct adapter_defaults defaults = {
		(const char *const *)s->headers, s->nheaders, s->key };
	char *path;
	int r = 0;

	buf_reset(&x->body);
	free(x->url);
	x->url = NULL;
	if (!api->chat) {
		body_messages(&b, scan_str_is(b.tool_choice, "none"),
		    api->own == NULL, &legal);
		/* tools described as text are not sent again as a field */
		if (b.dialect > DIALECT_NONE)
			b.tools = b.tool_choice = (struct slice){ NULL, 0 };
	}
	if (api->own != NULL) {		/* it also says where to */
		adapter_call_release(&x->call);
		r = adapter_request(api->own, &b, buf_view(&legal), &defaults,
		    &x->call, &x->body, &x->failure);
		x->url = server_url(s->base_url, r == 0 ? x->call.path : "");
	} else {
		path = api->path != NULL ? xstrdup(api->path) :
		    api->model_path(s->model, b.stream);
		x->url = server_url(s->base_url, path);
		free(path);
		api->body(&b, buf_view(&legal), &x->body);
	}
	buf_release(&legal);
	return r;
}

/* -1: there is nothing to be sent, x->failure says why. */
static int
begin(struct exchange *x)
{
	const struct api *api = x->p->set->api;

	sse_reset(&x->sse);
	bufs_reset(BUFS(&x->raw, &x->tape));
	failure_reset(&x->failure);
	api_stream_reset(&x->stream);
	x->stream.event = (struct slice){ NULL, 0 };
	x->stream.is_error = x->stream.is_cut = false;
	x->form = api->lines ? FORM_SSE : FORM_UNKNOWN;
	x->sse.lines = api->lines;
	x->is_whole = false;
	memset(&x->reply, 0, sizeof x->reply);
	x->said = API_MORE;
	x->first = 0;
	x->started = file_now_ms();
	answer_reset(x->p->answer, x->ask->tools);
	if (api->own != NULL)
		adapter_wait(api->own, provider_wait, x->p);
	return make_body(x);
}

void
attempt_do(struct exchange *x)
{
	struct http_call call = { .post = true, .sink = on_body,
		.ctx = x, .wait = provider_wait, .wait_ctx = x->p };

	if (begin(x) == 0) {
		call.url = x->url;
		if (x->call.method != NULL) {
			call.method = x->call.method;
			call.post = strcmp(call.method, "GET") != 0;
			call.headers = (const char *const *)x->call.headers;
			call.nheaders = x->call.nheaders;
		}
		call.body = buf_view(&x->body);
		http_do(server_http(x->p), &call, &x->reply);
	}
	judge(x);
}

void
attempt_play(struct exchange *x, struct slice line, size_t chunk)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	enum http_next next = HTTP_MORE;

	if (begin(x) == 0) {
		cassette_read(line, &all, &x->reply);
		x->reply.body = all.len > 0;
		if (chunk == 0)
			chunk = all.len;
		for (size_t at = 0; at < all.len && next != HTTP_ABORT &&
		    next != HTTP_LAST; at += chunk)
			next = on_body(x, x->reply.status, all.p + at,
			    all.len - at < chunk ? all.len - at : chunk);
		buf_release(&all);
	}
	judge(x);
}

/* ---- life ---- */

void
attempt_init(struct exchange *x)
{
	const struct settings *s = x->p->set;
	size_t max = s->http.max_body > ERROR_BODY_MAX ? s->http.max_body :
	    ERROR_BODY_MAX;

	if (x->p->answer == NULL)
		x->p->answer = answer_new(s->dialect, s->repeat_limit,
		    provider_delta, x->p);
	sse_init(&x->sse, s->max_line, s->max_event);
	api_stream_init(&x->stream);
	buf_init(&x->body, (size_t)1 << 40);
	bufs_init(BUFS(&x->raw, &x->tape), max);
	failure_init(&x->failure);
	x->where = settings_where(s->base_url);
}

void
attempt_release(struct exchange *x)
{
	sse_release(&x->sse);
	api_stream_release(&x->stream);
	bufs_release(BUFS(&x->body, &x->raw, &x->tape));
	failure_release(&x->failure);
	adapter_call_release(&x->call);
	free(x->url);
	free(x->where);
}
