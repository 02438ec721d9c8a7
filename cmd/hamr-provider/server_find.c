/* server_find.c - which server, which model, how large its window is. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"
#include "file.h"
#include "mem.h"
#include "server.h"
#include "window.h"
#include "term.h"

#define LOOK_MS 200		/* for each server of this machine */
#define MODELS_MS 2000
#define SYNC_MS 300
#define MODELS_MAX ((size_t)16 << 20)
#define NONE_FOUND "no model server found at 127.0.0.1:8080 (llama.cpp), " \
	":11434 (Ollama) or :1234 (LM Studio)"

static bool
get_models(struct provider *p, const char *base, long max_ms, struct buf *out,
    struct http_reply *r)
{
	char *url = server_url(base, p->set->api->models);
	bool good = server_get(p, url, (struct slice){ NULL, 0 }, max_ms, out,
	    r);

	free(url);
	return good;
}

/* The entries of a list of models: OpenAI's data, Ollama's models. */
static struct slice
entries(struct slice models)
{
	struct slice list = scan_get(models, "data");

	return scan_kind(list) == SCAN_ARRAY ? list :
	    scan_get(models, "models");
}

/* The name of an entry; NULL: none.  Yours to free. */
static char *
entry_name(struct slice entry)
{
	static const char *const keys[] = { "id", "model", "name" };
	char *name = NULL;

	for (size_t i = 0; i < 3 && name == NULL; i++)
		name = scan_strdup(scan_get(entry, keys[i]));
	return name;
}

static char *
first_model(struct slice models)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(entries(models)) != SCAN_ARRAY)
		return NULL;
	walk_in(&w, entries(models));
	return walk_next(&w, &key, &val) ? entry_name(val) : NULL;
}

/* ---- finding ---- */

static bool
try_local(struct provider *p, const char *base, const char *what)
{
	struct buf b = BUF_INIT(MODELS_MAX);
	struct http_reply r;
	const char *withheld = p->set->withheld;
	char *model, *words;

	if (!get_models(p, base, LOOK_MS, &b, &r)) {
		buf_release(&b);
		return false;
	}
	model = first_model(buf_view(&b));
	buf_release(&b);
	free(p->set->base_url);
	p->set->base_url = xstrdup(base);
	if (*p->set->model == '\0' && model != NULL) {
		free(p->set->model);
		p->set->model = xstrdup(model);
	}
	free(model);
	words = xasprintf("using %s at %s (looks like %s)%s%s%s",
	    *p->set->model != '\0' ? p->set->model : "its model", base, what,
	    withheld != NULL ? "; provider." : "", withheld != NULL ?
	    withheld : "", withheld != NULL ? " is not used there: it is for "
	    "the base_url beside it" : "");
	provider_say(p, words);
	free(words);
	return true;
}

static void
ask_model(struct provider *p)
{
	struct buf b = BUF_INIT(MODELS_MAX);
	struct http_reply r;
	char *model = NULL, *words;

	if (get_models(p, p->set->base_url, MODELS_MS, &b, &r))
		model = first_model(buf_view(&b));
	if (model != NULL) {
		free(p->set->model);
		p->set->model = model;
		words = xasprintf("using model %s, the first one listed",
		    model);
		provider_say(p, words);
		free(words);
	}
	buf_release(&b);
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

	if (*p->set->base_url != '\0') {
		if (*p->set->model == '\0' && !p->model_asked)
			ask_model(p);
		p->model_asked = true;
		return 0;
	}
	for (size_t i = 0; i < sizeof local / sizeof *local; i++)
		if (try_local(p, local[i].base, local[i].what))
			return 0;
	return err_set(e, ST_CONFIG, NONE_FOUND);
}

void
server_say_none(void)
{
	err_say(NONE_FOUND);
	err_say("start one, or point at yours: --base-url "
	    "http://HOST:PORT/v1 --model NAME (or base_url and model under "
	    "[provider] in config.toml)");
}

/* ---- what it has ---- */

static int
unreachable(struct provider *p, const struct http_reply *r)
{
	char *where = settings_where(p->set->base_url);
	bool refused = r->status == 401 || r->status == 403;
	struct buf key = BUF_INIT(1 << 16);

	if (refused)
		settings_key_words(p->set, &key);
	if (r->end == HTTP_DONE)
		err_say("%s does not list its models (HTTP %ld); is %s%s",
		    where, r->status, refused ?
		    "the key right (api_key_env or api_key_command)" :
		    "base_url right (it often ends in /v1)", refused ? key.p :
		    "");
	else
		err_say("%s: %s; is the server running", where, r->why);
	free(where);
	buf_release(&key);
	return r->end == HTTP_DONE || r->end == HTTP_TLS ||
	    r->end == HTTP_BAD_URL ? ST_PEER : ST_TEMP;
}

int
server_models(struct provider *p)
{
	struct buf b = BUF_INIT(MODELS_MAX), line = BUF_INIT(MODELS_MAX);
	struct slice key, val;
	struct http_reply r;
	struct rec_out out;
	struct walk w;
	struct err e;
	int st = ST_NO;

	p->model_asked = true;		/* none is needed */
	if (server_find(p, &e) < 0) {
		server_say_none();
		return ST_CONFIG;
	}
	if (!get_models(p, p->set->base_url, p->set->first_ms, &b, &r)) {
		buf_release(&b);
		return unreachable(p, &r);
	}
	rec_out_init(&out, 1, "stdout");
	if (scan_kind(entries(buf_view(&b))) == SCAN_ARRAY) {
		walk_in(&w, entries(buf_view(&b)));
		while (walk_next(&w, &key, &val)) {
			char *name = entry_name(val);

			if (name == NULL)
				continue;
			buf_reset(&line);
			term_escape(&line, slice_of(name));
			rec_put(&out, buf_view(&line));
			free(name);
			st = ST_OK;
		}
	}
	buf_release(&b);
	buf_release(&line);
	return rec_end(&out, &e) < 0 ? err_report(&e) : st;
}

void
server_put_limit(struct provider *p)
{
	long long end = file_now_ms() + SYNC_MS;
	const char *source;
	long long n;

	/* without an address nothing is looked for before it is needed, and
	 * the API's own host does not tell, unless a program knows better */
	if (*p->set->base_url == '\0' || (!window_is_known(p) &&
	    settings_is_own_host(p->set->api, p->set->base_url)))
		return;
	n = p->set->window;
	source = "num_ctx";
	if (n == 0)
		n = window_ask(p, end, &source);
	if (n > 0)
		provider_limit(p, n, source);
}

int
server_probe(struct provider *p)
{
	struct http_reply r;
	struct rec_out out;
	const char *source = NULL;
	struct json *o;
	struct buf line = BUF_INIT(1 << 20);
	struct err e;
	long long n;

	if (server_find(p, &e) < 0) {
		server_say_none();
		return ST_CONFIG;
	}
	if (!get_models(p, p->set->base_url, MODELS_MS, &line, &r) &&
	    r.end != HTTP_DONE) {
		buf_release(&line);
		return unreachable(p, &r);
	}
	n = window_ask(p, file_now_ms() + MODELS_MS, &source);
	o = json_object();
	json_str(o, "type", "limit");
	if (n > 0)
		json_int(o, "context_tokens", n);
	json_str(o, "source", n > 0 ? source : "--probe");
	if (*p->set->model != '\0')
		json_str(o, "model", p->set->model);
	window_try(p, o);
	buf_reset(&line);
	json_print(o, &line);
	json_free(o);
	rec_out_init(&out, 1, "stdout");
	rec_put(&out, buf_view(&line));
	buf_release(&line);
	if (rec_end(&out, &e) < 0)
		return err_report(&e);
	if (n <= 0)
		err_say("the server does not tell its context window; set "
		    "context.window");
	return n > 0 ? ST_OK : ST_NO;
}
