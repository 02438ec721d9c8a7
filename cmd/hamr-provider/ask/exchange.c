/* exchange.c - a request and its answer: attempts, retries, and what a
 * cassette records of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/calls.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "dialect/match.h"
#include "request/quirks.h"
#include "tokens/budget.h"

#include "discover.h"
#include "exchange.h"

#define ERROR_BODY_MAX ((size_t)1 << 20)
#define LARGE 4096		/* tokens; no smaller request overflows */
#define SENT_MIN 2048		/* tokens; the outcome of a smaller request
				 * says nothing about the window */
#define BACKOFF_MS 500
#define BACKOFF_CAP_MS 30000
#define LOADING_MS 1000		/* between retries while a server loads */
#define BOM "\xef\xbb\xbf"
#define ESCAPE 6		/* bytes of \uXXXX */
#define SHOWN ((size_t)40)	/* bytes shown before the fault in a call */
#define COUNTED_WHOLE 2		/* requests that show how a server counts */

/* ---- cassettes (chapter 4.5) ----
 *
 * NDJSON, one exchange a line: {"type":"exchange","v":1,"api","request",
 * "status","end","response"}; response_hex instead if the bytes are not text.
 * Keys are blanked and headers left out.
 */

static const char *const ends[] = {
	[HTTP_DONE] = "done", [HTTP_GIVEN_UP] = "given_up",
	[HTTP_ABORTED] = "aborted", [HTTP_NETWORK] = "network",
	[HTTP_TLS] = "tls", [HTTP_TIMEOUT] = "timeout",
	[HTTP_TOO_LARGE] = "too_large", [HTTP_BAD_URL] = "bad_url",
};

/* Append this exchange to the cassette p->record, if there is one; again: it
 * will be retried, so it produced no answer. */
static void
cassette_add(struct exchange *x, bool again)
{
	struct buf line = BUF_INIT((size_t)1 << 40);
	struct buf request = BUF_INIT((size_t)1 << 40);
	int fd = x->p->record;

	if (fd < 0 || x->body.len == 0)
		return;
	json_one_line(buf_view(&x->body), &request);
	settings_redact(x->p->set, false, &request);
	settings_redact(x->p->set, false, &x->tape);
	scan_put(&line, again ? "{'type':'exchange','v':1,'api':@,'again':true"
	    : "{'type':'exchange','v':1,'api':@",
	    slice_of(x->p->set->api->name));
	scan_put(&line, ",'request':$,'status':$,'end':@", buf_view(&request),
	    SCAN_INT(x->reply.status), slice_of(ends[x->reply.end]));
	if (x->reply.why[0] != '\0')
		scan_put(&line, ",'why':@", slice_of(x->reply.why));
	/* if a JSON string cannot hold the bytes, write them in hex */
	struct slice tape = buf_view(&x->tape);
	if (utf8_check(tape.p, tape.n) == tape.n &&
	    memchr(tape.p, '\0', tape.n) == NULL)
		scan_put(&line, ",'response':@}\n", tape);
	else {
		scan_put(&line, ",'response_hex':'");
		for (size_t i = 0; i < tape.n; i++)
			buf_fmt(&line, "%02x", (unsigned char)tape.p[i]);
		buf_adds(&line, "\"}\n");
	}
	off_t end = lseek(fd, 0, SEEK_END);
	if (file_write_all(fd, line.p, line.len) < 0) {
		int why = errno;

		/* a partial line would spoil the next one too */
		(void)!(end >= 0 && ftruncate(fd, end) == 0);
		if (!x->p->warned_record)
			err_say("the cassette cannot be written: %s",
			    strerror(why));
		x->p->warned_record = true;
	}
	bufs_release(BUFS(&line, &request));
}

/* ---- receiving ---- */

static int
take_event(struct exchange *x, struct slice data)
{
	if (x->said == API_DONE || x->said == API_ERROR)
		return 1;
	x->said = api_event(x->p->set->api, &x->stream, x->answer, data,
	    &x->failure);
	if (x->first == 0 && x->answer->started)
		x->first = file_now_ms();
	if (answer_repeats(x->answer) > 0)
		x->said = API_DONE;
	return x->said == API_DONE || x->said == API_ERROR;
}

/* The escape in an event that ends a string with the first half of a surrogate
 * pair, or begins one with the second; NULL: there is none. */
static const char *
half_pair(struct slice data, bool second)
{
	const char *p = memmem(data.p, data.n, "\\u", 2) != NULL &&
	    scan_is_json(slice_trim(data)) ? scan_lone_surrogate(data) : NULL;

	if (p != NULL && (num_hex4(p + 2) >= 0xdc00) == second &&
	    (second ? p[-1] : p[ESCAPE]) == '"')
		return p;
	return NULL;
}

/* Read the event that was held back.  If data begins with the other half of
 * its pair, move the first half there: to whole, which is used instead. */
static void
take_held(struct exchange *x, struct slice *data, struct buf *whole)
{
	struct buf first = x->held;
	const char *at = half_pair(*data, true);
	bool error = x->sse.is_error;	/* is the next event one? */

	buf_init(&x->held, BUF_RECORD_MAX);
	if (at != NULL) {
		const char *half = half_pair(buf_view(&first), false);
		size_t from = (size_t)(half - first.p);

		buf_slice(whole, slice_part(*data, 0, (size_t)(at - data->p)));
		buf_add(whole, half, ESCAPE);
		buf_slice(whole, slice_from(*data, (size_t)(at - data->p)));
		memmove(first.p + from, half + ESCAPE,
		    first.len - from - ESCAPE);
		first.len -= ESCAPE;
		*data = buf_view(whole);
	}
	x->sse.is_error = false;
	take_event(x, buf_view(&first));
	x->sse.is_error = error;
	buf_release(&first);
}

/* Does the answer of a chat completion, of Gemini or of Ollama end with this
 * event, so that none may follow?  Other APIs end with an event of its own. */
static bool
is_last(struct slice data)
{
	struct slice list = scan_get(data, "choices"), one = { NULL, 0 };
	struct walk w = walk_elements(list.p != NULL ? list :
	    scan_get(data, "candidates"));

	walk_next(&w, NULL, &one);
	return scan_kind(scan_get(one, "finish_reason")) == SCAN_STRING ||
	    scan_kind(scan_get(one, "finishReason")) == SCAN_STRING ||
	    scan_true(scan_get(data, "done"));
}

static int
on_event(void *ctx, struct slice data)
{
	struct exchange *x = ctx;
	struct buf whole = BUF_INIT(BUF_RECORD_MAX);

	if (x->held.len > 0)
		take_held(x, &data, &whole);
	bool hold = !x->sse.is_error && half_pair(data, false) != NULL &&
	    !is_last(data);
	if (hold)
		buf_slice(&x->held, data);
	int stop = hold ? 0 : take_event(x, data);
	buf_release(&whole);
	return stop;
}

/* No event follows. */
static void
take_rest(struct exchange *x)
{
	if (x->held.len > 0)
		on_event(x, SLICE(""));
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

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	struct exchange *x = ctx;
	size_t lead = skip_white((struct slice){ p, n }, 0);

	if (x->p->record >= 0)
		buf_add(&x->tape, p, n);
	if (status / 100 != 2) {
		size_t room = ERROR_BODY_MAX - x->raw.len;

		buf_add(&x->raw, p, n < room ? n : room);
		return HTTP_MORE;
	}
	/* JSON starts with a bracket; an HTML page is not a stream either */
	if (x->form == FORM_UNKNOWN && begins((struct slice){ p, n }, 0, BOM))
		lead += strlen(BOM);
	if (x->form == FORM_UNKNOWN && lead < n)
		x->form = memchr("{<[", p[lead], 3) != NULL ? FORM_WHOLE :
		    FORM_SSE;
	if (x->form == FORM_WHOLE) {
		if (x->raw.len == 0) {
			p += lead;
			n -= lead;
		}
		buf_add(&x->raw, p, n);
		if (x->raw.over)
			return too_large(x);
		/* an adapter does not say whether it reads lines or one object:
		 * it reads lines if the first one is a whole value */
		const char *lf = memchr(p, '\n', n);
		if (x->p->set->api->own == NULL || lf == NULL || x->is_whole)
			return HTTP_MORE;
		x->sse.lines = scan_is_json((struct slice){ x->raw.p,
			x->raw.len - n + (size_t)(lf - p) });
		x->is_whole = !x->sse.lines;
		if (x->is_whole)
			return HTTP_MORE;
		x->form = FORM_SSE;
		p = x->raw.p;
		n = x->raw.len;
	}
	if (sse_feed(&x->sse, p, n, on_event, x) == SSE_TOO_LARGE)
		return too_large(x);
	if (answer_repeats(x->answer) > 0)
		return HTTP_ABORT;	/* it would go on forever */
	if (x->said == API_DONE || x->said == API_ERROR)
		return HTTP_LAST;
	return x->said == API_FINISHED ? HTTP_SOON : HTTP_MORE;
}

/* ---- the result of an attempt ---- */

static void
broken_off(struct exchange *x)
{
	failure_set(&x->failure, "truncated",
	    "%s ended the answer without a finish_reason", x->where);
	x->failure.partial = true;
}

/* Read a complete answer that was not streamed. */
static void
read_whole(struct exchange *x)
{
	struct slice raw = slice_trim(buf_view(&x->raw));
	const char *mark = x->p->set->api->mark;
	bool array = begins(raw, 0, "["), object = begins(raw, 0, "{") || array;
	struct scan_end end = { 0 };
	struct slice one;

	if (object && scan_end(&end, raw) == 0) {
		broken_off(x);
		return;
	}
	/* Gemini's events, where a proxy does not pass alt=sse on */
	if (array && scan_is_json(raw) && mark != NULL) {
		for (struct walk w = walk_elements(raw);
		    walk_next(&w, NULL, &one); )
			on_event(x, one);
		take_rest(x);
		if (x->said == API_MORE && x->answer->started)
			broken_off(x);
	} else if (object)
		x->said = api_event(x->p->set->api, &x->stream, x->answer,
		    raw, &x->failure);
	if (x->first == 0)
		x->first = file_now_ms();
	if (x->said == API_ERROR && x->failure.code != NULL)
		return;
	if (!object ||
	    (!x->answer->started && x->said != API_FINISHED &&
	    (mark == NULL || !slice_has(raw, mark))))
		failure_final(&x->failure, "server", "%s did not answer with a "
		    "chat completion; %s", x->where,
		    api_url_hint(x->p->set->api));
}

static void
judge(struct exchange *x)
{
	const struct http_reply *r = &x->reply;
	bool got = r->status / 100 == 2 && r->body;

	if (r->end != HTTP_DONE)
		take_rest(x);
	/* an adapter's program can be cancelled like a transfer */
	if (r->end == HTTP_GIVEN_UP || (x->failure.code != NULL &&
	    x->p->flags != 0)) {
		failure_set(&x->failure, "interrupted", "cancelled");
		x->failure.partial = true;
	} else if (r->packed && r->status / 100 == 2) {
		failure_final(&x->failure, "server", "%s sent a compressed "
		    "answer that was not asked for; turn compression off "
		    "there, or in the proxy in front of it", x->where);
	} else if (x->failure.code != NULL) {
		x->failure.partial = x->answer->fed;
	} else if (r->end != HTTP_DONE) {
		/* what follows the finish_reason does not matter */
		if (got && x->form != FORM_WHOLE &&
		    answer_finished(x->answer))
			return;
		failure_transfer(&x->failure, r, x->where);
		x->failure.partial = got;
	} else if (r->status / 100 == 2 && x->form == FORM_WHOLE) {
		read_whole(x);
	} else if (r->status / 100 == 2) {
		if ((x->said == API_MORE || x->said == API_FINISHED) &&
		    sse_end(&x->sse, on_event, x) == SSE_TOO_LARGE)
			too_large(x);
		take_rest(x);
		if (x->failure.code != NULL)
			x->failure.partial = x->answer->fed;
		else if (!answer_finished(x->answer))
			broken_off(x);
	} else {
		failure_status(&x->failure, r->status, r->packed ?
		    SLICE("a compressed answer") : buf_view(&x->raw));
		if (*r->redirect != '\0') {
			buf_adds(&x->failure.message, "; it leads to ");
			utf8_clean(&x->failure.message, r->redirect,
			    strlen(r->redirect));
		}
		if (r->status == 400 && x->raw.len == 0 &&
		    x->ask->estimate >= LARGE)
			failure_set(&x->failure, "context_overflow",
			    "HTTP 400 with an empty body; the request of about "
			    "%lld tokens is probably too large",
			    x->ask->estimate);
		/* if the body says "model", it may be what was not found */
		if (r->status == 404 && !slice_has(buf_view(&x->raw), "model"))
			buf_fmt(&x->failure.message, "; %s",
			    api_url_hint(x->p->set->api));
		if (r->wait_ms >= 0)
			x->failure.wait_ms = r->wait_ms;
	}
}

/* ---- one attempt ---- */

/* The configured limit, else the part of a known window that is reserved for
 * the answer; 0: the server decides. */
static long long
max_tokens(const struct exchange *x)
{
	static const char *const keys[] = { "max_tokens",
		"max_completion_tokens", "max_output_tokens",
		"generation_config" };
	const struct settings *s = x->p->set;
	const struct slice params[] = { slice_of(s->params), x->ask->params };
	long limit = s->window > 0 && x->p->limit < 0 ? (long)s->window :
	    x->p->limit;
	long long n = s->max_tokens, most = x->p->most_output;

	/* do params already limit the answer? */
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			if (scan_get(params[i], keys[k]).p != NULL)
				return n;
	if (n == 0 && (limit >= 0 || conf_is_set(s->conf, "context.window"))) {
		struct budget b = budget_from(s->conf, limit);
		n = b.window - b.effective;
	}
	return most > 0 && (n == 0 || n > most) ? most : n;
}

/* Make the body and the URL. */
static int
make_body(struct exchange *x)
{
	const struct settings *s = x->p->set;
	const struct api *api = s->api;
	struct buf legal = BUF_INIT((size_t)1 << 40);
	unsigned quirks = x->p->quirks;
	bool reasoning = quirks & QUIRK_REASONING ||
	    (!(quirks & QUIRK_NO_REASONING) &&
	    strcmp(s->reasoning_replay, "always") == 0);
	enum dialect_kind dialect = quirks & QUIRK_NO_TOOLS ? DIALECT_HERMES :
	    s->dialect;
	struct body b = {
		.model = s->model,
		.stream = s->stream && !(quirks & QUIRK_NO_STREAM),
		.rules = {
			.system_in_place = s->system_in_place &&
			    !api->one_system,
			.reasoning = reasoning,
			.details = dialect <= DIALECT_NONE &&
			    (reasoning || (quirks & QUIRK_DETAILS)),
			.no_images = s->no_images ||
			    (quirks & QUIRK_NO_IMAGES),
			.user_images = quirks & QUIRK_USER_IMAGES,
			.carry = !api->chat && api->own == NULL,
			.short_ids = quirks & QUIRK_SHORT_IDS,
			.plain_ids = api->plain_ids,
			.plain_names = dialect <= DIALECT_NONE &&
			    (quirks & QUIRK_PLAIN_NAMES),
		},
		.dialect = dialect,
		.temperature = s->temperature, .max_tokens = max_tokens(x),
		.window = s->window, .quirks = quirks,
		.conf_params = slice_of(s->params),
		.messages = x->ask->messages, .tools = x->ask->tools,
		.tool_choice = x->ask->tool_choice, .params = x->ask->params,
		.cache = &x->p->cache,
	};
	int r = 0;

	if (!api->chat) {
		body_messages(&b, &legal);
		/* tools described as text are not sent again as a field */
		if (b.dialect > DIALECT_NONE)
			b.tools = b.tool_choice = (struct slice){ NULL, 0 };
	}
	if (api->own != NULL) {		/* it also sets the URL's path */
		r = adapter_request(api->own, &b, buf_view(&legal), &s->headers,
		    s->key, &x->call, &x->body, &x->failure);
		x->url = server_url(s->base_url, r == 0 ? x->call.path : "");
	} else {
		char *path = api->path != NULL ? xstrdup(api->path) :
		    api->model_path(s->model, b.stream);
		x->url = server_url(s->base_url, path);
		free(path);
		api->body(&b, buf_view(&legal), &x->body);
	}
	buf_release(&legal);
	return r;
}

void
attempt_release(struct exchange *x)
{
	struct texts *headers = &x->call.headers;

	answer_free(x->answer);
	sse_release(&x->sse);
	scan_release(&x->stream.scan);
	bufs_release(BUFS(&x->body, &x->raw, &x->tape, &x->stream.text,
	    &x->stream.mark, &x->held));
	failure_release(&x->failure);
	for (size_t i = 0; i < headers->n; i++)	/* one may hold the key */
		explicit_bzero(headers->v[i], strlen(headers->v[i]));
	texts_release(headers);
	FREE(x->call.method, x->call.path, x->url, x->where);
}

/* Prepare an attempt.  -1: it cannot be sent; x->failure says why. */
static int
begin(struct exchange *x)
{
	const struct settings *s = x->p->set;
	size_t max = s->http.max_body > ERROR_BODY_MAX ? s->http.max_body :
	    ERROR_BODY_MAX;

	attempt_release(x);	/* the last one */
	*x = (struct exchange){ .p = x->p, .ask = x->ask,
		.form = s->api->lines ? FORM_SSE : FORM_UNKNOWN,
		.where = settings_where(s->base_url),
		.started = file_now_ms() };
	/* a replayed answer may call tools anyway (chapter 4.5) */
	x->answer = answer_new(s->dialect, x->ask->tools,
	    x->p->replay == NULL && scan_str_is(x->ask->tool_choice, "none"),
	    s->repeat_limit, provider_delta, x->p);
	sse_init(&x->sse, s->max_line, s->max_event);
	x->sse.lines = s->api->lines;
	x->stream.sse = &x->sse;
	api_stream_reset(&x->stream);
	bufs_init(BUFS(&x->stream.text, &x->stream.mark, &x->held),
	    BUF_RECORD_MAX);
	buf_init(&x->body, (size_t)1 << 40);
	bufs_init(BUFS(&x->raw, &x->tape), max);
	failure_init(&x->failure);
	if (s->api->own != NULL)
		adapter_wait(s->api->own, provider_wait, x->p);
	return make_body(x);
}

void
attempt_do(struct exchange *x)
{
	struct http_call call = { .sink = on_body, .ctx = x,
		.wait = provider_wait, .wait_ctx = x->p };

	if (begin(x) == 0) {
		const struct texts *headers = x->call.method != NULL ?
		    &x->call.headers : &x->p->set->headers;

		call.url = x->url;
		call.method = x->call.method;
		call.headers = (const char *const *)headers->v;
		call.nheaders = headers->n;
		if (call.method == NULL || strcmp(call.method, "GET") != 0)
			call.body = buf_view(&x->body);
		http_do(server_http(x->p), &call, &x->reply);
	}
	judge(x);
}

/* ---- retries ---- */

/* Milliseconds until this failure may be retried; -1: never. */
static long long
retry_in(struct exchange *x, long long tries)
{
	const struct settings *s = x->p->set;
	struct failure *f = &x->failure;
	long long top = BACKOFF_MS;
	unsigned r;

	if (x->answer->started || !f->again)
		return -1;
	if (f->loading)
		return s->http.first_ms > 0 && tries * LOADING_MS >
		    s->http.first_ms ? -1 : LOADING_MS;
	if (tries >= s->max_retries)
		return -1;
	if (f->wait_ms > s->max_retry_after_ms) {
		buf_fmt(&f->message, "; the server asks for a wait of %lld s, "
		    "more than provider.max_retry_after (%lld s)",
		    f->wait_ms / 1000, s->max_retry_after_ms / 1000);
		return -1;
	}
	if (f->wait_ms >= 0)
		return f->wait_ms;
	/* full jitter: any time up to the doubled step */
	while (tries-- > 0 && top < BACKOFF_CAP_MS)
		top *= 2;
	if (top > BACKOFF_CAP_MS)
		top = BACKOFF_CAP_MS;
	/* without random bytes, retry at once */
	if (getentropy(&r, sizeof r) < 0)
		r = 0;
	return r % (top + 1);
}

/* The quirk that the failure reveals, if a request that respects it may
 * work; 0: none. */
static unsigned
learn(const struct exchange *x)
{
	const struct failure *f = &x->failure;
	const struct settings *s = x->p->set;
	struct slice words = x->raw.len > 0 ? buf_view(&x->raw) :
	    buf_view(&f->message);

	if (x->answer->started)
		return 0;
	unsigned quirk = words_no_tools(words) ?
	    QUIRK_NO_TOOLS & ~x->p->quirks : quirks_learn(x->p->quirks,
	    x->reply.status, words, buf_view(&x->body));
	if (quirk == QUIRK_NO_TOOLS) {
		if (x->ask->tools.n <= 2 || s->dialect != DIALECT_AUTO)
			return 0;
		provider_notice(x->p, "%s does not support tool calls; the "
		    "tools are described to it as text, in the hermes dialect "
		    "(provider.tool_dialect)", *s->model != '\0' ? s->model :
		    x->where);
		return quirk;
	}
	long long most = strcmp(f->code, "bad_request") == 0 ?
	    quirks_most_output(words, buf_view(&x->body)) : 0;
	if (most > 0 && (most < x->p->most_output || x->p->most_output == 0)) {
		x->p->most_output = most;
		return QUIRK_LESS_OUTPUT;
	}
	if (quirk == QUIRK_NO_IMAGES)
		provider_notice(x->p, "%s accepts no images; a text stands for "
		    "each (provider.vision)", *s->model != '\0' ? s->model :
		    x->where);
	/* no other API of ours has another name for it */
	if (!s->api->chat && s->api->own == NULL)
		quirk &= ~(unsigned)(QUIRK_COMPLETION_TOKENS |
		    QUIRK_PLAIN_MAX_TOKENS);
	return strcmp(f->code, "bad_request") == 0 ||
	    x->reply.status == 500 || quirk == QUIRK_NO_STREAM ? quirk : 0;
}

/* Try until there is an answer or a permanent failure. */
static void
persist(struct exchange *x)
{
	struct failure *f = &x->failure;
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	long long tries = 0, looks = 0;
	unsigned quirk = 0;

	for (;;) {
		unsigned last = quirk;

		attempt_do(x);
		if (f->code == NULL || x->p->flags != 0) {
			cassette_add(x, false);
			return;
		}
		quirk = learn(x);
		if (quirk != 0) {
			x->p->quirks |= quirk;
			cassette_add(x, true);
			continue;
		}
		/* respecting it did not help, so the server lacks this quirk */
		if (strcmp(f->code, "bad_request") == 0)
			x->p->quirks &= ~last;
		long long ms = retry_in(x, f->loading ? looks : tries);
		cassette_add(x, ms >= 0);
		if (ms < 0)
			return;
		settings_redact(x->p->set, false, &f->message);
		scan_put(&line, "{'type':'progress','stage':'provider',"
		    "'code':@", slice_of(f->code));
		if (f->loading)
			looks++;
		else
			buf_fmt(&line, ",\"attempt\":%lld,\"of\":%lld",
			    ++tries, x->p->set->max_retries);
		scan_put(&line, ",'wait_ms':$,'message':@}", SCAN_INT(ms),
		    buf_view(&f->message));
		provider_put(x->p, R_PROGRESS, &line);
		if (!provider_pause(x->p, ms)) {
			failure_set(f, "interrupted", "cancelled");
			f->partial = true;
			return;
		}
	}
}

/* ---- the outcome ---- */

/* Did the server read far less than we sent?  Then it cut the request, or did
 * not count cached tokens.  If it counted whole requests before, it counts
 * those, so it cut this one: fail, with the most it ever read as the window.
 * Otherwise only warn. */
static bool
was_cut(struct exchange *x)
{
	static const char words[] = "the server read %lld tokens of about "
	    "%lld; it seems to cut long requests silently, so give it a larger "
	    "window or set context.window";
	struct provider *p = x->p;
	long long sent = x->ask->estimate;
	const struct usage *u = &x->answer->usage;
	/* an upper bound: cached tokens may be counted twice */
	long long told = u->prompt + (u->cached > 0 ? u->cached : 0);
	bool counts = p->counted_whole >= COUNTED_WHOLE;

	/* an image is estimated at its cost on the most expensive server */
	if (u->prompt < 0 || told == 0 || sent < SENT_MIN ||
	    slice_has(x->ask->messages, "\"image_url\""))
		return false;
	if (told > p->most_read)
		p->most_read = told;
	if (told * 2 > sent) {
		p->counted_whole += told * 4 >= sent * 3;
		return false;
	}
	p->counted_whole = 0;
	if (counts) {
		failure_set(&x->failure, "context_overflow", words, told, sent);
		x->failure.limit = p->most_read;
	} else if (!p->warned && p->stage->mode == STAGE_RESIDENT)
		provider_notice(p, words, told, sent);
	else if (!p->warned)
		err_say(words, told, sent);
	p->warned = true;
	return counts;
}

/* Put the usage.  Then is the answer one that may not be used?  If so, say why
 * in x->failure, with what arrived in partial. */
static void
check_answer(struct exchange *x, struct buf *partial)
{
	struct provider *p = x->p;
	struct slice block = answer_end(x->answer, false);
	struct prices prices;
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct scan s = { 0 };

	prices_find(p->set->conf, p->set->prices_key, p->set->model, &prices,
	    NULL);
	if (answer_usage_record(x->answer, &prices, &line))
		provider_put(p, R_USAGE, &line);
	if (block.n > 0) {
		/* if its JSON is invalid, say where */
		struct slice json = slice_from(block, slice_find(block, 0,
		    "{"));
		json.n = slice_find(json, 0, "</");
		if (json.n == 0 || scan_record(&s, json.p, json.n) == 0) {
			failure_set(&x->failure, "malformed_tool_call",
			    "the model's tool call could not be parsed");
		} else {
			json.n = s.at;
			json = utf8_last(json, SHOWN);
			failure_set(&x->failure, "malformed_tool_call",
			    "the model's tool call is not valid JSON: %s "
			    "after: %.*s", s.why, (int)json.n, json.p);
		}
		scan_release(&s);
		scan_put(partial, "{'content':@}", block);
	} else if (answer_lacked_room(x->answer)) {
		failure_set(&x->failure, "context_overflow", "%s stopped for "
		    "length before the first token: the context is full",
		    x->where);
	} else if (was_cut(x))
		answer_partial(x->answer, partial);
}

/* Write the outcome; a failure may have no reader left. */
static void
put_outcome(struct exchange *x)
{
	struct provider *p = x->p;
	struct failure *f = &x->failure;
	struct answer_facts facts = { .api = p->set->api->name,
		.model = p->set->model, .ms = file_now_ms() - x->started,
		.ttft_ms = x->first > 0 ? x->first - x->started : -1 };
	struct buf out = BUF_INIT((size_t)1 << 40);
	long long sent = x->ask->estimate;
	bool late = f->code == NULL;

	if (late)
		check_answer(x, &out);
	if (f->code == NULL) {
		answer_message(x->answer, &p->ids, &facts, &out);
		provider_put(p, R_ASSISTANT, &out);
	} else if (late || !(p->flags & (STAGE_EOF | STAGE_CLOSED))) {
		if (f->partial) {
			answer_end(x->answer, true);
			answer_partial(x->answer, &out);
		}
		/* if an overflow names no number, the window is at most what
		 * we sent */
		if (strcmp(f->code, "context_overflow") == 0 && f->limit == 0 &&
		    sent >= SENT_MIN &&
		    sent < budget_from(p->set->conf, p->limit).window)
			f->limit = sent;
		if (strcmp(f->code, "auth") == 0)
			settings_key_words(p->set, &f->message);
		provider_fail(p, f, buf_view(&out));
	}
	buf_release(&out);
	attempt_release(x);
}

void
exchange(struct provider *p, const struct ask *ask)
{
	struct exchange x = { .p = p, .ask = ask };
	struct err e;

	if (server_find(p, &e) == 0) {
		server_fit_window(p);
		ids_note_all(&p->ids, ask->messages,
		    messages_cached(&p->cache, ask->messages));
		persist(&x);
		if (p->window_later && x.failure.code == NULL) {
			server_put_limit(p);
			p->window_later = false;	/* ask only once */
		}
		put_outcome(&x);
	} else if (p->stage->mode == STAGE_RESIDENT)
		provider_fail_final(p, "network", SLICE(""), "%s", e.text);
	else {
		server_report_none();
		stage_status(p->stage, ST_CONFIG);
	}
}

/* Switch to the API of a cassette: a built-in one, the adapter already loaded,
 * or an adapter found by name. */
static int
speak(struct provider *p, const char *api)
{
	struct settings *s = p->set;
	struct err e = { .text = "" };

	if (s->adapter != NULL && strcmp(s->adapter->name, api) == 0)
		s->api = s->adapter;
	else if (api_named(api) != NULL)
		s->api = api_named(api);
	if (strcmp(s->api->name, api) == 0)
		return 0;
	char *path = adapter_is_path(api) ? NULL : adapter_path(api);
	adapter_free(s->adapter);
	s->adapter = path == NULL ? NULL :
	    adapter_open(path, s->http.max_body, &e);
	free(path);
	if (s->adapter != NULL) {
		s->api = s->adapter;
		return 0;
	}
	s->api = &api_openai;
	provider_fail_final(p, "bad_request", SLICE(""), "the cassette was "
	    "recorded with the adapter %.60s.jq; give it with --api%s%s", api,
	    *e.text != '\0' ? ": " : "", e.text);
	return -1;
}

void
exchange_play(struct provider *p, const struct ask *ask, struct slice line)
{
	struct exchange x = { .p = p, .ask = ask };
	struct http_reply *r = &x.reply;
	struct buf all = BUF_INIT((size_t)1 << 40), hex = all;
	struct buf why = BUF_INIT(sizeof r->why - 1);
	char *api = scan_strdup(scan_get(line, "api"));
	bool spoken = api == NULL || speak(p, api) == 0;
	size_t chunk = p->set->replay_chunk;
	enum http_next next = HTTP_MORE;
	int64_t n;

	free(api);
	if (!spoken)
		return;
	ids_note_all(&p->ids, ask->messages, 0);
	if (begin(&x) == 0) {
		if (!scan_str(scan_get(line, "response"), &all) &&
		    scan_str(scan_get(line, "response_hex"), &hex))
			for (size_t i = 0; i + 1 < hex.len; i += 2)
				buf_addc(&all, (char)(num_hex(hex.p[i]) * 16 +
				    num_hex(hex.p[i + 1])));
		*r = (struct http_reply){ .end = HTTP_DONE, .wait_ms = -1 };
		if (scan_int(scan_get(line, "status"), &n))
			r->status = (long)n;
		for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
			if (scan_str_is(scan_get(line, "end"), ends[i]))
				r->end = (enum http_end)i;
		if (scan_str(scan_get(line, "why"), &why) && why.len > 0)
			memcpy(r->why, why.p, why.len + 1);
		r->body = all.len > 0;
		chunk = chunk > 0 ? chunk : all.len;
		for (size_t at = 0; at < all.len && next != HTTP_ABORT &&
		    next != HTTP_LAST; at += chunk)
			next = on_body(&x, r->status, all.p + at,
			    num_min(all.len - at, chunk));
		bufs_release(BUFS(&all, &hex, &why));
	}
	judge(&x);
	put_outcome(&x);
}
