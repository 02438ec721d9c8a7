/* window.c - what a server tells of itself: its window, tools, speed. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"
#include "num.h"
#include "server.h"
#include "window.h"

#define WINDOW_MAX ((size_t)16 << 20)
#define TRY_TOKENS "64"

static const struct slice no_post = { NULL, 0 };

static long long
number(struct slice o, const char *key)
{
	int64_t n;

	return scan_int(scan_get(o, key), &n) && n > 0 ? n : 0;
}

/* The n_ctx of a slot is what one request may have; one beside the slots is
 * for all of them. */
static long long
of_props(struct slice props)
{
	struct slice slot = scan_get(props, "default_generation_settings");
	long long n = number(slot, "n_ctx"), slots;

	if (n > 0)
		return n;
	n = number(props, "n_ctx");
	slots = number(props, "total_slots");
	return slots > 1 && !scan_true(scan_get(props, "kv_unified")) ?
	    n / slots : n;
}

/* The number under key of the entry named model, else of the first one. */
static long long
of_list(struct slice list, const char *model, const char *key)
{
	static const char *const names[] = { "id", "name", "model" };
	struct slice k, val;
	long long first = 0;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return 0;
	walk_in(&w, list);
	while (walk_next(&w, &k, &val)) {
		if (first == 0)
			first = number(val, key);
		for (size_t i = 0; i < 3; i++)
			if (scan_str_is(scan_get(val, names[i]), model) &&
			    number(val, key) > 0)
				return number(val, key);
	}
	return first;
}

static bool
get(struct provider *p, const char *base, const char *path, long long end,
    struct buf *b)
{
	long long left = end - file_now_ms();
	struct http_reply r;
	char *url;
	bool good;

	if (left <= 0)
		return false;
	url = server_url(base, path);
	good = server_get(p, url, no_post, (long)left, b, &r);
	free(url);
	return good;
}

/* base_url without a /v1 at its end. */
static char *
root_of(const char *base)
{
	size_t n = strcspn(base, "?#");

	while (n > 0 && base[n - 1] == '/')
		n--;
	if (n > 3 && memcmp(base + n - 3, "/v1", 3) == 0)
		n -= 3;
	return xmemdup0(base, n);
}

long long
window_ask(struct provider *p, long long end, const char **source)
{
	struct buf b = BUF_INIT(WINDOW_MAX);
	const char *model = p->set->model;
	char *root = root_of(p->set->base_url);
	long long n = 0;

	if (get(p, root, "/props", end, &b)) {
		*source = "/props";
		n = of_props(buf_view(&b));
	}
	if (n == 0 && get(p, p->set->base_url, "/models", end, &b)) {
		*source = "/models";
		n = of_list(scan_get(buf_view(&b), "data"), model,
		    "max_model_len");
	}
	if (n == 0 && get(p, root, "/api/ps", end, &b)) {
		*source = "/api/ps";
		n = of_list(scan_get(buf_view(&b), "models"), model,
		    "context_length");
	}
	buf_release(&b);
	free(root);
	return n;
}

/* ---- one small request ---- */

static void
try_body(const struct provider *p, struct buf *b)
{
	buf_adds(b, "{");
	if (*p->set->model != '\0') {
		buf_adds(b, "\"model\":");
		scan_quote(b, p->set->model, strlen(p->set->model));
		buf_adds(b, ",");
	}
	buf_adds(b, "\"stream\":false,\"max_tokens\":" TRY_TOKENS ",\"tools\":["
	    "{\"type\":\"function\",\"function\":{\"name\":\"ping\","
	    "\"description\":\"Answers pong.\",\"parameters\":{\"type\":"
	    "\"object\",\"properties\":{}}}}],\"messages\":[{\"role\":\"user\""
	    ",\"content\":\"Call the tool ping.\"}]}");
}

void
window_try(struct provider *p, struct json *o)
{
	struct buf body = BUF_INIT(1 << 20), b = BUF_INIT(WINDOW_MAX);
	char *url = server_url(p->set->base_url, "/chat/completions");
	long long began = file_now_ms(), took, tokens;
	struct slice choice = { NULL, 0 }, key, rate, calls;
	struct http_reply r;
	struct walk w;
	double speed;

	try_body(p, &body);
	if (server_get(p, url, buf_view(&body), p->set->first_ms, &b, &r)) {
		took = file_now_ms() - began;
		if (scan_kind(scan_get(buf_view(&b), "choices")) ==
		    SCAN_ARRAY) {
			walk_in(&w, scan_get(buf_view(&b), "choices"));
			walk_next(&w, &key, &choice);
		}
		calls = scan_get(scan_get(choice, "message"), "tool_calls");
		json_bool(o, "tools", scan_kind(calls) == SCAN_ARRAY &&
		    calls.n > 2);
		rate = scan_get(scan_get(buf_view(&b), "timings"),
		    "predicted_per_second");
		tokens = number(scan_get(buf_view(&b), "usage"),
		    "completion_tokens");
		if (scan_kind(rate) == SCAN_NUMBER &&
		    num_double(rate.p, rate.n, &speed))
			json_double(o, "tokens_per_second", speed);
		else if (tokens > 0 && took > 0)
			json_double(o, "tokens_per_second",
			    (double)tokens * 1000 / (double)took);
	} else if (r.end == HTTP_DONE)
		json_bool(o, "tools", false);
	buf_release(&body);
	buf_release(&b);
	free(url);
}
