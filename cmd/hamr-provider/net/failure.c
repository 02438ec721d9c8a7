/* failure.c - what went wrong: a code of chapter 2.3 and a message. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "json/scan.h"

#include "failure.h"

#define SHOWN_MAX 600		/* bytes kept of a server's message */
#define TEXT_MAX ((size_t)64 << 10)	/* more of an error is not read */
#define COUNT(table) (sizeof (table) / sizeof *(table))

static const struct {
	const char *code;
	bool retryable, again;
} codes[] = {
	{ "auth", false, false }, { "bad_request", false, false },
	{ "context_overflow", false, false }, { "tls", false, false },
	{ "too_large", false, false }, { "rate_limited", true, true },
	{ "overloaded", true, true }, { "network", true, true },
	{ "server", true, true }, { "timeout", true, true },
	{ "truncated", true, false }, { "malformed_tool_call", true, false },
};

void
failure_init(struct failure *f)
{
	*f = (struct failure){ .message = BUF_INIT(FAILURE_MAX),
		.wait_ms = -1 };
}

void
failure_release(struct failure *f)
{
	buf_release(&f->message);
}

const char *
failure_code(struct slice val)
{
	for (size_t i = 0; i < COUNT(codes); i++)
		if (scan_str_is(val, codes[i].code))
			return codes[i].code;
	return NULL;
}

int
failure_set(struct failure *f, const char *code, const char *fmt, ...)
{
	va_list ap;

	buf_reset(&f->message);
	va_start(ap, fmt);
	buf_vfmt(&f->message, fmt, ap);
	va_end(ap);
	f->code = code;
	f->retryable = f->again = false;
	for (size_t i = 0; i < COUNT(codes); i++)
		if (strcmp(codes[i].code, code) == 0) {
			f->retryable = codes[i].retryable;
			f->again = codes[i].again;
		}
	return -1;
}

/* ---- "your context is too large" ---- */

/* All in lower case, as seen on the wire (llama.cpp, vLLM, SGLang, TGI, LM
 * Studio, Ollama, TabbyAPI, OpenAI, Anthropic, Gemini, OpenRouter, Together,
 * xAI, Groq, Mistral, Kimi, MiniMax, DashScope, z.ai, Volcengine, Copilot,
 * Bedrock, Vertex, Cohere, TensorRT-LLM, watsonx, SiliconFlow, Cloudflare, ds4,
 * GitHub). */
static const char *const overflow_texts[] = {
	"exceeds the available context size",
	"context size has been exceeded",
	"exceed_context_size_error",
	"maximum context length",
	"maximum context limit",
	"maximum model length",
	"than the context length",
	"context length is only",
	"context window limit",
	"configured context size is",
	"tokens_limit_reached",
	"input tokens exceeds maximum length",
	"trying to keep the first",
	"reached context length of",
	"exceeds the context length",
	"exceeded max context length",
	"no user query found in messages",
	"exceeds the context window",
	"exceed context window",
	"exceed context limit",
	"exceeds the model context",
	"exceeds the model's context",
	"context length exceeded",
	"context window exceeded",
	"more than max tokens allowed",
	"exceed max message tokens",
	"prompt 超长",
	"context_length_exceeded",
	"context_exceeded",
	"prompt is too long",
	"prompt too long",
	"prompt_too_long",
	"request_too_large",
	"exceeds the maximum number of tokens allowed",
	"longer than the model's context length",
	"maximum prompt length is",
	"reduce the length of the messages",
	"exceeded model token limit",
	"context window exceeds limit",
	"exceeds the limit of",
	"input is too long for requested model",
	"exceeds the maximum allowed input length",
	"range of input length should be",
	"greater than max_seq_len",
	"less than max_seq_len",
	"but the model only supports up to",
	"too many tokens: ",
	"exceeds maximum input length",
	"not exceed max_num_tokens",
	"exceed the total tokens limit",
	"prompt tokens too long",
	"prompt exceeds max length",
	"max_prompt_tokens_exceeded",
	"`inputs` tokens + `max_new_tokens` must be",
	"`inputs` must have less than",
	"max_tokens must be at least 1, got -",	/* what the prompt left */
};

/* Rate limits are not overflows. */
static const char *const rate_texts[] = {
	"rate limit", "rate_limit", "too many requests", "throttlingexception",
	/* Bedrock; Cohere's "too many tokens: " is about the window */
	"too many tokens, ", "too many tokens per",
};

/* The window's size follows these and perhaps a filler such as "is"... */
static const char *const behind[] = {
	"available context size", "maximum context length", "context length",
	"n_ctx", "tokens allowed", "maximum prompt length", "token limit",
	"maximum context limit", "configured limit",
	"exceeds the limit", "context window", "allowed input length",
	"maximum model length", "max_seq_len", "must be", "less than",
	"input length should be [1,", "while limit is", "only supports up to",
	"limit for this model is", "cannot exceed", "maximum input length",
	"max_num_tokens", "tokens limit", " > ", "window limit",
	"configured context size", "max size",
};

/* ...or precedes this. */
static const char before[] = " maximum context length";

static long long
number_at(const char *p)
{
	static const char *const fill[] = { "is ", "of ", "only ", "<= " };
	long long n = 0;

	for (size_t i = 0; i < COUNT(fill); i++) {
		p += strspn(p, " (:\"");
		if (strncmp(p, fill[i], strlen(fill[i])) == 0)
			p += strlen(fill[i]);
	}
	for (; (isdigit((unsigned char)*p) || (*p == ',' && n > 0)) &&
	    n < 1000000000000LL; p++)
		if (*p != ',')
			n = n * 10 + (*p - '0');
	return n;
}

static bool
has_any(struct slice text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_has(text, list[i]))
			return true;
	return false;
}

/* If text, in any case, says that the request has more tokens than the window,
 * fill f.  object: the same text as checked JSON, or {NULL, 0}. */
static void
check_overflow(struct failure *f, struct slice text, struct slice object)
{
	struct slice error = scan_get(object, "error");
	int64_t n;

	if (text.n == 0)
		return;
	char *low = xmemdup0(text.p, text.n < TEXT_MAX ? text.n : TEXT_MAX);
	for (char *p = low; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	if (has_any(slice_of(low), overflow_texts, COUNT(overflow_texts)) &&
	    !has_any(slice_of(low), rate_texts, COUNT(rate_texts))) {
		f->code = "context_overflow";
		f->retryable = f->again = f->loading = false;
		/* the window that the text names */
		f->limit = 0;
		for (size_t i = 0; i < COUNT(behind) && f->limit == 0; i++) {
			const char *p = strstr(low, behind[i]);

			if (p != NULL)
				f->limit = number_at(p + strlen(behind[i]));
		}
		const char *p = f->limit == 0 ? strstr(low, before) : NULL;
		while (p != NULL && p > low &&
		    (isdigit((unsigned char)p[-1]) || p[-1] == ','))
			p--;
		if (p != NULL)
			f->limit = number_at(p);
		/* n_ctx of llama.cpp's error object */
		if ((scan_int(scan_get(error, "n_ctx"), &n) ||
		    scan_int(scan_get(object, "n_ctx"), &n)) && n > 0)
			f->limit = n;
		/* if the request fits, this number is not the window */
		if (scan_int(scan_get(error, "n_prompt_tokens"), &n) &&
		    n > 0 && n <= f->limit)
			f->limit = 0;
	}
	free(low);
}

/* ---- what a server says ---- */

static const char *
code_of_status(long status)
{
	static const struct {
		long status;
		const char *code;
	} rows[] = {
		{ 401, "auth" }, { 403, "auth" }, { 408, "timeout" },
		{ 504, "timeout" }, { 409, "server" }, { 425, "server" },
		{ 429, "rate_limited" }, { 503, "overloaded" },
		{ 529, "overloaded" }, { 413, "context_overflow" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].status == status)
			return rows[i].code;
	return status >= 500 ? "server" : "bad_request";
}

/* The text of an error object, whatever its shape; false if there is none. */
static bool
text_of(struct slice o, struct buf *out)
{
	static const char *const keys[] = { "message", "detail", "error",
		"msg", "error_description", "errors", "status_msg" };
	struct slice inner = scan_get(o, "error"), val = scan_get(o, "message");
	struct walk w = walk_elements(o);

	if (scan_kind(o) == SCAN_STRING)
		return scan_str(o, out);
	if (scan_kind(o) == SCAN_ARRAY)		/* FastAPI: a list of them */
		return walk_next(&w, NULL, &val) && text_of(val, out);
	if (inner.p == NULL)
		inner = scan_get(o, "base_resp");
	if (scan_kind(inner) == SCAN_OBJECT && text_of(inner, out))
		return true;
	/* Claude Code Router */
	if (scan_kind(val) == SCAN_OBJECT && text_of(val, out))
		return true;
	for (size_t i = 0; i < COUNT(keys); i++) {
		val = scan_get(o, keys[i]);
		if (scan_kind(val) == SCAN_STRING)
			return scan_str(val, out);
		if (scan_kind(val) == SCAN_ARRAY && text_of(val, out))
			return true;
	}
	return false;
}

/* Append s as one clean line of at most SHOWN_MAX bytes. */
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

/* Append the text of an error object, and what a gateway quotes from the
 * server behind it; false if there is no text. */
static bool
add_text(struct buf *out, const char *lead, struct slice object)
{
	struct slice raw = scan_get(scan_get(scan_get(object, "error"),
	    "metadata"), "raw");
	struct buf text = BUF_INIT(4 * FAILURE_MAX);
	bool any = text_of(object, &text);

	if (any) {
		if (scan_kind(raw) == SCAN_STRING) {
			buf_adds(&text, ": ");
			scan_str(raw, &text);
		}
		buf_adds(out, lead);
		add_shown(out, buf_view(&text));
	}
	buf_release(&text);
	return any;
}

/* A server that was started without tool support, or whose model has none,
 * says so with a status that suggests a retry. */
bool
words_no_tools(struct slice words)
{
	static const char *const texts[] = { "requires --jinja",
		"does not support tools", "--enable-auto-tool-choice",
		"o endpoints found that support tool use",
		"tool calling` is not supported",
		"unction calling is not enabled for" };

	return has_any(words, texts, COUNT(texts));
}

/* The server could not read the model's call (Groq, llama.cpp); the model may
 * do better when told. */
static void
check_malformed(struct failure *f, struct slice words)
{
	static const char *const texts[] = { "tool_use_failed",
		"output that does not match the expected",
		"Failed to parse tool call arguments" };

	if (!has_any(words, texts, COUNT(texts)))
		return;
	f->code = "malformed_tool_call";
	f->retryable = true;
}

/* The time that Gemini asks for in its error's body; -1: none. */
static long long
retry_delay_ms(struct slice body)
{
	static const char key[] = "\"retryDelay\":";
	size_t at = slice_find(body, 0, key);
	double seconds;

	if (at == body.n)
		return -1;
	struct slice rest = slice_trim_start(slice_from(body, at +
	    strlen(key)), " \"");
	rest.n = slice_find(rest, 0, "s\"");
	return num_double(rest.p, rest.n, &seconds) && seconds >= 0 &&
	    seconds < 1e9 ? (long long)(seconds * 1000) : -1;
}

void
failure_status(struct failure *f, long status, struct slice body)
{
	struct slice object = { NULL, 0 };

	body = slice_trim(body);	/* OpenRouter's start with blanks */
	if (scan_is_json(body))
		object = body;
	failure_set(f, code_of_status(status), "HTTP %ld", status);
	bool told = object.p != NULL && add_text(&f->message, ": ", object);
	if (!told && body.n == 0)
		buf_adds(&f->message, ", with an empty body");
	else if (!told && slice_starts(body, "<"))
		buf_adds(&f->message, ", with a page of HTML");
	else if (!told) {
		buf_adds(&f->message, ": ");
		add_shown(&f->message, body);
	}
	if (status >= 300 && status < 400)
		buf_adds(&f->message, "; redirects are not followed, so set "
		    "base_url to the new address");
	if (status == 407)
		buf_adds(&f->message, "; the proxy asks for a password, so "
		    "set provider.proxy to http://NAME:PASSWORD@HOST:PORT");
	if (status != 429)
		check_overflow(f, body, object);
	if (words_no_tools(body))
		f->retryable = f->again = false;
	check_malformed(f, body);
	f->wait_ms = retry_delay_ms(body);
	f->loading = status == 503 && strstr(f->message.p, "oading model");
}

void
failure_event(struct failure *f, struct slice text, struct slice object)
{
	static const char *const keys[] = { "code", "type", "status" };
	static const struct {
		const char *word;
		long status;
	} words[] = {
		{ "rate_limit", 429 }, { "insufficient_quota", 429 },
		{ "overloaded", 529 },
		{ "authentication", 401 }, { "permission", 403 },
		{ "invalid_api_key", 401 }, { "timeout", 504 },
		{ "billing", 402 },
		{ "invalid_request", 400 }, { "bad_request", 400 },
		{ "BadRequest", 400 }, { "unavailable", 503 },
		{ "not_found", 404 },
		/* MiniMax's own */
		{ "base1002 ", 429 }, { "base1004 ", 401 },
		{ "base1008 ", 402 }, { "base2013 ", 400 },
		{ "base2049 ", 401 },
	};
	struct slice e = scan_get(object, "error");
	struct buf said = BUF_INIT(4096);
	long status = 500;
	int64_t n;

	/* find the status that the object names, by number or by word */
	buf_adds(&said, " base");
	buf_slice(&said, scan_get(scan_get(object, "base_resp"),
	    "status_code"));
	buf_addc(&said, ' ');
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct slice v = scan_get(scan_kind(e) == SCAN_OBJECT ? e :
		    object, keys[i]);

		if (scan_kind(v) == SCAN_NUMBER)
			buf_slice(&said, v);
		else
			scan_str(v, &said);
		buf_addc(&said, ' ');
	}
	for (size_t i = COUNT(words); i-- > 0;)
		if (strstr(said.p, words[i].word) != NULL)
			status = words[i].status;
	for (const char *p = said.p + said.len; p-- > said.p + 1;)
		if (p[-1] == ' ' && strchr(p, ' ') == p + 3 &&
		    num_i64(p, 3, &n) && n >= 400 && n < 600)
			status = (long)n;
	buf_release(&said);
	failure_set(f, code_of_status(status),
	    "the server reports in its answer: ");
	if (!add_text(&f->message, "", object))
		add_shown(&f->message, text);
	if (status != 429)
		check_overflow(f, text, object);
	check_malformed(f, text);
}

void
failure_transfer(struct failure *f, const struct http_reply *r,
    const char *where)
{
	static const char *const ends[] = { [HTTP_TIMEOUT] = "timeout",
		[HTTP_TLS] = "tls", [HTTP_TOO_LARGE] = "too_large",
		[HTTP_BAD_URL] = "bad_request", [HTTP_NETWORK] = "network",
		[HTTP_DONE] = "network", [HTTP_GIVEN_UP] = "network",
		[HTTP_ABORTED] = "network" };

	failure_set(f, ends[r->end], "%s: %s", where, r->why);
	if (r->end == HTTP_TLS)
		buf_adds(&f->message, strstr(r->why, "wrong version number") !=
		    NULL ?
		    "; the server does not speak https there; try http://" :
		    strstr(r->why, "certificate file") != NULL ?
		    "; provider.ca_file must be a file of certificates" :
		    "; if the server has its own certificate, set "
		    "provider.ca_file to its CA");
	else if (strstr(r->why, "SSL_connect: ") != NULL)
		buf_adds(&f->message, "; if the server does not speak https, "
		    "try http://");
	else if (r->end == HTTP_BAD_URL)
		buf_adds(&f->message, "; write the address like "
		    "http://127.0.0.1:8080/v1");
}
