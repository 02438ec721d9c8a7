/* adapter.c - an API that a jq program speaks: its life, its questions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "file.h"
#include "mem.h"
#include "place.h"
#include "quirks.h"
#include "utf8.h"

#define PROGRAM_MAX ((size_t)1 << 20)

struct adapter {
	struct api api;
	char *path, *name;
	char *base_url, *models;
	char *text;		/* as it is compiled */
	struct program *program;	/* NULL: to be started again */
	program_waiter *wait;
	void *wait_ctx;
	size_t max, made;	/* bytes of results, of the answer in hand */
	struct buf in, out;
	struct scan scan;
};

/* ---- where ---- */

bool
adapter_is_path(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && strcmp(name + n - 3, ".jq") == 0;
}

/* Beside the user's configuration file. */
static char *
user_path(const char *name)
{
	char *conf = conf_user_path(), *path;

	if (conf == NULL)
		return xstrdup("");
	*strrchr(conf, '/') = '\0';
	path = xasprintf("%s/providers/%s.jq", conf, name);
	free(conf);
	return path;
}

char *
adapter_path(const char *name)
{
	char *file, *path;

	if (adapter_is_path(name))
		return xstrdup(name);
	if (*name == '\0' || strchr(name, '/') != NULL)
		return NULL;
	file = xasprintf("providers/%s.jq", name);
	path = conf_share(file);
	free(file);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	path = user_path(name);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* ---- life ---- */

/* What the head of a program says: "# KEY: VALUE".  Yours to free. */
static char *
head(const char *text, const char *key)
{
	size_t k = strlen(key);

	while (*text == '#') {
		size_t n = strcspn(text, "\n");

		if (n > k + 2 && strncmp(text + 2, key, k) == 0) {
			const char *v = text + 2 + k;
			size_t skip = strspn(v, " \t");

			return xmemdup0(v + skip, n - 2 - k - skip);
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

static char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	path = slash != NULL ? slash + 1 : path;
	return xmemdup0(path, strlen(path) - strlen(".jq"));
}

/* What stands before the program is on its first line, so that libjq tells
 * the program's own lines. */
static char *
wrap(const struct buf *own)
{
	return xasprintf(". as $hamr | $hamr.name as $event | %.*s\n"
	    "if $hamr.request then ($hamr.request | request)\n"
	    "else ($hamr.event[0] | event) end", (int)own->len, own->p);
}

/* What is not defined where we call it has no line of the program's. */
static int
missing(const struct adapter *ad, struct err *e)
{
	static const char *const names[] = { "request", "event" };
	size_t n = strlen(ad->path);
	char words[64];

	for (size_t i = 0; i < 2; i++) {
		snprintf(words, sizeof words, "%s/0 is not defined", names[i]);
		if (strncmp(e->text, ad->path, n) == 0 &&
		    strstr(e->text, words) != NULL)
			return err_set(e, ST_USAGE, "%s: it does not define "
			    "the function %s", ad->path, names[i]);
	}
	return -1;
}

static int
start(struct adapter *ad, struct err *e)
{
	if (ad->program == NULL)
		ad->program = program_new(ad->path, ad->text, "{}", false, e);
	if (ad->program == NULL)
		return missing(ad, e);
	program_wait(ad->program, ad->wait, ad->wait_ctx);
	return 0;
}

static struct adapter *
new(const char *path, const struct buf *own, size_t max)
{
	struct adapter *ad = xcalloc(1, sizeof *ad);

	ad->path = xstrdup(path);
	ad->name = name_of(path);
	ad->base_url = head(own->p, "base_url:");
	ad->models = head(own->p, "models:");
	ad->text = wrap(own);
	ad->max = max;
	ad->api = (struct api){ .name = ad->name, .own = ad,
		.own_url = ad->base_url != NULL ? ad->base_url : "",
		.own_host = ad->base_url,
		.key_header = "Authorization: Bearer ",
		.models = ad->models != NULL ? ad->models : "/models",
		.path = "" };
	buf_init(&ad->in, BUF_RECORD_MAX);
	buf_init(&ad->out, max < BUF_RECORD_MAX ? max : BUF_RECORD_MAX);
	return ad;
}

struct adapter *
adapter_open(const char *path, size_t max, struct err *e)
{
	struct buf own = BUF_INIT(PROGRAM_MAX);
	struct adapter *ad = NULL;

	if (file_read(path, &own, e) == 0) {
		buf_adds(&own, "");
		ad = new(path, &own, max);
		if (start(ad, e) < 0) {
			adapter_free(ad);
			ad = NULL;
		}
	}
	buf_release(&own);
	return ad;
}

void
adapter_free(struct adapter *ad)
{
	if (ad == NULL)
		return;
	program_free(ad->program);
	buf_release(&ad->in);
	buf_release(&ad->out);
	scan_release(&ad->scan);
	free(ad->path);
	free(ad->name);
	free(ad->base_url);
	free(ad->models);
	free(ad->text);
	free(ad);
}

const struct api *
adapter_api(const struct adapter *ad)
{
	return &ad->api;
}

void
adapter_wait(struct adapter *ad, program_waiter *wait, void *ctx)
{
	ad->wait = wait;
	ad->wait_ctx = ctx;
}

/* ---- asking ---- */

static void
broke(struct adapter *ad, struct failure *f, const char *function,
    const struct err *e)
{
	size_t n = strlen(ad->path);
	const char *why = e->text;

	/* err.h's words begin with the program's name */
	if (strncmp(why, ad->path, n) == 0 && why[n] == ':')
		why += n + 1 + strspn(why + n + 1, " ");
	failure_set(f, strcmp(function, "request") == 0 ? "bad_request" :
	    "server", false, false, "%s: %s: %s", ad->path, function, why);
}

/* All results for ad->in, one a line, to ad->out. */
static int
ask(struct adapter *ad, const char *function, struct failure *f)
{
	struct err e;
	int got;

	buf_reset(&ad->out);
	if (start(ad, &e) < 0) {
		broke(ad, f, function, &e);
		return -1;
	}
	got = program_run(ad->program, buf_view(&ad->in), &ad->out, &e);
	if (got != 0)
		broke(ad, f, function, &e);
	if (got < 0) {
		program_free(ad->program);
		ad->program = NULL;
	}
	ad->made += ad->out.len;
	if (got >= 0 && (ad->out.over || ad->made > ad->max)) {
		failure_set(f, "too_large", false, false, "%s: %s: its "
		    "results are larger than provider.max_response_bytes",
		    ad->path, function);
		return -1;
	}
	return got == 0 ? 0 : -1;
}

/* ---- request ---- */

static void
put_number(struct buf *out, const char *key, bool there, const char *fmt,
    double v)
{
	char text[64];

	snprintf(text, sizeof text, fmt, v);
	if (there)
		buf_fmt(out, ",\"%s\":%s", key, text);
}

/* The request record, with what the configuration says besides. */
static void
put_request(const struct body *b, struct slice messages, struct buf *out)
{
	static const char *const all[] = { NULL };
	bool rendered = b->dialect != DIALECT_AUTO &&
	    b->dialect != DIALECT_NONE;
	bool first = true;

	buf_adds(out, "{\"request\":{\"type\":\"request\",\"model\":");
	scan_quote(out, b->model, strlen(b->model));
	buf_fmt(out, ",\"stream\":%s", b->stream ? "true" : "false");
	put_number(out, "temperature", b->has_temperature, "%.15g",
	    b->temperature);
	put_number(out, "max_tokens", b->max_tokens > 0, "%.0f",
	    (double)b->max_tokens);
	buf_adds(out, ",\"tools\":");
	buf_slice(out, !rendered && scan_kind(b->tools) == SCAN_ARRAY ?
	    b->tools : SLICE("[]"));
	if (!rendered && b->tool_choice.p != NULL) {
		buf_adds(out, ",\"tool_choice\":");
		buf_slice(out, b->tool_choice);
	}
	buf_adds(out, ",\"params\":");
	api_fields(b, out, &first, all);
	buf_adds(out, first ? "{}" : "}");
	buf_adds(out, ",\"messages\":");
	buf_slice(out, messages);
	buf_adds(out, "}}");
}

/* A word of `request`, checked; NULL with f. */
static char *
word(struct adapter *ad, struct slice val, const char *what,
    const char *otherwise, struct failure *f)
{
	char *text = val.p == NULL || scan_kind(val) == SCAN_NULL ?
	    xstrdup(otherwise) : scan_strdup(val);
	bool good = text != NULL;

	for (const char *p = text; good && *p != '\0'; p++)
		good = (unsigned char)*p > ' ' && *p != 0x7f;
	if (good)
		return text;
	free(text);
	failure_set(f, "bad_request", false, false, "%s: request: its %s is no "
	    "text without blanks", ad->path, what);
	return NULL;
}

/* A header line of the program's; "[key]" in its value becomes the key. */
static char *
header(struct slice key, struct slice val, const struct adapter_defaults *d,
    bool *has_key)
{
	char *name = xmemdup0(key.p, key.n), *text = scan_strdup(val), *at;
	char *line;

	if (scan_kind(val) == SCAN_NUMBER)
		text = xmemdup0(val.p, val.n);
	if (text == NULL || name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] != '\0' ||
	    strpbrk(text, "\r\n") != NULL) {
		free(name);
		free(text);
		return NULL;
	}
	at = strstr(text, "[key]");
	*has_key |= at != NULL;
	if (at != NULL)
		line = xasprintf("%s: %.*s%s%s", name, (int)(at - text), text,
		    d->key != NULL ? d->key : "", at + 5);
	else	/* libcurl leaves out one with nothing behind the colon */
		line = xasprintf("%s%s%s", name, *text != '\0' ? ": " : ";",
		    text);
	free(name);
	free(text);
	return line;
}

static void
add_header(struct adapter_call *c, char *line)
{
	c->headers = xrealloc(c->headers, (c->nheaders + 1) *
	    sizeof *c->headers);
	c->headers[c->nheaders++] = line;
}

static bool
is_same_header(const char *a, const char *b)
{
	size_t n = strcspn(a, ":;");

	return strncasecmp(a, b, n) == 0 && (b[n] == ':' || b[n] == ';');
}

/* The defaults that the program does not say itself; the key goes one way
 * only. */
static void
add_defaults(struct adapter *ad, struct adapter_call *c, bool has_key,
    const struct adapter_defaults *d)
{
	size_t own = c->nheaders;
	char *keyed = d->key != NULL ? xasprintf("%s%s", ad->api.key_header,
	    d->key) : xstrdup("");

	for (size_t i = 0; i < d->nheaders; i++) {
		bool said = has_key && strcmp(d->headers[i], keyed) == 0;

		for (size_t j = 0; j < own; j++)
			said |= is_same_header(c->headers[j], d->headers[i]);
		if (!said)
			add_header(c, xstrdup(d->headers[i]));
	}
	free(keyed);
}

static int
take_headers(struct adapter *ad, struct slice headers,
    const struct adapter_defaults *d, struct adapter_call *c,
    struct failure *f)
{
	bool has_key = false;
	struct slice key, val;
	struct walk w;

	walk_in(&w, headers);
	while (scan_kind(headers) == SCAN_OBJECT && walk_next(&w, &key, &val)) {
		char *line = header(key, val, d, &has_key);

		if (line == NULL) {
			failure_set(f, "bad_request", false, false, "%s: "
			    "request: headers: \"%.*s\" is not the name of "
			    "one line of text", ad->path, (int)(key.n < 60 ?
			    key.n : 60), key.p);
			return -1;
		}
		add_header(c, line);
	}
	add_defaults(ad, c, has_key, d);
	return 0;
}

static int
take_request(struct adapter *ad, const struct body *b,
    const struct adapter_defaults *d, struct adapter_call *c, struct buf *out,
    struct failure *f)
{
	struct slice all = buf_view(&ad->out), body, headers;
	char *path;

	if (all.n == 0 || scan_value(&ad->scan, all.p, all.n) < 0 ||
	    scan_kind(all) != SCAN_OBJECT) {
		failure_set(f, "bad_request", false, false, "%s: request: it "
		    "gives no object, or more than one; one with method, path, "
		    "headers and body is wanted", ad->path);
		return -1;
	}
	headers = scan_get(all, "headers");
	body = scan_get(all, "body");
	if (scan_kind(body) == SCAN_NONE || scan_kind(body) == SCAN_NULL)
		body = SLICE("{}");
	if ((scan_kind(body) != SCAN_OBJECT && scan_kind(body) != SCAN_ARRAY) ||
	    (headers.p != NULL && scan_kind(headers) != SCAN_OBJECT &&
	    scan_kind(headers) != SCAN_NULL)) {
		failure_set(f, "bad_request", false, false, "%s: request: "
		    "body and headers are objects, where they are there",
		    ad->path);
		return -1;
	}
	c->method = word(ad, scan_get(all, "method"), "method", "POST", f);
	path = word(ad, scan_get(all, "path"), "path", "", f);
	/* it never reaches into the host */
	if (path != NULL)
		c->path = xasprintf("%s%s", *path == '/' || *path == '?' ||
		    *path == '\0' ? "" : "/", path);
	free(path);
	if (c->method == NULL || c->path == NULL)
		return -1;
	quirks_body(b->quirks, body, out);
	return take_headers(ad, headers, d, c, f);
}

int
adapter_request(struct adapter *ad, const struct body *b,
    struct slice messages, const struct adapter_defaults *d,
    struct adapter_call *call, struct buf *out, struct failure *f)
{
	ad->made = 0;
	buf_reset(&ad->in);
	put_request(b, messages, &ad->in);
	if (ask(ad, "request", f) < 0)
		return -1;
	ad->made = 0;		/* the answer's begin */
	return take_request(ad, b, d, call, out, f);
}

void
adapter_call_release(struct adapter_call *c)
{
	free(c->method);
	free(c->path);
	for (size_t i = 0; i < c->nheaders; i++) {
		explicit_bzero(c->headers[i], strlen(c->headers[i]));
		free(c->headers[i]);
	}
	free(c->headers);
	*c = (struct adapter_call){ NULL, NULL, NULL, 0 };
}

/* ---- event ---- */

/* Data is JSON, else a text. */
static void
put_event(struct adapter *ad, struct slice name, struct slice data)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	buf_reset(&ad->in);
	buf_adds(&ad->in, "{\"name\":");
	utf8_clean(&clean, name.p != NULL ? name.p : "", name.n);
	scan_quote(&ad->in, clean.p != NULL ? clean.p : "", clean.len);
	buf_adds(&ad->in, ",\"event\":[");
	if (scan_value(&ad->scan, data.p, data.n) == 0) {
		buf_slice(&ad->in, data);
	} else {
		buf_reset(&clean);
		utf8_clean(&clean, data.p, data.n);
		scan_quote(&ad->in, clean.p, clean.len);
	}
	buf_adds(&ad->in, "]}");
	buf_release(&clean);
}

enum api_said
adapter_event(struct adapter *ad, struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f)
{
	enum api_said said = API_MORE;
	char *at, *line;

	put_event(ad, st->event, data);
	if (ask(ad, "event", f) < 0)
		return API_ERROR;
	at = ad->out.len > 0 ? ad->out.p : NULL;
	while (said != API_ERROR && (line = strsep(&at, "\n")) != NULL) {
		struct slice result = slice_of(line);
		enum api_said now;

		if (result.n == 0)
			continue;
		if (scan_value(&ad->scan, result.p, result.n) < 0) {
			failure_set(f, "server", false, false, "%s: event: "
			    "%s", ad->path, ad->scan.why);
			return API_ERROR;
		}
		now = adapter_delta(a, result, f);
		if (now == API_ERROR && f->code == NULL)
			failure_set(f, "server", false, false, "%s: event: it "
			    "gives no delta but %.*s", ad->path,
			    (int)(result.n < 200 ? result.n : 200), result.p);
		said = now > said ? now : said;
	}
	if (said == API_MORE && answer_finished(a))
		said = API_FINISHED;
	return said;
}
