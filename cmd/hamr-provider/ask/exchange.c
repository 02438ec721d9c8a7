/* exchange.c - a request and its answer, with the retries between. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "request/quirks.h"

#include "discover.h"
#include "exchange.h"

#define BACKOFF_MS 500
#define BACKOFF_CAP_MS 30000
#define LOADING_MS 1000		/* between two looks at a loading server */
#define SHOWN ((size_t)40)	/* bytes before what is wrong in a call */
#define COUNTED_WHOLE 2		/* requests that show how a server counts */

/* ---- retries ---- */

/* May this failure be tried again, and after how long?  -1: no. */
static long long
retry_in(struct exchange *x, long long tries)
{
	const struct settings *s = x->p->set;
	struct failure *f = &x->failure;
	long long top = BACKOFF_MS;
	unsigned r;

	if (x->p->answer->started || !f->again)
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
	/* full jitter: anything up to the doubled step */
	while (tries-- > 0 && top < BACKOFF_CAP_MS)
		top *= 2;
	if (top > BACKOFF_CAP_MS)
		top = BACKOFF_CAP_MS;
	/* else there is no wait, once */
	if (getentropy(&r, sizeof r) < 0)
		r = 0;
	return r % (top + 1);
}

/* What the failure tells of the server, if a request without that may do; 0:
 * nothing. */
static unsigned
learn(const struct exchange *x)
{
	const struct failure *f = &x->failure;
	const struct settings *s = x->p->set;
	struct slice words = x->raw.len > 0 ? buf_view(&x->raw) :
	    buf_view(&f->message);
	unsigned quirk;

	if (x->p->answer->started)
		return 0;
	if (!(x->p->quirks & QUIRK_NO_TOOLS) && x->ask->tools.n > 2 &&
	    s->dialect == DIALECT_AUTO && words_no_tools(words)) {
		provider_say(x->p, "%s does not support tool calls; the tools "
		    "are described to it as text, in the hermes dialect "
		    "(provider.tool_dialect)", *s->model != '\0' ? s->model :
		    x->where);
		return QUIRK_NO_TOOLS;
	}
	quirk = quirks_learn(x->p->quirks, x->reply.status, words,
	    buf_view(&x->body));
	return strcmp(f->code, "bad_request") == 0 ||
	    x->reply.status == 500 || quirk == QUIRK_NO_STREAM ? quirk : 0;
}

/* Attempts until there is an answer, or a failure that stays. */
static void
persist(struct exchange *x)
{
	struct failure *f = &x->failure;
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	long long tries = 0, looks = 0;
	unsigned quirk = 0;

	for (;;) {
		long long ms;
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
		/* what did not help is not how this server is */
		if (strcmp(f->code, "bad_request") == 0)
			x->p->quirks &= ~last;
		ms = retry_in(x, f->loading ? looks : tries);
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
		buf_fmt(&line, ",\"wait_ms\":%lld", ms);
		scan_put(&line, ",'message':@}", buf_view(&f->message));
		provider_put(x->p, R_PROGRESS, &line);
		if (!provider_pause(x->p, ms)) {
			failure_set(f, "interrupted", "cancelled");
			f->partial = true;
			return;
		}
	}
}

/* ---- the outcome ---- */

/* The server read far less than we sent: it cut the request, or did not count
 * what was in its cache.  One that counted whole requests before counts its
 * cache, so it did cut, and did not answer this request; what it ever read is
 * the window that is known of.  Else only warn. */
static bool
was_cut(struct exchange *x)
{
	static const char words[] = "the server read %lld tokens of about "
	    "%lld; it seems to cut long requests silently, so give it a larger "
	    "window or set context.window";
	struct provider *p = x->p;
	long long sent = x->ask->estimate;
	const struct usage *u = &p->answer->usage;
	/* at most: those of the cache may be counted twice */
	long long told = u->prompt + (u->cached > 0 ? u->cached : 0);
	bool counts = p->counted_whole >= COUNTED_WHOLE;

	/* an image is estimated at what the dearest server takes for it */
	if (u->prompt < 0 || told == 0 || sent < 2048 ||
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
		provider_say(p, words, told, sent);
	else if (!p->warned)
		err_say(words, told, sent);
	p->warned = true;
	return counts;
}

/* Why no call could be made of what the model wrote: where its JSON ends to be
 * any, if that is why. */
static void
set_malformed(struct failure *f, struct slice block)
{
	struct slice json = slice_from(block, slice_find(block, 0, "{"));
	struct scan s = { 0 };
	const char *p = json.p;
	size_t from;

	json.n = slice_find(json, 0, "</");
	if (json.n == 0 || scan_record(&s, p, json.n) == 0) {
		failure_set(f, "malformed_tool_call", "the model's tool call "
		    "could not be parsed");
	} else {
		from = s.at > SHOWN ? s.at - SHOWN : 0;
		while (from < s.at && (p[from] & 0xc0) == 0x80)
			from++;
		failure_set(f, "malformed_tool_call", "the model's tool call "
		    "is not valid JSON: %s after: %.*s", s.why,
		    (int)(s.at - from), p + from);
	}
	scan_release(&s);
}

static void
put_answer(struct exchange *x)
{
	struct provider *p = x->p;
	struct answer_facts facts = { .api = p->set->api->name,
		.model = p->set->model, .ms = file_now_ms() - x->started,
		.ttft_ms = x->first > 0 ? x->first - x->started : -1 };
	struct slice block = answer_end(p->answer, false);
	struct prices prices = prices_find(p->set->conf, p->set->prices_key,
	    p->set->model);
	struct buf line = BUF_INIT((size_t)1 << 40);

	if (answer_usage_record(p->answer, &prices, &line))
		provider_put(p, R_USAGE, &line);
	if (block.n > 0) {
		scan_put(&line, "{'content':@}", block);
		set_malformed(&x->failure, block);
		provider_fail(p, &x->failure, buf_view(&line));
		buf_release(&line);
	} else if (answer_starved(p->answer)) {
		failure_set(&x->failure, "context_overflow", "%s stopped for "
		    "length before the first token: the context is full",
		    x->where);
		provider_fail(p, &x->failure, SLICE(""));
	} else if (was_cut(x)) {
		answer_partial(p->answer, &line);
		provider_fail(p, &x->failure, buf_view(&line));
		buf_release(&line);
	} else {
		answer_message(p->answer, &p->ids, &facts, &line);
		provider_put(p, R_ASSISTANT, &line);
	}
}

/* What came of it; nobody may be there to read a failure. */
static void
put_outcome(struct exchange *x)
{
	struct buf partial = BUF_INIT((size_t)1 << 40);

	if (x->failure.code == NULL)
		put_answer(x);
	else if (!(x->p->flags & (STAGE_EOF | STAGE_CLOSED))) {
		if (x->failure.partial) {
			answer_end(x->p->answer, true);
			answer_partial(x->p->answer, &partial);
		}
		if (strcmp(x->failure.code, "auth") == 0)
			settings_key_words(x->p->set, &x->failure.message);
		provider_fail(x->p, &x->failure, buf_view(&partial));
	}
	buf_release(&partial);
	attempt_release(x);
}

void
exchange(struct provider *p, const struct ask *ask)
{
	struct exchange x = { .p = p, .ask = ask };
	struct err e;

	if (server_find(p, &e) == 0) {
		ids_note_all(&p->ids, ask->messages,
		    messages_known(&p->past, ask->messages));
		attempt_init(&x);
		persist(&x);
		put_outcome(&x);
	} else if (p->stage->mode == STAGE_RESIDENT)
		provider_refuse(p, "network", SLICE(""), "%s", e.text);
	else {
		server_say_none();
		stage_status(p->stage, ST_CONFIG);
	}
}

/* The API of a cassette: ours, the adapter in hand, or one found by name. */
static int
speak(struct provider *p, const char *api)
{
	struct settings *s = p->set;
	struct err e = { .text = "" };
	char *path;

	if (s->adapter != NULL && strcmp(adapter_api(s->adapter)->name,
	    api) == 0)
		s->api = adapter_api(s->adapter);
	else if (api_named(api) != NULL)
		s->api = api_named(api);
	if (strcmp(s->api->name, api) == 0)
		return 0;
	path = adapter_is_path(api) ? NULL : adapter_path(api);
	adapter_free(s->adapter);
	s->adapter = path == NULL ? NULL :
	    adapter_open(path, s->http.max_body, &e);
	free(path);
	if (s->adapter != NULL) {
		s->api = adapter_api(s->adapter);
		return 0;
	}
	s->api = &api_openai;
	provider_refuse(p, "bad_request", SLICE(""), "the cassette was "
	    "recorded with the adapter %.60s.jq; give it with --api%s%s", api,
	    *e.text != '\0' ? ": " : "", e.text);
	return -1;
}

void
exchange_play(struct provider *p, const struct ask *ask, struct slice line)
{
	struct exchange x = { .p = p, .ask = ask };
	char *api = scan_strdup(scan_get(line, "api"));

	if (api == NULL || speak(p, api) == 0) {
		ids_note_all(&p->ids, ask->messages, 0);
		attempt_init(&x);
		attempt_play(&x, line, p->set->replay_chunk);
		put_outcome(&x);
	}
	free(api);
}
