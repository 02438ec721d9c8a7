/* adapter.c - an API that a jq program speaks: its life, its questions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "place.h"
#include "utf8.h"

#include "adapter_in.h"

#define PROGRAM_MAX ((size_t)1 << 20)

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
	return xasprintf(". as $hamr | $hamr.name as $event | $hamr.model as "
	    "$model | def window: .context_length; %.*s\n"
	    "if $hamr.request then ($hamr.request | request)\n"
	    "elif $hamr.window then ($hamr.window[0] | window)\n"
	    "else ($hamr.event[0] | event) end", (int)own->len, own->p);
}

/* The line of an error about the program; 0: none is told. */
static size_t
line_of(const struct adapter *ad, const struct err *e)
{
	size_t n = strlen(ad->path);

	if (strncmp(e->text, ad->path, n) != 0 || e->text[n] != ':')
		return 0;
	return strtoul(e->text + n + 1, NULL, 10);
}

/* An error behind its last line is about what stands there of ours. */
static int
refused(const struct adapter *ad, struct err *e)
{
	static const char *const names[] = { "request", "event" };
	char words[64];

	if (line_of(ad, e) <= ad->lines)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		snprintf(words, sizeof words, "%s/0 is not defined", names[i]);
		if (strstr(e->text, words) != NULL)
			return err_set(e, ST_USAGE, "%s: it does not define "
			    "the function %s", ad->path, names[i]);
	}
	return err_set(e, ST_USAGE, "%s:%zu: a function does not end, or "
	    "something that is none follows", ad->path, ad->lines);
}

static int
start(struct adapter *ad, struct err *e)
{
	if (ad->program == NULL)
		ad->program = program_new(ad->path, ad->text, "{}", false, e);
	if (ad->program == NULL)
		return refused(ad, e);
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
	ad->window = head(own->p, "window:");
	ad->text = wrap(own);
	for (size_t k = 0; k < own->len; k++)
		ad->lines += own->p[k] == '\n' || k + 1 == own->len;
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
	free(ad->window);
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

int
adapter_ask(struct adapter *ad, const char *function, struct failure *f)
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
	if (adapter_ask(ad, "event", f) < 0)
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
