/* adapter.c - an API that a jq program speaks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "dialect/match.h"
#include "request/quirks.h"

#include "adapter.h"
#include "form.h"

#define PROGRAM_MAX ((size_t)1 << 20)
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct adapter {
	struct api api;
	char *path, *name;
	char *base_url, *models, *window;	/* from its head, or NULL */
	char *text;		/* what is compiled */
	size_t lines;		/* in the user's program */
	struct program *program;	/* NULL: not running */
	program_waiter *wait;
	void *wait_ctx;
	size_t max, made;	/* bytes of results for the current answer */
	struct buf in, out;
	struct scan scan;
};

/* ---- where ---- */

bool
adapter_is_path(const char *name)
{
	return strlen(name) > 3 && slice_ends(slice_of(name), ".jq");
}

char *
adapter_path(const char *name)
{
	if (adapter_is_path(name))
		return access(name, F_OK) == 0 ? xstrdup(name) : NULL;
	if (*name == '\0' || strchr(name, '/') != NULL)
		return NULL;
	char *file = xasprintf("/providers/%s.jq", name), *found = NULL;
	char *paths[] = { conf_share(file + 1),
		conf_home("XDG_CONFIG_HOME", ".config", file) };
	for (size_t i = 0; i < 2; i++)
		if (found == NULL && paths[i] != NULL &&
		    access(paths[i], F_OK) == 0)
			found = paths[i];
		else
			free(paths[i]);
	free(file);
	return found;
}

/* ---- life ---- */

/* The value of "# KEY: VALUE" in the program's head.  The caller frees it. */
static char *
head(struct slice text, const char *key)
{
	size_t lead = strlen("# ") + strlen(key);
	struct slice line;

	while (slice_line(&text, &line) && slice_starts(line, "#"))
		if (line.n > lead && begins(line, strlen("# "), key)) {
			line = slice_trim_start(slice_from(line, lead), " \t");
			return xmemdup0(line.p, line.n);
		}
	return NULL;
}

static int
start(struct adapter *ad, struct err *e)
{
	size_t n = strlen(ad->path);

	if (ad->program == NULL)
		ad->program = program_new(ad->path, ad->text, "{}", false, e);
	if (ad->program != NULL) {
		program_wait(ad->program, ad->wait, ad->wait_ctx);
		return 0;
	}
	/* an error after the program's last line is in what we append */
	if (strncmp(e->text, ad->path, n) != 0 || e->text[n] != ':' ||
	    strtoul(e->text + n + 1, NULL, 10) <= ad->lines)
		return -1;
	for (int event = 0; event <= 1; event++)
		if (strstr(e->text, event ? "event/0 is not defined" :
		    "request/0 is not defined") != NULL)
			return err_set(e, ST_USAGE, "%s: does not define the "
			    "function %s", ad->path, event ? "event" :
			    "request");
	return err_set(e, ST_USAGE, "%s:%zu: a function is not closed, or "
	    "something else follows it", ad->path, ad->lines);
}

const struct api *
adapter_open(const char *path, size_t max, struct err *e)
{
	struct buf own = BUF_INIT(PROGRAM_MAX);
	const char *name = file_base(path);
	struct adapter *ad;
	int64_t n;

	if (file_read(path, &own, e) < 0) {
		buf_release(&own);
		return NULL;
	}
	ad = xcalloc(1, sizeof *ad);
	ad->path = xstrdup(path);
	ad->name = xmemdup0(name, strlen(name) - strlen(".jq"));
	ad->base_url = head(buf_view(&own), "base_url:");
	ad->models = head(buf_view(&own), "models:");
	ad->window = head(buf_view(&own), "window:");
	const char *w = ad->window;
	if (w != NULL && *w != '/' && *w != '?' &&
	    (!num_i64(w, strlen(w), &n) || n <= 0))
		xset(&ad->window, NULL);
	/* what we prepend shares the program's first line, so that libjq
	 * reports the program's own line numbers */
	ad->text = xasprintf(". as $hamr | $hamr.name as $event | "
	    "$hamr.model as $model | def window: .context_length; %.*s\n"
	    "if $hamr.request then ($hamr.request | request)\n"
	    "elif $hamr.window then ($hamr.window[0] | window)\n"
	    "else ($hamr.event[0] | event) end", (int)own.len,
	    buf_view(&own).p);
	ad->lines = slice_lines(buf_view(&own));
	buf_release(&own);
	ad->max = max;
	ad->api = (struct api){ .name = ad->name, .own = ad,
		.own_url = ad->base_url != NULL ? ad->base_url : "",
		.key_header = "Authorization: Bearer ",
		.models = ad->models != NULL ? ad->models : "/models",
		.path = "" };
	buf_init(&ad->in, BUF_RECORD_MAX);
	buf_init(&ad->out, max < BUF_RECORD_MAX ? max : BUF_RECORD_MAX);
	if (start(ad, e) == 0)
		return &ad->api;
	adapter_free(&ad->api);
	return NULL;
}

void
adapter_free(const struct api *api)
{
	struct adapter *ad = api != NULL ? api->own : NULL;

	if (ad == NULL)
		return;
	program_free(ad->program);
	bufs_release(BUFS(&ad->in, &ad->out));
	scan_release(&ad->scan);
	FREE(ad->path, ad->name, ad->base_url, ad->models, ad->window, ad->text,
	    ad);
}

void
adapter_wait(struct adapter *ad, program_waiter *wait, void *ctx)
{
	ad->wait = wait;
	ad->wait_ctx = ctx;
}

/* ---- asking ---- */

/* Run function on ad->in; its results go to ad->out, one per line.  -1 with
 * f. */
static int
ask(struct adapter *ad, const char *function, struct failure *f)
{
	size_t n = strlen(ad->path);
	struct err e;

	buf_reset(&ad->out);
	int got = start(ad, &e);
	if (got == 0)
		got = program_run(ad->program, buf_view(&ad->in), &ad->out,
		    &e);
	if (got != 0) {
		const char *why = e.text;

		/* the error's text may start with the program's name */
		if (strncmp(why, ad->path, n) == 0 && why[n] == ':')
			why += n + 1 + strspn(why + n + 1, " ");
		failure_final(f, strcmp(function, "request") == 0 ?
		    "bad_request" : "server", "%s: %s: %s", ad->path, function,
		    why);
	}
	if (got < 0) {
		program_free(ad->program);
		ad->program = NULL;
	}
	ad->made += ad->out.len;
	if (got >= 0 && (ad->out.over || ad->made > ad->max))
		return failure_set(f, "too_large", "%s: %s: its results are "
		    "larger than provider.max_response_bytes", ad->path,
		    function);
	return got == 0 ? 0 : -1;
}

/* ---- request ---- */

/* Check and copy a string that `request` returned; NULL with f. */
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
	failure_set(f, "bad_request", "%s: request: %s must be a string "
	    "without spaces", ad->path, what);
	return NULL;
}

/* Make a header line of a header that the program set; "[key]" in its value
 * becomes the key.  NULL: not a valid header. */
static char *
header(struct slice key, struct slice val, const char *secret, bool *has_key)
{
	char *name = xmemdup0(key.p, key.n), *line = NULL;
	char *text = scan_kind(val) == SCAN_NUMBER ? xmemdup0(val.p, val.n) :
	    scan_strdup(val);

	if (text != NULL && strpbrk(text, "\r\n") == NULL &&
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz" LETTERS
	    "0123456789-_")] == '\0') {
		char *at = strstr(text, "[key]");
		*has_key |= at != NULL;
		if (at != NULL)
			line = xasprintf("%s: %.*s%s%s", name,
			    (int)(at - text), text,
			    secret != NULL ? secret : "", at + 5);
		else	/* libcurl omits a header with nothing after ":" */
			line = xasprintf("%s%s%s", name,
			    *text != '\0' ? ": " : ";", text);
	}
	FREE(name, text);
	return line;
}

/* Take the program's headers, and the defaults for those that it does not set;
 * the key is sent in one header only. */
static int
take_headers(struct adapter *ad, struct slice headers,
    const struct texts *usual, const char *secret, struct adapter_call *c,
    struct failure *f)
{
	/* these frame the transfer: with a wrong length, part of the body
	 * could pass for a second request */
	static const char *const ours[] = { "content-length", "host",
		"transfer-encoding" };
	bool has_key = false;
	struct slice key, val;

	for (struct walk w = walk_of(scan_only(SCAN_OBJECT, headers));
	    walk_next(&w, &key, &val); ) {
		for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
			if (is_word(key, ours[i]))
				return failure_set(f, "bad_request", "%s: "
				    "request: headers: %s cannot be set",
				    ad->path, ours[i]);
		char *line = header(key, val, secret, &has_key);
		if (line == NULL)
			return failure_set(f, "bad_request", "%s: request: "
			    "headers: \"%.*s\" is not a header name with a "
			    "one-line value", ad->path,
			    (int)num_min(key.n, 60), key.p);
		texts_add(&c->headers, line);
	}
	size_t own = c->headers.n;
	char *keyed = xasprintf("%s%s", secret != NULL ? ad->api.key_header :
	    "", secret != NULL ? secret : "");
	for (size_t i = 0; i < usual->n; i++) {
		const char *line = usual->v[i];
		bool said = has_key && strcmp(line, keyed) == 0;

		for (size_t j = 0; j < own; j++) {
			size_t n = strcspn(c->headers.v[j], ":;");

			said |= strncasecmp(c->headers.v[j], line, n) == 0 &&
			    strchr(":;", line[n]) != NULL;
		}
		if (!said)
			texts_add(&c->headers, xstrdup(line));
	}
	free(keyed);
	return 0;
}

static int
take_request(struct adapter *ad, const struct body *b,
    const struct texts *usual, const char *secret, struct adapter_call *c,
    struct buf *out, struct failure *f)
{
	struct slice all = buf_view(&ad->out);

	if (all.n == 0 || scan_value(&ad->scan, all.p, all.n) < 0 ||
	    scan_kind(all) != SCAN_OBJECT)
		return failure_set(f, "bad_request", "%s: request: must return "
		    "one object with method, path, headers and body",
		    ad->path);
	struct slice headers = scan_get(all, "headers");
	struct slice body = scan_get(all, "body");
	if (scan_kind(body) == SCAN_NONE || scan_kind(body) == SCAN_NULL)
		body = SLICE("{}");
	if ((scan_kind(body) != SCAN_OBJECT && scan_kind(body) != SCAN_ARRAY) ||
	    (headers.p != NULL && scan_kind(headers) != SCAN_OBJECT &&
	    scan_kind(headers) != SCAN_NULL))
		return failure_set(f, "bad_request", "%s: request: body and "
		    "headers must be objects if present", ad->path);
	c->method = word(ad, scan_get(all, "method"), "method", "POST", f);
	char *path = word(ad, scan_get(all, "path"), "path", "", f);
	/* the path must not extend the host's name */
	if (path != NULL)
		c->path = xasprintf("%s%s", *path == '/' || *path == '?' ||
		    *path == '\0' ? "" : "/", path);
	free(path);
	if (c->method == NULL || c->path == NULL)
		return -1;
	if (*c->method == '\0' ||
	    c->method[strspn(c->method, LETTERS)] != '\0')
		return failure_set(f, "bad_request", "%s: request: method must "
		    "be an HTTP method such as POST", ad->path);
	if (scan_kind(body) == SCAN_OBJECT) {
		buf_addc(out, '{');
		quirks_fields(b->quirks, SLICE(""), &body, 1, NULL, out);
		buf_addc(out, '}');
	} else
		buf_slice(out, body);
	return take_headers(ad, headers, usual, secret, c, f);
}

int
adapter_request(struct adapter *ad, const struct body *b,
    struct slice messages, const struct texts *usual, const char *key,
    struct adapter_call *call, struct buf *out, struct failure *f)
{
	struct buf *in = &ad->in;
	/* quirks apply to the body that the program makes, not to its input */
	struct body plain = *b;

	plain.quirks = 0;
	ad->made = 0;
	/* the request record, with settings from the configuration added */
	buf_reset(in);
	scan_put(in, "{'request':{'type':'request','model':@,'stream':$",
	    slice_of(b->model), scan_truth(b->stream));
	body_numbers(b, "max_tokens", in);
	scan_put(in, b->tool_choice.p != NULL ?
	    ",'tools':$,'tool_choice':$,'params':" : ",'tools':$,'params':",
	    scan_kind(b->tools) == SCAN_ARRAY ? b->tools : SLICE("[]"),
	    b->tool_choice);
	fields_begin(&plain, SLICE("{}"), NULL, in);
	scan_put(in, "},'messages':$}}", messages);
	if (ask(ad, "request", f) < 0)
		return -1;
	ad->made = 0;		/* count again for the answer */
	return take_request(ad, b, usual, key, call, out, f);
}

/* ---- event ---- */

/* Read the members of a message, of which some may be missing; false: all
 * are. */
static bool
take_message(struct answer *a, struct slice o)
{
	static const struct {
		const char *key;
		api_text_fn *fn;
	} texts[] = {
		{ "reasoning", answer_reasoning },
		{ "content", answer_content }, { "model", answer_model },
		{ "finish_reason", answer_finish },
	};
	struct slice calls = scan_get(o, "tool_calls");
	struct slice usage = scan_get(o, "usage");
	bool any = calls.p != NULL || usage.p != NULL;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		any |= scan_get(o, texts[i].key).p != NULL;
		api_text(a, scan_get(o, texts[i].key), texts[i].fn);
	}
	answer_calls(a, calls, false);
	answer_usage(a, usage);
	return any;
}

/* Add one result of `event` to the answer; API_ERROR with f not set: it is not
 * a delta. */
static enum api_said
take_delta(struct answer *a, struct slice o, struct failure *f)
{
	struct slice type = scan_get(o, "type"), kind = scan_get(o, "kind");
	struct slice text = scan_get(o, "text");
	bool content = scan_str_is(kind, "content");
	bool good = true;

	if (scan_kind(o) == SCAN_NULL)
		return API_MORE;
	if (scan_kind(o) != SCAN_OBJECT)
		return API_ERROR;
	if (scan_str_is(type, "error")) {
		const char *code = failure_code(scan_get(o, "code"));
		struct slice retryable = scan_get(o, "retryable");
		struct buf words = BUF_INIT(FAILURE_MAX);

		if (code == NULL)	/* like a server's error object */
			return api_fails(f, o);
		if (!scan_str(scan_get(o, "message"), &words) ||
		    words.len == 0)
			buf_adds(&words, "the server reports an error");
		failure_set(f, code, "%.600s", words.p);
		buf_release(&words);
		if (scan_kind(retryable) == SCAN_TRUE ||
		    scan_kind(retryable) == SCAN_FALSE)
			f->retryable = f->again = scan_true(retryable);
		if (answer_number(o, "context_tokens") > 0)
			f->limit = answer_number(o, "context_tokens");
		return API_ERROR;
	}
	if (scan_str_is(type, "done"))
		return API_DONE;
	if (scan_str_is(type, "usage"))
		answer_usage(a, o);
	else if (kind.p == NULL)
		good = take_message(a, o);
	else if (scan_str_is(kind, "tool_call")) {
		struct slice args = scan_get(o, "arguments");
		api_call(a, (long)answer_number(o, "index"), scan_get(o, "id"),
		    scan_get(o, "name"), args.p != NULL ? args : text);
	} else if (content || scan_str_is(kind, "reasoning")) {
		api_text(a, text, content ? answer_content : answer_reasoning);
		good = scan_kind(text) == SCAN_STRING ||
		    scan_kind(text) == SCAN_NULL;
	} else
		good = false;
	return good ? API_MORE : API_ERROR;
}

enum api_said
adapter_event(struct adapter *ad, struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f)
{
	enum api_said said = API_MORE;
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	buf_reset(&ad->in);
	utf8_clean(&clean, buf_view(&st->sse->name).p, st->sse->name.len);
	scan_put(&ad->in, "{'name':@,'event':[", buf_view(&clean));
	if (scan_value(&ad->scan, data.p, data.n) == 0) {
		buf_slice(&ad->in, data);
	} else {		/* a text */
		buf_reset(&clean);
		utf8_clean(&clean, data.p, data.n);
		scan_put(&ad->in, "@", buf_view(&clean));
	}
	buf_adds(&ad->in, "]}");
	buf_release(&clean);
	if (ask(ad, "event", f) < 0)
		return API_ERROR;
	struct slice rest = buf_view(&ad->out), result;
	while (said != API_ERROR && slice_line(&rest, &result)) {
		if (result.n == 0)
			continue;
		if (scan_value(&ad->scan, result.p, result.n) < 0) {
			failure_final(f, "server", "%s: event: %s", ad->path,
			    ad->scan.why);
			return API_ERROR;
		}
		enum api_said now = take_delta(a, result, f);
		if (now == API_ERROR && f->code == NULL)
			failure_final(f, "server", "%s: event: returned "
			    "something that is not a delta: %.*s", ad->path,
			    (int)(result.n < 200 ? result.n : 200), result.p);
		said = now > said ? now : said;
	}
	if (said == API_MORE && answer_finished(a))
		said = API_FINISHED;
	return said;
}

/* ---- window ---- */

bool
adapter_has_window(const struct adapter *ad)
{
	return ad != NULL && ad->window != NULL;
}

long long
adapter_window_told(const struct adapter *ad, const char *model, char **path)
{
	static const char mark[] = "{model}";
	struct buf out = BUF_INIT(1 << 20);
	const char *p = ad->window, *at;
	int64_t n;

	*path = NULL;
	if (num_i64(p, strlen(p), &n))
		return n;
	while ((at = strstr(p, mark)) != NULL) {
		buf_add(&out, p, (size_t)(at - p));
		put_path_name(model, &out);
		p = at + strlen(mark);
	}
	buf_adds(&out, p);
	*path = buf_detach(&out);
	return 0;
}

long long
adapter_window(struct adapter *ad, struct slice answer, const char *model,
    struct failure *f)
{
	int64_t n;

	ad->made = 0;
	buf_reset(&ad->in);
	scan_put(&ad->in, "{'model':@,'window':[$]}", slice_of(model),
	    answer);
	if (ask(ad, "window", f) < 0)
		return -1;
	struct slice all = slice_trim_end(buf_view(&ad->out), "\n");
	if (all.n == 0 || slice_is(all, "null"))
		return 0;
	if (scan_int(all, &n) && n > 0)
		return n;
	failure_final(f, "server", "%s: window: must return a whole number of "
	    "tokens, not %.*s", ad->path, (int)(all.n < 60 ? all.n : 60),
	    all.p);
	return -1;
}
