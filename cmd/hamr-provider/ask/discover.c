/* discover.c - which server, which model, how large its window is. */
#include <stdlib.h>
#include <string.h>

#include "api/adapter.h"
#include "api/form.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "dialect/match.h"
#include "request/quirks.h"
#include "term/term.h"

#include "discover.h"
#include "exchange.h"

#define LOOK_MS 200		/* for each server on this machine */
#define MODELS_MS 2000
#define SYNC_MS 300
#define REPLY_MAX ((size_t)16 << 20)
#define NONE_FOUND "no model server found at 127.0.0.1:8080 (llama.cpp), " \
	":11434 (Ollama) or :1234 (LM Studio)"
#define TRY_TOKENS 64
#define TRY_MESSAGES "[{\"role\":\"user\",\"content\":\"Call the tool ping.\"}]"
#define TRY_TOOLS "[{\"type\":\"function\",\"function\":{\"name\":\"ping\"," \
	"\"description\":\"Answers pong.\",\"parameters\":{" \
	"\"type\":\"object\",\"properties\":{}}}}]"

/* The keys that may name an entry of a list of models. */
static const char *const names[] = { "id", "model", "name" };

/* ---- finding ---- */

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	(void)status;
	return buf_add(ctx, p, n) < 0 ? HTTP_ABORT : HTTP_MORE;
}

/* GET path, or POST a body.  True when the answer is status 200 and one JSON
 * object or list, then in out.  The list of models, which --probe needs three
 * times, is fetched once. */
static bool
get(struct provider *p, const char *base, const char *path,
    struct slice body, long max_ms, struct buf *out, struct http_reply *r)
{
	bool list = p->stage == NULL && path == p->set->api->models;

	buf_reset(out);
	if (list && p->models.len > 0) {
		buf_slice(out, buf_view(&p->models));
		return true;
	}
	char *url = server_url(base, path);
	struct http_call c = { .url = url, .body = body,
		.headers = (const char *const *)p->set->headers.v,
		.nheaders = p->set->headers.n,
		.max_ms = max_ms, .sink = on_body, .ctx = out,
		.wait = provider_wait, .wait_ctx = p };
	http_do(server_http(p), &c, r);
	free(url);
	buf_drop(out, skip_white(buf_view(out), 0));
	bool good = r->end == HTTP_DONE && r->status == 200 &&
	    scan_is_json(buf_view(out)) && strchr("{[", *out->p) != NULL;
	if (good && list)
		buf_slice(&p->models, buf_view(out));
	return good;
}

/* The entries of a list of models: OpenAI's data, Ollama's models, Together's
 * bare list. */
static struct walk
entries(struct slice models)
{
	struct slice list = scan_get(models, "data");

	return walk_elements(scan_kind(models) == SCAN_ARRAY ? models :
	    scan_kind(list) == SCAN_ARRAY ? list : scan_get(models, "models"));
}

/* The name of the next entry (NULL: it has none); the caller frees it. */
static bool
next_model(struct walk *w, char **name)
{
	struct slice entry;

	if (!walk_next(w, NULL, &entry))
		return false;
	*name = NULL;
	for (size_t i = 0; i < 3 && *name == NULL; i++)
		*name = scan_strdup(scan_get(entry, names[i]));
	return true;
}

/* Ask for the models; false: no answer.  The first one is taken if none is
 * set. */
static bool
first_model(struct provider *p, const char *base, long max_ms)
{
	struct settings *s = p->set;
	struct buf b = BUF_INIT(REPLY_MAX);
	struct http_reply r;
	bool good = get(p, base, s->api->models, SLICE(""), max_ms, &b, &r);
	struct walk w = entries(good ? buf_view(&b) : SLICE("{}"));
	char *model = NULL;

	next_model(&w, &model);
	if (*s->model == '\0' && model != NULL) {
		free(s->model);
		s->model = model;
	} else
		free(model);
	buf_release(&b);
	return good;
}

int
server_find(struct provider *p, struct err *e)
{
	static const struct {
		const char *base, *what;
	} local[] = {
		{ "http://127.0.0.1:8080/v1", "llama.cpp" },
		{ "http://127.0.0.1:11434/v1", "Ollama" },
		{ "http://127.0.0.1:1234/v1", "LM Studio" },
	};
	struct settings *s = p->set;
	bool named = *s->model != '\0' || p->model_asked;
	size_t i = 0;

	if (*s->base_url != '\0') {
		p->model_asked = true;
		if (!named && first_model(p, s->base_url, MODELS_MS) &&
		    *s->model != '\0')
			provider_notice(p, "using model %s, the first one "
			    "listed", s->model);
		return 0;
	}
	while (i < 3 && !first_model(p, local[i].base, LOOK_MS))
		i++;
	if (i == 3)
		return err_set(e, ST_CONFIG, NONE_FOUND);
	free(s->base_url);
	s->base_url = xstrdup(local[i].base);
	provider_notice(p, "using %s at %s (looks like %s)%s%s%s",
	    *s->model != '\0' ? s->model : "its model", local[i].base,
	    local[i].what, s->withheld != NULL ? "; provider." : "",
	    s->withheld != NULL ? s->withheld : "", s->withheld != NULL ?
	    " is not used there: it belongs to the base_url set beside "
	    "it" : "");
	return 0;
}

void
server_report_none(void)
{
	char *file = conf_user_path();

	err_say(NONE_FOUND);
	err_say("start one, or point at yours: --base-url "
	    "http://HOST:PORT/v1 --model NAME (or base_url and model under "
	    "[provider] in %s)", file != NULL ? file :
	    "$XDG_CONFIG_HOME/hamr/config.toml");
	free(file);
}

/* ---- the window ---- */

/* get, but give up at `end` (file_now_ms). */
static bool
get_until(struct provider *p, const char *base, const char *path,
    long long end, struct buf *out)
{
	long long left = end - file_now_ms();
	struct http_reply r;

	return left > 0 && get(p, base, path, SLICE(""), (long)left, out, &r);
}

/* The window of the entry named model, (Gemini) models/MODEL or (Ollama)
 * MODEL:latest, else (alone) that of a list's only entry; not positive:
 * unknown. */
static long long
of_list(struct slice models, const char *model, bool alone)
{
	static const char *const keys[] = {
		"max_model_len",		/* vLLM */
		"loaded_context_length",	/* LM Studio */
		"context_length",		/* Ollama, OpenRouter */
		"context_window",		/* Groq */
		"max_context_length",		/* Mistral */
		"max_input_tokens",		/* Anthropic */
		"inputTokenLimit",		/* Gemini */
	};
	char *path = xasprintf("models/%s", model);
	char *latest = xasprintf("%s:latest", model);
	struct walk w = entries(models);
	struct slice entry, found = { NULL, 0 };
	bool named = false;
	long long tokens = 0;
	size_t n = 0;

	while (!named && walk_next(&w, NULL, &entry)) {
		named = scan_str_is(scan_get(entry, "name"), path) ||
		    scan_str_is(scan_get(entry, "name"), latest);
		for (size_t i = 0; i < 3 && !named; i++)
			named = scan_str_is(scan_get(entry, names[i]), model);
		if (named || n++ == 0)
			found = entry;
	}
	FREE(path, latest);
	if (!named && *model != '\0' && (n != 1 || !alone))
		return 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && tokens <= 0; i++)
		tokens = answer_number(found, keys[i]);
	return tokens > 0 ? tokens :		/* llama.cpp */
	    answer_number(scan_get(found, "meta"), "n_ctx");
}

/* The window that an adapter knows, or reads from the answer at a path. */
static long long
of_adapter(struct provider *p, long long end)
{
	struct adapter *ad = p->set->api->own;
	struct buf b = BUF_INIT(REPLY_MAX);
	struct failure f;
	char *path;
	long long n = adapter_window_told(ad, p->set->model, &path);

	failure_init(&f);
	if (path != NULL && get_until(p, p->set->base_url, path, end, &b)) {
		adapter_wait(ad, provider_wait, p);
		n = adapter_window(ad, buf_view(&b), p->set->model, &f);
		if (n < 0)
			provider_notice(p, "%s", f.message.p);
	}
	failure_release(&f);
	buf_release(&b);
	free(path);
	return n;
}

/* Get llama.cpp's /props, if it serves several models that of ours. */
static bool
get_props(struct provider *p, const char *root, long long end,
    struct buf *out)
{
	const char *model = p->set->model;
	struct buf path = BUF_INIT(1 << 20);
	bool good = get_until(p, root, "/props", end, out);

	if (good && *model != '\0' &&
	    scan_str_is(scan_get(buf_view(out), "role"), "router")) {
		p->window_later = true;
		buf_adds(&path, "/props?model=");
		put_path_name(model, &path);
		good = get_until(p, root, path.p, end, out);
	}
	buf_release(&path);
	return good;
}

/* The server's context window in tokens, from /props (llama.cpp), the list of
 * models (vLLM and others), /api/ps (Ollama), /api/v0/models (LM Studio) or an
 * adapter, asked until `end` (file_now_ms); not positive: unknown.  *source:
 * which of them. */
static long long
ask_window(struct provider *p, long long end, const char **source)
{
	static const char *const lists[] = { "/models", "/api/ps",
		"/api/v0/models" };
	const struct settings *s = p->set;
	struct buf b = BUF_INIT(REPLY_MAX);
	struct slice bare = { s->base_url, strcspn(s->base_url, "?#") };
	long long n = 0;

	*source = "adapter";
	if (adapter_has_window(s->api->own))
		return of_adapter(p, end);
	/* base_url without a trailing /v1 */
	bare = slice_trim_end(bare, "/");
	if (bare.n > 3 && slice_ends(bare, "/v1"))
		bare.n -= 3;
	char *root = xmemdup0(bare.p, bare.n);
	if (get_props(p, root, end, &b)) {
		struct slice props = buf_view(&b);
		long long slots = answer_number(props, "total_slots");

		/* the n_ctx of a slot limits one request; the n_ctx beside the
		 * slots is shared by all of them */
		*source = "/props";
		n = answer_number(scan_get(props,
		    "default_generation_settings"), "n_ctx");
		if (n <= 0) {
			n = answer_number(props, "n_ctx");
			if (slots > 1 &&
			    !scan_true(scan_get(props, "kv_unified")))
				n /= slots;
		}
		if (n > 0)	/* llama.cpp */
			p->quirks |= QUIRK_ONE_CALL;
	}
	for (size_t i = 0; i < 3 && n <= 0; i++) {
		*source = lists[i];
		if (get_until(p, i == 0 ? s->base_url : root, i == 0 ?
		    s->api->models : lists[i], end, &b)) {
			/* servers of one model may know it by another name;
			 * these list what is loaded, maybe another model */
			n = of_list(buf_view(&b), s->model, i == 0);
			p->window_later |= i > 0;
		}
	}
	buf_release(&b);
	free(root);
	return n;
}

void
server_fit_window(struct provider *p)
{
	struct settings *s = p->set;
	struct buf b = BUF_INIT(REPLY_MAX), body = b, file = b;
	struct slice line, rest;
	struct http_reply r;
	int64_t own = 0;

	if (p->window_fits || p->stage->mode != STAGE_RESIDENT ||
	    s->api != &api_ollama || *s->model == '\0')
		return;
	p->window_fits = true;
	scan_put(&body, "{'model':@}", slice_of(s->model));
	if (get(p, s->base_url, "/api/show", buf_view(&body), SYNC_MS, &b,
	    &r)) {
		struct slice info = scan_get(buf_view(&b), "model_info");
		char *arch = scan_strdup(scan_get(info,
		    "general.architecture"));
		char *key = xasprintf("%s.context_length",
		    arch != NULL ? arch : "");
		long long most = answer_number(info, key);

		/* the num_ctx of its Modelfile */
		scan_str(scan_get(buf_view(&b), "parameters"), &file);
		for (rest = buf_view(&file); slice_line(&rest, &line); )
			if (slice_starts(line, "num_ctx ")) {
				line = slice_trim(slice_from(line, 8));
				num_i64(line.p, line.n, &own);
			}
		s->window = s->asked_window >= 0 ? s->asked_window :
		    own > 0 ? own : OLLAMA_WINDOW;
		if (most > 0 && s->window > most)
			s->window = most;
		FREE(arch, key);
	}
	bufs_release(BUFS(&b, &body, &file));
}

void
server_put_limit(struct provider *p)
{
	long long end = file_now_ms() + SYNC_MS, n;
	const char *source = "num_ctx";

	/* without an address, do not search before a request needs it; the
	 * API's own host does not report it, unless an adapter knows how */
	p->window_later = *p->set->base_url == '\0';
	if (p->window_later || (!adapter_has_window(p->set->api->own) &&
	    settings_is_own_host(p->set->api, p->set->base_url)))
		return;
	server_fit_window(p);
	n = p->set->window;
	if (n == 0)
		n = ask_window(p, end, &source);
	if (n > 0) {
		provider_limit(p, n, source);
		p->window_later = false;
	}
}

/* ---- the server's models ---- */

/* Get the list of models; on failure print why and return a status.  needed:
 * an answer without a list is a failure too. */
static int
get_models(struct provider *p, long max_ms, bool needed, struct buf *out)
{
	struct buf key = BUF_INIT(1 << 16);
	struct http_reply r;
	struct failure f;
	struct err e;
	int st = ST_PEER;

	if (server_find(p, &e) < 0) {
		server_report_none();
		return ST_CONFIG;
	}
	if (get(p, p->set->base_url, p->set->api->models, SLICE(""), max_ms,
	    out, &r) ||
	    (!needed && r.end == HTTP_DONE))
		return ST_OK;
	char *where = settings_where(p->set->base_url);
	bool refused = r.status == 401 || r.status == 403;
	bool busy = r.status == 429 || r.status >= 500;
	failure_init(&f);
	if (refused)
		settings_key_words(p->set, &key);
	if (r.end == HTTP_DONE) {
		err_say("%s does not list its models (HTTP %ld); %s%s",
		    where, r.status, refused ?
		    "check the key (api_key_env or api_key_command)" : busy ?
		    "try again later" : api_url_hint(p->set->api),
		    refused ? key.p : "");
		st = busy ? ST_TEMP : ST_PEER;
	} else {
		failure_transfer(&f, &r, where);
		err_say("%s%s", f.message.p, f.retryable ?
		    "; start the server, or name another with "
		    "--base-url" : "");
		st = f.retryable ? ST_TEMP : ST_PEER;
	}
	free(where);
	failure_release(&f);
	buf_release(&key);
	return st;
}

int
server_models(struct provider *p)
{
	struct buf b = BUF_INIT(REPLY_MAX), line = BUF_INIT(REPLY_MAX);
	struct rec_out out;
	struct err e;
	char *name;

	p->model_asked = true;		/* no model is needed */
	int st = get_models(p, p->set->http.first_ms, true, &b);
	if (st != ST_OK) {
		buf_release(&b);
		return st;
	}
	st = ST_NO;
	rec_out_init(&out);
	struct walk w = entries(buf_view(&b));
	while (next_model(&w, &name)) {
		if (name == NULL)
			continue;
		buf_reset(&line);
		term_put(&line, slice_of(name), SIZE_MAX);
		rec_put(&out, buf_view(&line));
		free(name);
		st = ST_OK;
	}
	bufs_release(BUFS(&b, &line));
	return rec_end(&out, &e) < 0 ? err_report(&e) : st;
}

/* ---- one small request ---- */

/* Make an ordinary request without a stream; append whether tools work
 * ("tools") and how fast the server is ("tokens_per_second"). */
static void
try(struct provider *p, struct buf *out)
{
	static const struct ask ask = {
		.messages = { TRY_MESSAGES, sizeof TRY_MESSAGES - 1 },
		.tools = { TRY_TOOLS, sizeof TRY_TOOLS - 1 } };
	struct exchange x = { .p = p, .ask = &ask };
	struct slice rate = { NULL, 0 };
	long long began = file_now_ms(), took, tokens;
	unsigned quirk = 0;
	double speed = 0;

	p->quirks &= ~(unsigned)QUIRK_ONE_CALL;	/* one call is enough */
	p->set->stream = false;
	p->set->max_tokens = TRY_TOKENS;
	do {
		p->quirks |= quirk;
		attempt_do(&x);
		quirk = x.failure.code == NULL ? 0 : quirks_learn(p->quirks,
		    x.reply.status, buf_view(&x.raw), buf_view(&x.body));
	} while (quirk != 0);
	if (x.failure.code == NULL) {
		scan_put(out, x.answer->native.n > 0 ? ",'tools':true" :
		    ",'tools':false");
		took = file_now_ms() - began;
		tokens = x.answer->usage.completion;
		/* llama.cpp's own measurement */
		struct slice whole = slice_trim(buf_view(&x.raw));
		if (scan_is_json(whole))
			rate = scan_get(scan_get(whole, "timings"),
			    "predicted_per_second");
		bool known = scan_kind(rate) == SCAN_NUMBER &&
		    num_double(rate.p, rate.n, &speed);
		if (!known && tokens > 0 && took > 0) {
			known = true;
			speed = (double)tokens * 1000 / (double)took;
		}
		if (known)
			buf_fmt(out, ",\"tokens_per_second\":%.15g", speed);
	} else {
		if (strcmp(x.failure.code, "bad_request") == 0 ||
		    strcmp(x.failure.code, "server") == 0)
			scan_put(out, ",'tools':false");
		settings_redact(p->set, false, &x.failure.message);
		err_say("%s", x.failure.message.p);
	}
	attempt_release(&x);
}

int
server_probe(struct provider *p)
{
	struct buf line = BUF_INIT(REPLY_MAX), tried = BUF_INIT(REPLY_MAX);
	const char *source = NULL;
	struct rec_out out;
	struct err e;
	int st = get_models(p, MODELS_MS, false, &line);

	if (st != ST_OK) {
		buf_release(&line);
		return st;
	}
	try(p, &tried);		/* first, as it makes Ollama load the model */
	long long n = ask_window(p, file_now_ms() + MODELS_MS, &source);
	if (n <= 0 && p->set->window > 0) {
		n = p->set->window;
		source = "num_ctx";
	}
	buf_reset(&line);
	scan_put(&line, "{'type':'limit'");
	if (n > 0)
		buf_fmt(&line, ",\"context_tokens\":%lld", n);
	scan_put(&line, *p->set->model != '\0' ? ",'source':@,'model':@" :
	    ",'source':@", slice_of(n > 0 ? source : "--probe"),
	    slice_of(p->set->model));
	buf_slice(&line, buf_view(&tried));
	buf_addc(&line, '}');
	rec_out_init(&out);
	rec_put(&out, buf_view(&line));
	bufs_release(BUFS(&line, &tried));
	if (rec_end(&out, &e) < 0)
		return err_report(&e);
	if (n <= 0)
		err_say("the server does not report its context window; set "
		    "context.window");
	return n > 0 ? ST_OK : ST_NO;
}
