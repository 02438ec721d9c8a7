/* exchange.c - a request and its answer, with the retries between. */
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "cassette.h"
#include "file.h"
#include "key.h"
#include "mem.h"
#include "quirks.h"
#include "server.h"

#define BACKOFF_MS 500
#define BACKOFF_CAP_MS 30000
#define LOADING_MS 1000		/* between two looks at a loading server */

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
		if (attempt_wait(p, NULL, 0, (int)left) != 0)
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

/* What the failure tells of the server, if a request without that may do; 0:
 * nothing. */
static unsigned
learn(const struct exchange *x)
{
	const struct failure *f = &x->failure;
	struct slice words = x->raw.len > 0 ? buf_view(&x->raw) :
	    buf_view(&f->message);
	unsigned quirk;

	if (answer_started(x->p->answer))
		return 0;
	if (!(x->p->quirks & QUIRK_NO_TOOLS) && x->ask->tools.n > 2 &&
	    x->p->set->dialect == DIALECT_AUTO && failure_is_no_tools(words))
		return QUIRK_NO_TOOLS;
	quirk = quirks_learn(x->p->quirks, x->reply.status, words,
	    buf_view(&x->body));
	if (strcmp(f->code, "bad_request") == 0 || x->reply.status == 500 ||
	    quirk == QUIRK_NO_STREAM)
		return quirk;
	return 0;
}

static void
say_no_tools(struct exchange *x)
{
	char *words = xasprintf("%s has no tool calls of its own; it is told "
	    "the tools as text, in the dialect hermes (provider.tool_dialect)",
	    *x->p->set->model != '\0' ? x->p->set->model : x->where);

	provider_say(x->p, words);
	free(words);
}

/* Attempts until there is an answer, or a failure that stays. */
static void
persist(struct exchange *x)
{
	long long tries = 0, looks = 0;

	for (;;) {
		long long ms;
		unsigned quirk;

		attempt_do(x);
		if (x->failure.code == NULL || x->p->flags != 0) {
			cassette_add(x, false);
			return;
		}
		quirk = learn(x);
		if (quirk != 0) {
			x->p->quirks |= quirk;
			if (quirk == QUIRK_NO_TOOLS)
				say_no_tools(x);
			cassette_add(x, true);
			continue;
		}
		ms = retry_in(x, x->failure.loading ? looks : tries);
		cassette_add(x, ms >= 0);
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
 * nothing.  Tokens out of its cache are often counted apart. */
static void
check_silent_cut(struct provider *p, const struct ask *ask)
{
	long long told = answer_prompt_tokens(p->answer);
	char *words;

	if (p->warned || told <= 0 || ask->estimate < 2048 ||
	    told * 2 > ask->estimate)
		return;
	p->warned = true;
	words = xasprintf("the server read %lld tokens of about %lld; it seems "
	    "to cut long requests silently, so give it a larger window or set "
	    "context.window", told, ask->estimate);
	if (p->stage->mode == STAGE_RESIDENT)
		provider_say(p, words);
	else
		err_say("%s", words);
	free(words);
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
	struct prices prices = prices_find(p->set->conf, p->set->prices_key,
	    p->set->model);
	struct json *usage = answer_usage_record(p->answer, &prices);

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
	if (answer_starved(p->answer)) {
		failure_set(&x->failure, "context_overflow", false, false,
		    "%s stopped for length before the first token: the "
		    "context is full", x->where);
		provider_fail(p, &x->failure, NULL);
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
	if (strcmp(x->failure.code, "auth") == 0)
		settings_key_words(x->p->set, &x->failure.message);
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
	struct exchange x = { .p = p, .ask = ask };
	struct err e;

	if (server_find(p, &e) < 0) {
		no_server(p, &e);
		return;
	}
	ids_note_all(&p->ids, ask->messages,
	    messages_known(&p->past, ask->messages));
	attempt_init(&x);
	persist(&x);
	if (x.failure.code == NULL)
		put_answer(&x);
	else
		put_failure(&x);
	attempt_release(&x);
}

/* The API of a cassette: ours, the adapter in hand, or one found by name. */
static int
speak(struct provider *p, const char *api)
{
	struct settings *s = p->set;
	struct failure f;
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
	s->adapter = path == NULL ? NULL : adapter_open(path, s->max_body, &e);
	free(path);
	if (s->adapter != NULL) {
		s->api = adapter_api(s->adapter);
		return 0;
	}
	s->api = &api_openai;
	failure_init(&f);
	failure_set(&f, "bad_request", false, false, "the cassette was "
	    "recorded with the adapter %.60s.jq; give it with --api%s%s", api,
	    *e.text != '\0' ? ": " : "", e.text);
	provider_fail(p, &f, NULL);
	failure_release(&f);
	return -1;
}

void
exchange_play(struct provider *p, const struct ask *ask, struct slice line)
{
	struct exchange x = { .p = p, .ask = ask };
	char *api = scan_strdup(scan_get(line, "api"));
	int r = api != NULL ? speak(p, api) : 0;

	free(api);
	if (r < 0)
		return;
	ids_note_all(&p->ids, ask->messages, 0);
	attempt_init(&x);
	attempt_play(&x, line, p->set->replay_chunk);
	if (x.failure.code == NULL)
		put_answer(&x);
	else
		put_failure(&x);
	attempt_release(&x);
}
