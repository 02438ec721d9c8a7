/* settings.c - what the command line, configuration and environment say. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapter.h"
#include "api.h"
#include "key.h"
#include "lookup.h"
#include "mem.h"
#include "prices.h"
#include "settings.h"
#include "settings_api.h"

static int
check_profile(struct lookup *l, struct err *e)
{
	const char *const *names;
	size_t n;

	if (l->name == NULL)
		return 0;
	names = conf_names(l->conf, "provider", &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], l->name) == 0)
			return 0;
	return err_set(e, ST_CONFIG, "--provider %s: no such table; write "
	    "[provider.%s] into your config.toml", l->name, l->name);
}

/* ---- where ---- */

bool
settings_is_own_host(const struct api *api, const char *url)
{
	size_t n;

	if (api->own_host == NULL)
		return false;
	n = strlen(api->own_host);
	return strncasecmp(url, api->own_host, n) == 0 &&
	    (url[n] == '\0' || url[n] == '/' || url[n] == ':' ||
	    url[n] == '?');
}

static const char *
variable(const char *name)
{
	const char *v = name != NULL ? getenv(name) : NULL;

	return v != NULL && *v != '\0' ? v : NULL;
}

/* OLLAMA_HOST is often a host and a port only, or a host. */
static char *
with_scheme(const struct api *api, const char *url)
{
	size_t host = strcspn(url, "/");

	if (api != &api_ollama || *url == '\0' || strstr(url, "://") != NULL)
		return xstrdup(url);
	if (memchr(url, ':', host) != NULL)
		return xasprintf("http://%s", url);
	return xasprintf("http://%.*s:11434%s", (int)host, url, url + host);
}

/* base_url; *trusted: the customary key may be sent there. */
static int
load_url(struct settings *s, struct lookup *l, const struct flags *f,
    bool *trusted, struct err *e)
{
	const char *env = variable(s->api->url_env);
	const char *url = f->base_url;
	size_t n;

	*trusted = url != NULL;
	if (url == NULL) {
		url = lookup_str(l, "base_url");
		*trusted = lookup_is_command_line(conf_origin(l->conf,
		    lookup_key(l, "base_url")));
	}
	if (*url == '\0' && env != NULL) {
		url = env;
		*trusted = true;
	}
	/* a model and a key but no address: the API's own */
	if (*url == '\0' && (!s->api->chat || (*s->model != '\0' &&
	    (variable(s->api->key_env) != NULL || *lookup_str(l, "api_key_env") ||
	    conf_is_set(l->conf, lookup_key(l, "api_key_command"))))))
		url = s->api->own_url;
	if (*url == '\0' && s->adapter != NULL)
		return err_set(e, ST_CONFIG, "api %s names no server; give "
		    "one with --base-url (or base_url under [provider])",
		    s->api->name);
	/* also where an adapter, which was named, says that its server is */
	if (settings_is_own_host(s->api, url) || (s->adapter != NULL &&
	    url == s->api->own_url))
		*trusted = true;
	s->base_url = with_scheme(s->api, url);
	url = s->base_url;
	if (*url != '\0' && strncasecmp(url, "http://", 7) != 0 &&
	    strncasecmp(url, "https://", 8) != 0)
		return err_set(e, f->base_url != NULL ? ST_USAGE : ST_CONFIG,
		    "the base URL is neither http:// nor https://; write it "
		    "like http://127.0.0.1:8080/v1");
	for (const char *p = url; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return err_set(e, f->base_url != NULL ? ST_USAGE :
			    ST_CONFIG, "the base URL has blanks or control "
			    "bytes in it");
	n = strlen(url);
	while (n > 0 && url[n - 1] == '/')
		n--;
	s->base_url[n] = '\0';
	return 0;
}

/* ---- what is for this address only ---- */

static bool
same_server(const struct settings *s, const char *base)
{
	char *full = with_scheme(s->api, base);
	char *a = settings_where(full), *b = settings_where(s->base_url);
	bool same = strcasecmp(a, b) == 0;

	free(full);
	free(a);
	free(b);
	return same;
}

/* The address that stands beside the key or headers in what (a full key), in
 * the same table and read no later; NULL: none does. */
static const char *
base_beside(struct lookup *l, const char *what)
{
	struct lookup table = { .conf = l->conf };
	const char *key;

	if (lookup_is_profile(l, what))
		table.name = l->name;
	key = lookup_key(&table, "base_url");
	if (!conf_is_set(l->conf, key))
		return NULL;
	return conf_rank(l->conf, key) <= conf_rank(l->conf, what) ?
	    conf_str(l->conf, key) : conf_overridden(l->conf, key);
}

/* A key, a command that prints one and headers are for the base_url that
 * stands beside them, and never for a server that was found by searching.  Is
 * what (of [provider]) for ours?  Else it is remembered as withheld. */
static bool
is_for_us(struct settings *s, struct lookup *l, const char *what,
    bool trusted)
{
	struct lookup url = *l;
	const char *base_key = lookup_key(&url, "base_url"), *beside;
	const char *origin, *full = lookup_key(l, what);
	bool good;

	if (!conf_is_set(l->conf, full))
		return false;
	origin = conf_origin(l->conf, base_key);
	beside = base_beside(l, full);
	if (*s->base_url == '\0')
		good = false;
	else if (lookup_is_command_line(conf_origin(l->conf, full)))
		good = trusted || *conf_str(l->conf, base_key) != '\0';
	else if (beside != NULL && *beside != '\0')
		good = same_server(s, beside);
	else
		/* said later, by a variable: that is beside it, too */
		good = trusted || (*conf_str(l->conf, base_key) != '\0' &&
		    *origin != '/' && lookup_is_profile(l, full) ==
		    lookup_is_profile(l, base_key));
	if (!good && s->withheld == NULL)
		s->withheld = what;
	return good;
}

static int
load_key(struct settings *s, struct lookup *l, bool trusted, struct err *e)
{
	const char *var = lookup_str(l, "api_key_env"), *val;
	const char *origin = s->api->key_env;
	const char *const *argv;
	size_t n;

	argv = conf_list(l->conf, lookup_key(l, "api_key_command"), &n);
	if (*var != '\0' && is_for_us(s, l, "api_key_env", trusted)) {
		origin = var;
		val = getenv(var);
		if (val == NULL || *val == '\0')
			return err_set(e, ST_CONFIG, "provider.api_key_env: "
			    "the environment has no %s; export it", var);
		s->key = xstrdup(val);
	} else if (n > 0 && is_for_us(s, l, "api_key_command", trusted)) {
		origin = "provider.api_key_command";
		s->key = key_command(argv, n, e);
		if (s->key == NULL)
			return -1;
	} else if (trusted) {
		s->key_variable = s->api->key_env;
		val = variable(s->api->key_env);
		if (val != NULL)
			s->key = xstrdup(val);
	}
	s->key_origin = origin;
	return s->key != NULL ? key_check(s->key, origin, e) : 0;
}

static bool
has_control(const char *s)
{
	for (; *s != '\0'; s++)
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
			return true;
	return false;
}

static int
load_headers(struct settings *s, struct lookup *l, bool trusted,
    struct err *e)
{
	const char *const *v;
	size_t n;
	size_t name = strcspn(s->api->key_header, ":") + 1;

	v = conf_list(l->conf, lookup_key(l, "headers"), &n);
	if (n > 0 && !is_for_us(s, l, "headers", trusted))
		n = 0;
	s->headers = xcalloc(n + 2, sizeof *s->headers);
	for (size_t i = 0; i < n; i++) {
		if (strchr(v[i], ':') == NULL || has_control(v[i]))
			return err_set(e, ST_CONFIG, "provider.headers: entry "
			    "%zu is not written as \"Name: value\"", i + 1);
		if (strncasecmp(v[i], s->api->key_header, name) == 0)
			s->own_key = true;
		s->headers[s->nheaders++] = xstrdup(v[i]);
	}
	if (s->key != NULL && !s->own_key)
		s->headers[s->nheaders++] = xasprintf("%s%s",
		    s->api->key_header, s->key);
	if (s->api->header != NULL)
		s->headers[s->nheaders++] = xstrdup(s->api->header);
	return 0;
}

void
settings_key_words(const struct settings *s, struct buf *out)
{
	if (s->key != NULL)
		buf_fmt(out, "; the key sent is from %s", s->key_origin);
	else if (s->own_key)
		buf_adds(out, "; the key sent is in provider.headers");
	else if (s->withheld != NULL)
		buf_fmt(out, "; no key was sent: provider.%s is for the "
		    "base_url beside it", s->withheld);
	else if (s->key_variable != NULL)
		buf_fmt(out, "; no key was sent: export %s",
		    s->key_variable);
	else
		buf_adds(out, "; no key was sent: set api_key_env beside its "
		    "base_url under [provider]");
}

/* ---- the rest ---- */

static int
load_words(struct settings *s, struct lookup *l, struct err *e)
{
	const char *dialect = lookup_str(l, "tool_dialect");
	const char *replay = lookup_str(l, "reasoning_replay");
	int kind = dialect_named(dialect);

	if (kind < 0)
		return err_set(e, ST_CONFIG, "provider.tool_dialect: %s is not "
		    "known; say auto, none, hermes, qwen3-coder, llama3, "
		    "mistral, deepseek, glm, kimi, minimax, pythonic or json",
		    dialect);
	s->dialect = (enum dialect_kind)kind;
	s->reasoning = strcmp(replay, "always") == 0 ? REASONING_ALWAYS :
	    strcmp(replay, "never") == 0 ? REASONING_NEVER : REASONING_AUTO;
	return 0;
}

/* Ollama gives the window that is asked for, and its own default is small.
 * What nobody set is a size that most machines can hold. */
static long long
window_wanted(const struct conf *c)
{
	const char *key = "context.context_budget_tokens";

	if (conf_is_set(c, "context.window"))
		return conf_int(c, "context.window");
	return conf_is_set(c, key) ? conf_int(c, key) : 32768;
}

static void
load_limits(struct settings *s, struct lookup *l)
{
	s->window = s->api == &api_ollama ? window_wanted(l->conf) : 0;
	s->max_tokens = lookup_int(l, "max_tokens");
	s->repeat_limit = lookup_int(l, "repeat_limit");
	s->max_retries = lookup_int(l, "max_retries");
	s->max_retry_after_ms = lookup_ms(l, "max_retry_after");
	s->connect_ms = lookup_ms(l, "connect_timeout");
	s->first_ms = lookup_ms(l, "first_byte_timeout");
	s->idle_ms = lookup_ms(l, "idle_timeout");
	s->total_ms = lookup_ms(l, "total_timeout");
	s->max_header = (size_t)lookup_int(l, "max_header_bytes");
	s->max_body = (size_t)lookup_int(l, "max_response_bytes");
	s->max_line = (size_t)lookup_int(l, "max_line_bytes");
	s->max_event = (size_t)lookup_int(l, "max_event_bytes");
}

int
settings_load(struct settings *s, const struct conf *c, const struct flags *f,
    struct err *e)
{
	struct lookup l = { .conf = c, .name = f->provider };
	bool trusted;

	memset(s, 0, sizeof *s);
	if (check_profile(&l, e) < 0 || settings_load_api(s, &l, f, e) < 0)
		return -1;
	s->quiet = f->quiet;
	s->model = xstrdup(f->model != NULL ? f->model : lookup_str(&l, "model"));
	s->ca_file = lookup_str(&l, "ca_file");
	s->proxy = lookup_str(&l, "proxy");
	s->params = lookup_str(&l, "params");
	s->blind = !conf_bool(c, lookup_key(&l, "vision"));
	s->system_in_place = conf_bool(c, lookup_key(&l, "system_in_place"));
	s->stream = conf_bool(c, lookup_key(&l, "stream"));
	s->has_temperature = conf_is_set(c, lookup_key(&l, "temperature"));
	if (s->has_temperature)
		s->temperature = conf_num(c, lookup_key(&l, "temperature"));
	s->conf = c;
	memcpy(s->prices_key, lookup_key(&l, "prices"), sizeof s->prices_key);
	if (prices_check(c, s->prices_key, e) < 0)
		return -1;
	load_limits(s, &l);
	if (load_words(s, &l, e) < 0)
		return -1;
	if (s->replay || s->program != NULL) {
		s->base_url = xstrdup(s->replay ? "" : f->base_url != NULL ?
		    f->base_url : lookup_str(&l, "base_url"));
		return 0;
	}
	if (load_url(s, &l, f, &trusted, e) < 0 ||
	    load_key(s, &l, trusted, e) < 0)
		return -1;
	return load_headers(s, &l, trusted, e);
}

void
settings_release(struct settings *s)
{
	adapter_free(s->adapter);
	free(s->program);
	free(s->base_url);
	free(s->model);
	if (s->key != NULL)
		explicit_bzero(s->key, strlen(s->key));
	free(s->key);
	for (size_t i = 0; i < s->nheaders; i++)
		free(s->headers[i]);
	free(s->headers);
}

char *
settings_where(const char *url)
{
	const char *host = strstr(url, "://"), *at, *end;

	if (host == NULL)
		return xstrdup("the server");
	host += 3;
	end = host + strcspn(host, "/?#");
	at = memrchr(host, '@', (size_t)(end - host));
	return xasprintf("%.*s%.*s", (int)(host - url), url,
	    (int)(end - (at != NULL ? at + 1 : host)),
	    at != NULL ? at + 1 : host);
}
