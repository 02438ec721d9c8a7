/* adapter_request.c - what an adapter's `request` is asked, and wants sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "quirks.h"

#include "adapter_in.h"

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
	bool first = true;

	buf_adds(out, "{\"request\":{\"type\":\"request\",\"model\":");
	scan_quote(out, b->model, strlen(b->model));
	buf_fmt(out, ",\"stream\":%s", b->stream ? "true" : "false");
	put_number(out, "temperature", b->has_temperature, "%.15g",
	    b->temperature);
	put_number(out, "max_tokens", b->max_tokens > 0, "%.0f",
	    (double)b->max_tokens);
	buf_adds(out, ",\"tools\":");
	buf_slice(out, scan_kind(b->tools) == SCAN_ARRAY ?
	    b->tools : SLICE("[]"));
	if (b->tool_choice.p != NULL) {
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
	if (*c->method == '\0' || c->method[strspn(c->method,
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0') {
		failure_set(f, "bad_request", false, false, "%s: request: its "
		    "method is none, like POST", ad->path);
		return -1;
	}
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
	if (adapter_ask(ad, "request", f) < 0)
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
