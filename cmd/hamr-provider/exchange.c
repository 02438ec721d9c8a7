/* exchange.c - one request and its answer, with the retries between. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "body.h"
#include "file.h"
#include "key.h"
#include "mem.h"
#include "provider.h"
#include "quirks.h"
#include "server.h"
#include "sse.h"

#define ERROR_BODY_MAX ((size_t)1 << 20)
#define BACKOFF_MS 500
#define BACKOFF_CAP_MS 30000
#define LOADING_MS 1000		/* between two looks at a loading server */

enum form { FORM_UNKNOWN, FORM_SSE, FORM_WHOLE };

/* One attempt. */
struct exchange {
	struct provider *p;
	const struct ask *ask;
	struct sse sse;
	struct buf body;		/* what is sent */
	struct buf raw;			/* what came, unless it is events */
	struct failure failure;
	struct http_reply reply;
	enum form form;
	enum api_said said;
	struct api_stream stream;
	long long started, first;	/* ms; first 0: nothing came yet */
	char *url, *where;
};

/* ---- what comes ---- */

static int
on_event(void *ctx, struct slice data)
{
	struct exchange *x = ctx;

	if (x->said == API_DONE || x->said == API_ERROR)
		return 1;
	x->said = api_event(x->p->set->api, &x->stream, x->p->answer, data,
	    &x->failure);
	if (x->first == 0 && answer_started(x->p->answer))
		x->first = file_now_ms();
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

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	struct exchange *x = ctx;
	int rc;

	if (status < 200 || status > 299) {
		size_t room = ERROR_BODY_MAX - x->raw.len;

		buf_add(&x->raw, p, n < room ? n : room);
		return HTTP_MORE;
	}
	know_form(x, p, n);
	if (x->form == FORM_WHOLE) {
		buf_add(&x->raw, p, n);
		return x->raw.over ? too_large(x) : HTTP_MORE;
	}
	rc = sse_feed(&x->sse, p, n, on_event, x);
	if (rc == SSE_TOO_LARGE)
		return too_large(x);
	if (x->said == API_DONE || x->said == API_ERROR)
		return HTTP_LAST;
	return x->said == API_FINISHED ? HTTP_SOON : HTTP_MORE;
}

static int
on_wait(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	enum { STOP = STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED };
	struct provider *p = ctx;

	p->flags |= stage_wait(p->stage, fds, n, ms) & STOP;
	return p->flags;
}

/* ---- what became of it ---- */

static bool
is_ok(long status)
{
	return status >= 200 && status <= 299;
}

/* An answer without a stream: all of it is there. */
static void
read_whole(struct exchange *x)
{
	struct slice raw = buf_view(&x->raw);

	if (*raw.p != '{') {
		while (raw.n > 0 && strchr(" \t\r\n", *raw.p) != NULL) {
			raw.p++;
			raw.n--;
		}
	}
	if (raw.n > 0 && *raw.p == '{')
		x->said = api_event(x->p->set->api, &x->stream, x->p->answer,
		    raw, &x->failure);
	if (x->first == 0)
		x->first = file_now_ms();
	if (x->said == API_ERROR && x->failure.code != NULL)
		return;
	if (raw.n == 0 || *raw.p != '{' ||
	    (!answer_started(x->p->answer) && x->said != API_FINISHED &&
	    memmem(raw.p, raw.n, x->p->set->api->mark,
	    strlen(x->p->set->api->mark)) == NULL)) {
		failure_set(&x->failure, "server", false, false, "%s answers "
		    "with something else than a chat completion; is base_url "
		    "right (it often ends in /v1)", x->where);
		return;
	}
}

static void
broken_off(struct exchange *x)
{
	failure_set(&x->failure, "truncated", true, false,
	    "%s ended the answer without a finish_reason", x->where);
	x->failure.partial = true;
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

	if (r->end == HTTP_GIVEN_UP) {
		failure_set(&x->failure, "interrupted", false, false,
		    "cancelled");
		x->failure.partial = true;
		return;
	}
	if (x->failure.code != NULL) {
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
		failure_status(&x->failure, r->status, buf_view(&x->raw));
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

static void
make_body(struct exchange *x)
{
	const struct settings *s = x->p->set;
	struct buf legal = BUF_INIT((size_t)1 << 40);
	struct body b = {
		.model = s->model, .stream = s->stream,
		.system_in_place = s->system_in_place,
		.reasoning = sends_reasoning(x->p), .dialect = s->dialect,
		.has_temperature = s->has_temperature,
		.temperature = s->temperature, .max_tokens = s->max_tokens,
		.window = s->window,
		.quirks = x->p->quirks,
		.conf_params = slice_of(s->params),
		.messages = x->ask->messages, .tools = x->ask->tools,
		.tool_choice = x->ask->tool_choice, .params = x->ask->params,
		.past = &x->p->past,
	};

	buf_reset(&x->body);
	if (s->api->body == NULL) {
		body_print(&b, &x->body);
		return;
	}
	body_messages(&b, scan_str_is(b.tool_choice, "none"), true, &legal);
	s->api->body(&b, buf_view(&legal), &x->body);
	buf_release(&legal);
}

static void
attempt(struct exchange *x)
{
	struct http_call call = { .url = x->url, .post = true, .sink = on_body,
		.ctx = x, .wait = on_wait, .wait_ctx = x->p };

	const struct settings *s = x->p->set;

	make_body(x);
	call.body = buf_view(&x->body);
	sse_reset(&x->sse);
	buf_reset(&x->raw);
	failure_reset(&x->failure);
	api_stream_reset(&x->stream);
	x->form = s->api->lines ? FORM_SSE : FORM_UNKNOWN;
	x->said = API_MORE;
	x->first = 0;
	x->started = file_now_ms();
	answer_reset(x->p->answer, x->ask->tools);
	http_do(server_http(x->p), &call, &x->reply);
	judge(x);
}

/* ---- retries ---- */

static void
put_progress(struct provider *p, const struct failure *f, long long tries,
    long long ms)
{
	struct json *o = json_object();
	struct buf words = BUF_INIT(FAILURE_MAX);

	buf_slice(&words, buf_view(&f->message));
	key_redact(p->set->key, &words);
	json_str(o, "type", "progress");
	json_str(o, "stage", "provider");
	json_str(o, "code", f->code);
	if (!f->loading) {
		json_int(o, "attempt", tries);
		json_int(o, "of", p->set->max_retries);
	}
	json_int(o, "wait_ms", ms);
	json_slice(o, "message", buf_view(&words));
	stage_put_json(p->stage, R_PROGRESS, o);
	buf_release(&words);
}

/* Full jitter: anything up to the doubled step. */
static long long
backoff_ms(long long tries)
{
	long long top = BACKOFF_MS;

	while (tries-- > 0 && top < BACKOFF_CAP_MS)
		top *= 2;
	if (top > BACKOFF_CAP_MS)
		top = BACKOFF_CAP_MS;
	return (long long)arc4random_uniform((unsigned)top + 1);
}

/* False: stop, something ended the work in hand. */
static bool
pause_for(struct provider *p, long long ms)
{
	long long end = file_now_ms() + ms, left;

	while ((left = end - file_now_ms()) > 0)
		if (on_wait(p, NULL, 0, (int)left) != 0)
			return false;
	return true;
}

/* May this failure be tried again, and after how long?  -1: no. */
static long long
retry_in(struct exchange *x, long long tries)
{
	const struct settings *s = x->p->set;
	struct failure *f = &x->failure;

	if (answer_started(x->p->answer) || !f->again)
		return -1;
	if (f->loading)
		return x->p->set->first_ms > 0 &&
		    tries * LOADING_MS > x->p->set->first_ms ? -1 : LOADING_MS;
	if (tries >= s->max_retries)
		return -1;
	if (f->wait_ms > s->max_retry_after_ms) {
		buf_fmt(&f->message, "; it asks to wait %lld s, longer than "
		    "provider.max_retry_after (%lld s)", f->wait_ms / 1000,
		    s->max_retry_after_ms / 1000);
		return -1;
	}
	return f->wait_ms >= 0 ? f->wait_ms : backoff_ms(tries);
}

/* Attempts until there is an answer, or a failure that stays. */
static void
persist(struct exchange *x)
{
	long long tries = 0, looks = 0;

	for (;;) {
		long long ms;
		unsigned quirk;

		attempt(x);
		if (x->failure.code == NULL || x->p->flags != 0)
			return;
		quirk = quirks_learn(x->p->quirks, x->reply.status,
		    buf_view(&x->raw), buf_view(&x->body));
		if (quirk != 0 &&
		    strcmp(x->failure.code, "bad_request") == 0) {
			x->p->quirks |= quirk;
			continue;
		}
		ms = retry_in(x, x->failure.loading ? looks : tries);
		if (ms < 0)
			return;
		if (x->failure.loading)
			looks++;
		else
			tries++;
		put_progress(x->p, &x->failure, tries, ms);
		if (!pause_for(x->p, ms)) {
			failure_set(&x->failure, "interrupted", false, false,
			    "cancelled");
			x->failure.partial = true;
			return;
		}
	}
}

/* ---- the outcome ---- */

/* The server read far less than we sent: it cut the request and said
 * nothing. */
static void
check_silent_cut(struct provider *p, const struct ask *ask)
{
	long long told = answer_prompt_tokens(p->answer);

	if (p->warned || told <= 0 || ask->estimate < 2048 ||
	    told * 2 > ask->estimate)
		return;
	p->warned = true;
	err_say("the server read %lld tokens of about %lld; it seems to cut "
	    "long requests silently, so give it a larger window or set "
	    "context.window", told, ask->estimate);
}

static void
put_answer(struct exchange *x)
{
	struct provider *p = x->p;
	long long now = file_now_ms();
	struct answer_facts facts = { .api = p->set->api->name, .model = p->set->model,
		.ms = now - x->started,
		.ttft_ms = x->first > 0 ? x->first - x->started : -1 };
	struct slice block = answer_end(p->answer, false);
	struct json *usage = answer_usage_record(p->answer);

	if (usage != NULL)
		stage_put_json(p->stage, R_USAGE, usage);
	if (block.n > 0) {
		struct json *partial = json_object();

		json_slice(partial, "content", block);
		failure_set(&x->failure, "malformed_tool_call", true, false,
		    "the model wrote a tool call that cannot be read");
		provider_fail(p, &x->failure, partial);
		return;
	}
	check_silent_cut(p, x->ask);
	stage_put_json(p->stage, R_ASSISTANT, answer_message(p->answer,
	    &p->ids, &facts));
}

static void
put_failure(struct exchange *x)
{
	struct json *partial = NULL;

	/* nobody is there to read it */
	if (x->p->flags & (STAGE_EOF | STAGE_CLOSED))
		return;
	if (x->failure.partial) {
		answer_end(x->p->answer, true);
		partial = answer_partial(x->p->answer);
	}
	provider_fail(x->p, &x->failure, partial);
}

static void
no_server(struct provider *p, struct err *e)
{
	struct failure f;

	if (p->stage->mode != STAGE_RESIDENT) {
		server_say_none();
		stage_status(p->stage, ST_CONFIG);
		return;
	}
	failure_init(&f);
	failure_set(&f, "network", false, false, "%s", e->text);
	provider_fail(p, &f, NULL);
	failure_release(&f);
}

void
exchange(struct provider *p, const struct ask *ask)
{
	const struct settings *s = p->set;
	struct exchange x = { .p = p, .ask = ask };
	struct err e;
	char *path;

	if (server_find(p, &e) < 0) {
		no_server(p, &e);
		return;
	}
	ids_note_all(&p->ids, ask->messages,
	    messages_known(&p->past, ask->messages));
	if (p->answer == NULL)
		p->answer = answer_new(s->dialect, provider_delta, p);
	sse_init(&x.sse, s->max_line, s->max_event);
	x.sse.lines = s->api->lines;
	api_stream_init(&x.stream);
	buf_init(&x.body, (size_t)1 << 40);
	buf_init(&x.raw, s->max_body > ERROR_BODY_MAX ? s->max_body :
	    ERROR_BODY_MAX);
	failure_init(&x.failure);
	path = s->api->path(s->model, s->stream);
	x.url = server_url(s->base_url, path);
	free(path);
	x.where = settings_where(s->base_url);
	persist(&x);
	if (x.failure.code == NULL)
		put_answer(&x);
	else
		put_failure(&x);
	sse_release(&x.sse);
	api_stream_release(&x.stream);
	buf_release(&x.body);
	buf_release(&x.raw);
	failure_release(&x.failure);
	free(x.url);
	free(x.where);
}
