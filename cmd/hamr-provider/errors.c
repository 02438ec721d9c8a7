/* errors.c - what went wrong, as a code of chapter 2.3 with plain words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "errors.h"
#include "num.h"
#include "overflow.h"
#include "scan.h"
#include "utf8.h"

#define SHOWN_MAX 600		/* bytes of a server's words that are kept */

void
failure_init(struct failure *f)
{
	memset(f, 0, sizeof *f);
	buf_init(&f->message, FAILURE_MAX);
	f->wait_ms = -1;
}

void
failure_reset(struct failure *f)
{
	struct buf keep = f->message;

	buf_reset(&keep);
	memset(f, 0, sizeof *f);
	f->message = keep;
	f->wait_ms = -1;
}

void
failure_release(struct failure *f)
{
	buf_release(&f->message);
}

void
failure_set(struct failure *f, const char *code, bool retryable, bool again,
    const char *fmt, ...)
{
	va_list ap;

	buf_reset(&f->message);
	f->code = code;
	f->retryable = retryable;
	f->again = again;
	va_start(ap, fmt);
	buf_vfmt(&f->message, fmt, ap);
	va_end(ap);
}

/* ---- what a server says ---- */

static const struct status_row {
	long status;
	const char *code;
	bool retryable, again;
} statuses[] = {
	{ 401, "auth", false, false }, { 403, "auth", false, false },
	{ 408, "timeout", true, true }, { 504, "timeout", true, true },
	{ 409, "server", true, true }, { 425, "server", true, true },
	{ 429, "rate_limited", true, true },
	{ 503, "overloaded", true, true }, { 529, "overloaded", true, true },
	{ 413, "context_overflow", false, false },
};

static struct status_row
row_of(long status)
{
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].status == status)
			return statuses[i];
	if (status >= 500)
		return (struct status_row){ status, "server", true, true };
	return (struct status_row){ status, "bad_request", false, false };
}

/* The text of an error object, whatever its shape; false when none. */
static bool
words_of(struct slice o, struct buf *out)
{
	static const char *const keys[] = { "message", "detail", "error",
		"msg", "error_description" };
	struct slice inner = scan_get(o, "error"), key, val;
	struct walk w;

	if (scan_kind(o) == SCAN_STRING)
		return scan_str(o, out);
	if (scan_kind(o) == SCAN_ARRAY) {	/* FastAPI: a list of them */
		walk_in(&w, o);
		return walk_next(&w, &key, &val) && words_of(val, out);
	}
	if (scan_kind(inner) == SCAN_OBJECT && words_of(inner, out))
		return true;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		val = scan_get(o, keys[i]);
		if (scan_kind(val) == SCAN_STRING)
			return scan_str(val, out);
		if (scan_kind(val) == SCAN_ARRAY && words_of(val, out))
			return true;
	}
	return false;
}

/* What a gateway quotes of the server behind it. */
static void
raw_words(struct slice o, struct buf *out)
{
	struct slice raw = scan_get(scan_get(scan_get(o, "error"),
	    "metadata"), "raw");

	if (scan_kind(raw) == SCAN_STRING) {
		buf_adds(out, ": ");
		scan_str(raw, out);
	}
}

/* Append s as one clean line, cut. */
static void
add_shown(struct buf *out, struct slice s)
{
	struct buf clean = BUF_INIT(8 * FAILURE_MAX);
	size_t n = s.n < FAILURE_MAX ? s.n : FAILURE_MAX;

	utf8_clean(&clean, s.p, n);
	for (size_t i = 0; i < clean.len; i++)
		if ((unsigned char)clean.p[i] < 0x20 || clean.p[i] == 0x7f)
			clean.p[i] = ' ';
	n = utf8_cut(clean.p, clean.len, SHOWN_MAX);
	buf_add(out, clean.p, n);
	if (n < clean.len)
		buf_adds(out, " ...");
	buf_release(&clean);
}

static bool
is_html(struct slice s)
{
	while (s.n > 0 && strchr(" \t\r\n", *s.p) != NULL) {
		s.p++;
		s.n--;
	}
	return s.n > 0 && *s.p == '<';
}

/* n_ctx of llama.cpp's error object. */
static long long
structured_limit(struct slice o)
{
	struct slice e = scan_get(o, "error");
	int64_t n;

	if (scan_int(scan_get(e, "n_ctx"), &n) ||
	    scan_int(scan_get(o, "n_ctx"), &n))
		return n > 0 ? n : 0;
	return 0;
}

/* A body or error object says "context too small": fill f. */
static bool
overflows(struct failure *f, struct slice text, struct slice object)
{
	long long limit = 0;

	if (!is_overflow(text, &limit))
		return false;
	if (object.p != NULL && structured_limit(object) > 0)
		limit = structured_limit(object);
	f->code = "context_overflow";
	f->retryable = f->again = f->loading = false;
	f->limit = limit;
	return true;
}

/* Servers that were started without tools, or have a model without, say so
 * with a status that asks for another try. */
bool
failure_is_no_tools(struct slice body)
{
	static const char *const texts[] = { "requires --jinja",
		"does not support tools", "--enable-auto-tool-choice",
		"o endpoints found that support tool use",
		"tool calling` is not supported",
		"unction calling is not enabled for" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (body.n > 0 && memmem(body.p, body.n, texts[i],
		    strlen(texts[i])) != NULL)
			return true;
	return false;
}

void
failure_status(struct failure *f, long status, struct slice body)
{
	struct status_row row = row_of(status);
	struct slice object = { NULL, 0 };
	struct buf words = BUF_INIT(4 * FAILURE_MAX);
	struct scan sc = { 0 };

	if (body.n > 0 && scan_value(&sc, body.p, body.n) == 0)
		object = body;
	failure_set(f, row.code, row.retryable, row.again, "HTTP %ld", status);
	if (object.p != NULL && words_of(object, &words)) {
		raw_words(object, &words);
		buf_adds(&f->message, ": ");
		add_shown(&f->message, buf_view(&words));
	} else if (status >= 300 && status < 400) {
		buf_adds(&f->message, ": the server redirects, which is not "
		    "followed; give its new address as base_url");
	} else if (body.n == 0) {
		buf_adds(&f->message, ", with an empty body");
	} else if (is_html(body)) {
		buf_adds(&f->message, ", with a page of HTML");
	} else {
		buf_adds(&f->message, ": ");
		add_shown(&f->message, body);
	}
	if (status != 429)
		overflows(f, body, object);
	if (failure_is_no_tools(body))
		f->retryable = f->again = false;
	f->loading = status == 503 && strstr(f->message.p, "oading model");
	scan_release(&sc);
	buf_release(&words);
}

/* A code in an error object: a status as number or text, else a word. */
static const char *
event_word(struct slice e, struct buf *out)
{
	static const char *const keys[] = { "code", "type", "status" };

	buf_addc(out, ' ');
	for (size_t i = 0; i < 3; i++) {
		struct slice v = scan_get(e, keys[i]);

		if (scan_kind(v) == SCAN_NUMBER)
			buf_slice(out, v);
		else
			scan_str(v, out);
		buf_addc(out, ' ');
	}
	return out->p;
}

static struct status_row
row_of_words(const char *w)
{
	static const struct {
		const char *word;
		long status;
	} map[] = {
		{ "rate_limit", 429 }, { "overloaded", 529 },
		{ "authentication", 401 }, { "permission", 403 },
		{ "invalid_api_key", 401 }, { "timeout", 504 },
		{ "invalid_request", 400 }, { "bad_request", 400 },
		{ "BadRequest", 400 }, { "unavailable", 503 },
	};
	const char *p = w;

	for (; *p != '\0'; p++) {
		int64_t n;

		if (p > w && p[-1] == ' ' && strchr(p, ' ') == p + 3 &&
		    num_i64(p, 3, &n) && n >= 400 && n < 600)
			return row_of((long)n);
	}
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		if (strstr(w, map[i].word) != NULL)
			return row_of(map[i].status);
	return row_of(500);
}

void
failure_event(struct failure *f, struct slice object)
{
	struct slice e = scan_get(object, "error");
	struct buf words = BUF_INIT(4 * FAILURE_MAX), code = BUF_INIT(4096);
	struct status_row row = row_of_words(event_word(
	    scan_kind(e) == SCAN_OBJECT ? e : object, &code));

	failure_set(f, row.code, row.retryable, row.again,
	    "the server reports in its answer: ");
	if (words_of(object, &words)) {
		raw_words(object, &words);
		add_shown(&f->message, buf_view(&words));
	} else
		add_shown(&f->message, object);
	if (row.status != 429)
		overflows(f, object, object);
	buf_release(&words);
	buf_release(&code);
}

void
failure_words(struct failure *f, struct slice text)
{
	struct status_row row = row_of(500);

	failure_set(f, row.code, row.retryable, row.again,
	    "the server reports in its answer: ");
	add_shown(&f->message, text);
	overflows(f, text, (struct slice){ NULL, 0 });
}

void
failure_transfer(struct failure *f, const struct http_reply *r,
    const char *where)
{
	switch (r->end) {
	case HTTP_TIMEOUT:
		failure_set(f, "timeout", true, true, "%s: %s", where, r->why);
		break;
	case HTTP_TLS:
		failure_set(f, "tls", false, false, "%s: %s; %s", where,
		    r->why, strstr(r->why, "wrong version number") != NULL ?
		    "the server does not speak https there, is it http://" :
		    "if the server has a certificate of its own, name its CA "
		    "in provider.ca_file");
		break;
	case HTTP_TOO_LARGE:
		failure_set(f, "too_large", false, false, "%s: %s", where,
		    r->why);
		break;
	case HTTP_BAD_URL:
		failure_set(f, "bad_request", false, false, "%s: %s; only "
		    "http:// and https:// addresses can be used", where,
		    r->why);
		break;
	default:
		failure_set(f, "network", true, true, "%s: %s", where, r->why);
	}
}

/* ---- Retry-After ---- */

/* The HTTP dates of RFC 9110 5.6.7; only strptime knows them here, and in
 * the C locale, which is ours. */
static bool
http_date(const char *s, long long *out)
{
	static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT",
		"%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y" };

	for (size_t i = 0; i < 3; i++) {
		struct tm tm = { 0 };
		const char *end = strptime(s, forms[i], &tm);

		if (end != NULL && *end == '\0') {
			*out = timegm(&tm);
			return true;
		}
	}
	return false;
}

long long
retry_after_ms(const char *header, long long now)
{
	double seconds;
	long long at;

	if (num_double(header, strlen(header), &seconds)) {
		if (seconds < 0)
			return -1;
		return seconds > 1e9 ? 1000000000000LL :
		    (long long)(seconds * 1000);
	}
	if (!http_date(header, &at))
		return -1;
	if (at <= now)
		return 0;
	return at - now > 1000000000LL ? 1000000000000LL : (at - now) * 1000;
}
