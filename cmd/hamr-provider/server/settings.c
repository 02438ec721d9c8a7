/* settings.c - what the command line, configuration and environment say. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/prices.h"
#include "api/adapter.h"
#include "api/api.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/key.h"
#include "record/plugin.h"

#include "settings.h"

#define IN_RECORD 16		/* bytes of a secret that no word has */

/* Keys are looked up in [provider.NAME] first, unless the command line sets
 * them in [provider]. */
struct lookup {
	const struct conf *conf;
	const char *name;	/* --provider, or NULL */
	char full[256];
};

/* ---- the keys of [provider], and of a profile before it ---- */

/* Is this origin (conf_origin) the command line? */
static bool
is_command_line(const char *origin)
{
	return strcmp(origin, "-o") == 0 || strcmp(origin, "flag") == 0;
}

/* The key of a setting in [provider.NAME] if it is there, else in [provider].
 */
static const char *
table_key(struct lookup *l, const char *key)
{
	char own[sizeof l->full];

	snprintf(l->full, sizeof l->full, "provider.%s", key);
	if (l->name == NULL)
		return l->full;
	int n = snprintf(own, sizeof own, "provider.%s.%s", l->name, key);
	if (n < (int)sizeof own && conf_is_set(l->conf, own))
		memcpy(l->full, own, sizeof own);
	return l->full;
}

/* The full name under which key is set; valid until the next call. */
static const char *
whole_key(struct lookup *l, const char *key)
{
	snprintf(l->full, sizeof l->full, "provider.%s", key);
	return conf_is_set(l->conf, l->full) &&
	    is_command_line(conf_origin(l->conf, l->full)) ? l->full :
	    table_key(l, key);
}

/* Is the value in [provider.NAME]?  key is as whole_key returns it. */
static bool
is_profile(const struct lookup *l, const char *key)
{
	size_t n = l->name != NULL ? strlen(l->name) : 0;

	key += strlen("provider.");
	return n > 0 && strncmp(key, l->name, n) == 0 && key[n] == '.';
}

static const char *
get_str(struct lookup *l, const char *key)
{
	return conf_str(l->conf, whole_key(l, key));
}

static long long
get_int(struct lookup *l, const char *key)
{
	return conf_int(l->conf, whole_key(l, key));
}

static long
get_ms(struct lookup *l, const char *key)	/* it is seconds */
{
	return (long)(conf_num(l->conf, whole_key(l, key)) * 1000);
}

/* ---- which API is spoken ---- */

/* Load an API that is not built in: an adapter, or a program on PATH. */
static int
load_own(struct settings *s, struct lookup *l, const struct flags *f,
    const char *name, struct err *e)
{
	const char *origin = f->api == NULL && adapter_is_path(name) ?
	    conf_origin(l->conf, whole_key(l, "api")) : "";
	const char *slash = *origin == '/' && *name != '/' ?
	    strrchr(origin, '/') : NULL;
	/* a path in a file is relative to the file's folder: the repository
	 * in the working directory must not supply the program */
	char *api = slash == NULL ? xstrdup(name) : xasprintf("%.*s/%s",
	    (int)(slash - origin), origin, name);
	char *path = adapter_path(api);

	s->api = &api_openai;	/* a placeholder, not used */
	if (path != NULL)
		s->adapter = adapter_open(path,
		    (size_t)get_int(l, "max_response_bytes"), e);
	else if (!adapter_is_path(api))
		s->program = plugin_find("provider", api, e);
	if (s->adapter != NULL)
		s->api = s->adapter;
	else if (path != NULL && e->status == ST_USAGE && f->api == NULL)
		e->status = ST_CONFIG;
	else if (path == NULL && s->program == NULL &&
	    (adapter_is_path(api) || *api == '/'))
		err_set(e, f->api != NULL ? ST_NOINPUT : ST_CONFIG, "api %s: "
		    "no such program", api);
	else if (path == NULL && s->program == NULL)
		err_set(e, f->api != NULL ? ST_USAGE : ST_CONFIG, "api "
		    "%.100s: not known; there are %s, adapters (FILE.jq, or "
		    "NAME for NAME.jq in the folder providers beside "
		    "config.toml), and programs hamr-provider-NAME on PATH",
		    api, api_names);
	FREE(path, api);
	return s->adapter != NULL || s->program != NULL ? 0 : -1;
}

static int
load_api(struct settings *s, struct lookup *l, const struct flags *f,
    struct err *e)
{
	const char *api = f->api != NULL ? f->api : f->replay != NULL ?
	    "replay" : get_str(l, "api"), *chunk = f->replay_chunk;
	bool named = strcmp(api, "replay") == 0;
	int64_t n = 0;

	s->api = api_named(named ? "openai" : api);
	if (s->api == NULL && load_own(s, l, f, api, e) < 0)
		return -1;
	if (named && f->replay == NULL)
		return err_set(e, ST_USAGE, "--api replay needs --replay FILE; "
		    "give it a script or a transcript");
	/* an adapter reads a cassette */
	if (!named && f->replay != NULL && s->adapter == NULL)
		return err_set(e, ST_USAGE, "--replay FILE and --api %s cannot "
		    "be combined; leave one out", api);
	s->replay_file = f->replay;
	if (f->replay_speed != NULL && (!num_double(f->replay_speed,
	    strlen(f->replay_speed), &s->replay_speed) ||
	    s->replay_speed < 0))
		return err_set(e, ST_USAGE, "--replay-speed %s: not a number "
		    "of tokens per second", f->replay_speed);
	if (chunk != NULL && (!num_i64(chunk, strlen(chunk), &n) || n < 1))
		return err_set(e, ST_USAGE, "--replay-chunk %s: not a number "
		    "of bytes", chunk);
	s->replay_chunk = (size_t)n;
	return 0;
}

/* ---- where ---- */

bool
settings_is_own_host(const struct api *api, const char *url)
{
	/* Ollama's is the user's own machine */
	if (api == &api_ollama || *api->own_url == '\0')
		return false;
	/* without a user's name, which may look like a host */
	char *where = settings_where(url), *own = settings_where(api->own_url);
	size_t n = strlen(own);
	bool is = strncasecmp(where, own, n) == 0 &&
	    (where[n] == '\0' || where[n] == ':');
	FREE(where, own);
	return is;
}

static const char *
variable(const char *name)
{
	const char *v = name != NULL ? getenv(name) : NULL;

	return v != NULL && *v != '\0' ? v : NULL;
}

/* OLLAMA_HOST is often just a host, a port or both. */
static char *
with_scheme(const struct api *api, const char *url)
{
	size_t host = strcspn(url, "/");

	if (api != &api_ollama || *url == '\0' || strstr(url, "://") != NULL)
		return xstrdup(url);
	if (memchr(url, ':', host) != NULL)
		return xasprintf("http://%s%s", *url == ':' ? "127.0.0.1" :
		    "", url);
	return xasprintf("http://%.*s:11434%s", (int)host, url, url + host);
}

/* Set base_url; *trusted: the API's usual key may be sent there. */
static int
load_url(struct settings *s, struct lookup *l, const struct flags *f,
    bool *trusted, struct err *e)
{
	const char *env = variable(s->api->url_env);
	const char *url = f->base_url, *from = "--base-url", *fault = NULL;

	*trusted = url != NULL;
	if (url == NULL) {
		url = get_str(l, "base_url");
		from = conf_origin(l->conf, whole_key(l, "base_url"));
		*trusted = is_command_line(from);
	}
	if (*url == '\0' && env != NULL) {
		url = env;
		from = s->api->url_env;
		*trusted = true;
	}
	/* a model and a key but no address: the API's own */
	if (*url == '\0' && (!s->api->chat || (*s->model != '\0' &&
	    (variable(s->api->key_env) != NULL || *get_str(l, "api_key_env") ||
	    conf_is_set(l->conf, whole_key(l, "api_key_command"))))))
		url = s->api->own_url;
	if (*url == '\0' && s->adapter != NULL)
		return err_set(e, ST_CONFIG, "api %s does not name a server; "
		    "set one with --base-url (or base_url under [provider])",
		    s->api->name);
	/* trust the API's own host, and the server that an adapter names, as
	 * the user chose that adapter */
	if (settings_is_own_host(s->api, url) || (s->adapter != NULL &&
	    url == s->api->own_url))
		*trusted = true;
	s->base_url = with_scheme(s->api, url);
	url = s->base_url;
	if (*url != '\0' && strncasecmp(url, "http://", 7) != 0 &&
	    strncasecmp(url, "https://", 8) != 0)
		fault = "must begin with http:// or https://, for example "
		    "http://127.0.0.1:8080/v1";
	else if (*url != '\0' && strchr("/:", strstr(url, "://")[3]) != NULL)
		fault = "names no host; write it like "
		    "http://127.0.0.1:8080/v1";
	for (const char *p = url; *p != '\0' && fault == NULL; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			fault = "contains spaces or control characters";
	if (fault != NULL)
		return err_set(e, f->base_url != NULL ? ST_USAGE : ST_CONFIG,
		    "%s: the base URL %s", from, fault);
	s->base_url[slice_trim_end(slice_of(url), "/").n] = '\0';
	return 0;
}

/* ---- keys and headers for one address only ---- */

/* A key, a command that prints one, and headers belong to the base_url set
 * beside them, never to a discovered server.  Is `what`, such a setting of
 * [provider], meant for our base_url?  If not, remember it as withheld. */
static bool
is_for_us(struct settings *s, struct lookup *l, const char *what,
    bool trusted)
{
	struct lookup url = *l, table = *l;
	const char *base_key = whole_key(&url, "base_url");
	const char *full = whole_key(l, what), *beside = NULL;
	bool good;

	if (!conf_is_set(l->conf, full))
		return false;
	const char *origin = conf_origin(l->conf, base_key);
	/* the base_url of the same table, set no later than `what` */
	if (!is_profile(l, full))
		table.name = NULL;
	const char *key = table_key(&table, "base_url");
	if (conf_is_set(l->conf, key))
		beside = conf_source(l->conf, key).rank <= conf_source(l->conf,
		    full).rank ? conf_str(l->conf, key) :
		    conf_source(l->conf, key).overridden;
	if (*s->base_url == '\0')
		good = false;
	else if (is_command_line(conf_origin(l->conf, full)))
		good = trusted || *conf_str(l->conf, base_key) != '\0';
	else if (beside != NULL && *beside != '\0') {
		char *base = with_scheme(s->api, beside);
		char *theirs = settings_where(base);
		char *ours = settings_where(s->base_url);
		good = strcasecmp(theirs, ours) == 0;
		FREE(base, theirs, ours);
	} else
		/* a base_url set later, by a variable, is beside it too */
		good = trusted || (*conf_str(l->conf, base_key) != '\0' &&
		    *origin != '/' && is_profile(l, full) ==
		    is_profile(l, base_key));
	if (!good && s->withheld == NULL)
		s->withheld = what;
	return good;
}

static int
load_headers(struct settings *s, struct lookup *l, bool trusted,
    struct err *e)
{
	/* a header with such a name ends with a secret */
	static const char *const names[] = { "auth", "key", "token", "secret",
		"cookie" };
	const char *const *v;
	size_t n;
	size_t name = strcspn(s->api->key_header, ":") + 1;

	v = conf_list(l->conf, whole_key(l, "headers"), &n);
	if (n > 0 && !is_for_us(s, l, "headers", trusted))
		n = 0;
	s->secrets = xcalloc(n + 1, sizeof *s->secrets);
	for (size_t i = 0; i < n; i++) {
		const char *colon = strchr(v[i], ':');
		bool clean = colon != NULL, secret = false;

		for (const char *p = v[i]; *p != '\0'; p++)
			clean &= *p == '\t' || !iscntrl((unsigned char)*p);
		if (!clean)
			return err_set(e, ST_CONFIG, "%s: provider.headers: "
			    "entry %zu must be written as \"Name: value\"",
			    conf_origin(l->conf, whole_key(l, "headers")),
			    i + 1);
		if (strncasecmp(v[i], s->api->key_header, name) == 0)
			s->own_key = true;
		texts_add(&s->headers, xstrdup(v[i]));
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			const char *hit = strcasestr(v[i], names[k]);

			secret |= hit != NULL && hit <= colon;
		}
		const char *blank = strrchr(colon, ' ');
		if (secret)
			s->secrets[s->nsecrets++] = blank != NULL ? blank + 1 :
			    colon + 1;
	}
	if (s->key != NULL)
		s->secrets[s->nsecrets++] = s->key;
	if (s->key != NULL && !s->own_key)
		texts_add(&s->headers, xasprintf("%s%s", s->api->key_header,
		    s->key));
	if (s->api->header != NULL)
		texts_add(&s->headers, xstrdup(s->api->header));
	return 0;
}

void
settings_key_words(const struct settings *s, struct buf *out)
{
	if (s->key != NULL)
		buf_fmt(out, "; the key sent came from %s", s->key_origin);
	else if (s->own_key)
		buf_adds(out, "; the key sent is in provider.headers");
	else if (s->withheld != NULL)
		buf_fmt(out, "; no key was sent: provider.%s belongs to the "
		    "base_url set beside it", s->withheld);
	else if (s->key_variable != NULL)
		buf_fmt(out, "; no key was sent: export %s",
		    s->key_variable);
	else
		buf_adds(out, "; no key was sent: set api_key_env next to "
		    "base_url under [provider]");
}

void
settings_redact(const struct settings *s, bool record, struct buf *b)
{
	/* short keys stay: users give local servers keys like "ollama" */
	for (size_t i = 0; i < s->nsecrets; i++)
		key_redact(s->secrets[i], record ? IN_RECORD : 6, b);
}

size_t
settings_secret_begins(const struct settings *s, struct slice text)
{
	size_t longest = 0;

	for (size_t i = 0; i < s->nsecrets; i++) {
		size_t len = strlen(s->secrets[i]);
		size_t n = len < IN_RECORD ? 0 : len - 1;

		if (n > text.n)
			n = text.n;
		for (; n > longest; n--)
			if (memcmp(text.p + text.n - n, s->secrets[i], n) == 0)
				longest = n;
	}
	return longest;
}

/* ---- the rest ---- */

/* Ollama uses the window we ask for; its own default is small. */
static void
load_window(struct settings *s)
{
	static const char *const keys[] = { "context.window",
		"context.context_budget_tokens" };
	struct slice options = scan_get(slice_of(s->params), "options");
	int64_t n;

	s->asked_window = -1;
	for (size_t i = 0; i < 2; i++) {
		n = conf_int(s->conf, keys[i]);
		if (conf_is_set(s->conf, keys[i]) && (s->asked_window <= 0 ||
		    (n > 0 && n < s->asked_window)))
			s->asked_window = n;
	}
	if (scan_int(scan_get(options, "num_ctx"), &n) && n > 0)
		s->asked_window = n;
	s->window = s->asked_window >= 0 ? s->asked_window : OLLAMA_WINDOW;
}

static int
load_rest(struct settings *s, struct lookup *l, const struct flags *f,
    struct err *e)
{
	struct prices prices;

	s->conf = l->conf;
	s->quiet = f->quiet;
	s->model = xstrdup(f->model != NULL ? f->model : get_str(l, "model"));
	s->http.ca_file = get_str(l, "ca_file");
	s->http.proxy = get_str(l, "proxy");
	const char *scheme = strstr(s->http.proxy, "://");
	if (scheme != NULL && strncasecmp(s->http.proxy, "http", 4) != 0 &&
	    strncasecmp(s->http.proxy, "socks", 5) != 0)
		return err_set(e, ST_CONFIG, "%s: provider.proxy must begin "
		    "with http://, https:// or socks5://, not %.*s",
		    conf_origin(l->conf, whole_key(l, "proxy")),
		    (int)(scheme - s->http.proxy) + 3, s->http.proxy);
	s->params = get_str(l, "params");
	s->no_images = !conf_bool(l->conf, whole_key(l, "vision"));
	s->system_in_place = conf_bool(l->conf,
	    whole_key(l, "system_in_place"));
	s->stream = conf_bool(l->conf, whole_key(l, "stream"));
	s->temperature = conf_is_set(l->conf, whole_key(l, "temperature")) ?
	    conf_num(l->conf, whole_key(l, "temperature")) : -1;
	s->reasoning_replay = get_str(l, "reasoning_replay");
	if (s->api == &api_ollama)
		load_window(s);
	s->max_tokens = get_int(l, "max_tokens");
	s->repeat_limit = get_int(l, "repeat_limit");
	s->max_retries = get_int(l, "max_retries");
	s->max_retry_after_ms = get_ms(l, "max_retry_after");
	s->http.connect_ms = get_ms(l, "connect_timeout");
	s->http.first_ms = get_ms(l, "first_byte_timeout");
	s->http.idle_ms = get_ms(l, "idle_timeout");
	s->http.total_ms = get_ms(l, "total_timeout");
	s->http.max_header = (size_t)get_int(l, "max_header_bytes");
	s->http.max_body = (size_t)get_int(l, "max_response_bytes");
	s->max_line = (size_t)get_int(l, "max_line_bytes");
	s->max_event = (size_t)get_int(l, "max_event_bytes");
	memcpy(s->prices_key, whole_key(l, "prices"), sizeof s->prices_key);
	if (prices_find(l->conf, s->prices_key, s->model, &prices, e) < 0)
		return -1;
	s->dialect = dialect_named(get_str(l, "tool_dialect"));
	return 0;
}

int
settings_load(struct settings *s, const struct conf *c, const struct flags *f,
    struct err *e)
{
	struct lookup l = { .conf = c, .name = f->provider };
	bool trusted, known = l.name == NULL;
	const char *const *names;
	size_t n;

	memset(s, 0, sizeof *s);
	names = conf_names(c, "provider", &n);
	for (size_t i = 0; i < n && !known; i++)
		known = strcmp(names[i], l.name) == 0;
	if (!known)
		return err_set(e, ST_CONFIG, "--provider %s: no such table; "
		    "write [provider.%s] into your config.toml", l.name,
		    l.name);
	if (load_api(s, &l, f, e) < 0 || load_rest(s, &l, f, e) < 0)
		return -1;
	if (s->replay_file != NULL || s->program != NULL) {
		s->base_url = xstrdup(s->replay_file != NULL ? "" :
		    f->base_url != NULL ? f->base_url :
		    get_str(&l, "base_url"));
		return 0;
	}
	if (load_url(s, &l, f, &trusted, e) < 0)
		return -1;
	/* the key */
	const char *var = get_str(&l, "api_key_env"), *val = NULL;
	const char *const *argv = conf_list(c, whole_key(&l,
	    "api_key_command"), &n);
	s->key_origin = s->api->key_env;
	if (*var != '\0' && is_for_us(s, &l, "api_key_env", trusted)) {
		s->key_origin = var;
		val = variable(var);
		if (val == NULL)
			return err_set(e, ST_CONFIG, "provider.api_key_env: %s "
			    "is not set in the environment; export it", var);
	} else if (n > 0 && is_for_us(s, &l, "api_key_command", trusted)) {
		s->key_origin = "provider.api_key_command";
		s->key = key_command(argv, e);
		if (s->key == NULL)
			return -1;
	} else if (trusted) {
		s->key_variable = s->api->key_env;
		val = variable(s->api->key_env);
	}
	if (val != NULL)
		s->key = xstrdup(val);
	if (s->key != NULL && key_check(s->key, s->key_origin, e) < 0)
		return -1;
	return load_headers(s, &l, trusted, e);
}

void
settings_release(struct settings *s)
{
	adapter_free(s->adapter);
	FREE(s->program, s->base_url, s->model);
	if (s->key != NULL)
		explicit_bzero(s->key, strlen(s->key));
	free(s->key);
	texts_release(&s->headers);
	free(s->secrets);
}

char *
settings_where(const char *url)
{
	const char *host = strstr(url, "://");

	if (host == NULL)
		return xstrdup("the server");
	host += 3;
	const char *end = host + strcspn(host, "/?#");
	const char *at = memrchr(host, '@', (size_t)(end - host));
	return xasprintf("%.*s%.*s", (int)(host - url), url,
	    (int)(end - (at != NULL ? at + 1 : host)),
	    at != NULL ? at + 1 : host);
}
