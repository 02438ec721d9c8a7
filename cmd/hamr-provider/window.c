/* window.c - what a server tells of itself: its window, tools, speed. */
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "attempt.h"
#include "err.h"
#include "file.h"
#include "key.h"
#include "mem.h"
#include "num.h"
#include "quirks.h"
#include "server.h"
#include "window.h"

#define WINDOW_MAX ((size_t)16 << 20)
#define TRY_TOKENS 64
#define TRY_MESSAGES "[{\"role\":\"user\",\"content\":\"Call the tool ping.\"}]"
#define TRY_TOOLS "[{\"type\":\"function\",\"function\":{\"name\":\"ping\"," \
	"\"description\":\"Answers pong.\",\"parameters\":{\"type\":\"object\"," \
	"\"properties\":{}}}}]"

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

/* What an adapter's program makes of the answer at path. */
static long long
of_adapter(struct provider *p, const char *path, long long end)
{
	struct adapter *ad = p->set->api->own;
	struct buf b = BUF_INIT(WINDOW_MAX);
	struct failure f;
	long long n = 0;

	failure_init(&f);
	if (get(p, p->set->base_url, path, end, &b)) {
		adapter_wait(ad, attempt_wait, p);
		n = adapter_window(ad, buf_view(&b), p->set->model, &f);
		if (n < 0)
			provider_say(p, f.message.p);
	}
	failure_release(&f);
	buf_release(&b);
	return n > 0 ? n : 0;
}

/* False: there is no adapter, or it says nothing of a window. */
static bool
ask_adapter(struct provider *p, long long end, long long *n)
{
	struct adapter *ad = p->set->api->own;
	bool asked;
	char *path;

	if (ad == NULL)
		return false;
	*n = adapter_window_told(ad);
	path = adapter_window_path(ad, p->set->model);
	if (path != NULL)
		*n = of_adapter(p, path, end);
	asked = path != NULL || *n > 0;
	free(path);
	return asked;
}

bool
window_is_known(const struct provider *p)
{
	const struct adapter *ad = p->set->api->own;
	char *path = ad != NULL ? adapter_window_path(ad, "") : NULL;
	bool known = path != NULL || (ad != NULL &&
	    adapter_window_told(ad) > 0);

	free(path);
	return known;
}

long long
window_ask(struct provider *p, long long end, const char **source)
{
	struct buf b = BUF_INIT(WINDOW_MAX);
	const char *model = p->set->model;
	char *root;
	long long n = 0;

	*source = "adapter";
	if (ask_adapter(p, end, &n))
		return n;
	root = root_of(p->set->base_url);
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
put_speed(struct json *o, const struct exchange *x, long long took)
{
	struct slice whole = buf_view(&x->raw), rate = { NULL, 0 };
	long long tokens = number(answer_usage_told(x->p->answer),
	    "completion_tokens");
	struct scan sc = { 0 };
	double speed;

	/* llama.cpp's own measure */
	if (whole.n > 0 && scan_record(&sc, whole.p, whole.n) == 0)
		rate = scan_get(scan_get(whole, "timings"),
		    "predicted_per_second");
	if (scan_kind(rate) == SCAN_NUMBER &&
	    num_double(rate.p, rate.n, &speed))
		json_double(o, "tokens_per_second", speed);
	else if (tokens > 0 && took > 0)
		json_double(o, "tokens_per_second", (double)tokens * 1000 /
		    (double)took);
	scan_release(&sc);
}

/* As any other request of this API, without a stream. */
static void
try(struct exchange *x)
{
	unsigned quirk = 0;

	do {
		x->p->quirks |= quirk;
		attempt_do(x);
		quirk = x->failure.code == NULL ? 0 : quirks_learn(
		    x->p->quirks, x->reply.status, buf_view(&x->raw),
		    buf_view(&x->body));
	} while (quirk != 0);
}

void
window_try(struct provider *p, struct json *o)
{
	static const struct ask ask = {
		.messages = { TRY_MESSAGES, sizeof TRY_MESSAGES - 1 },
		.tools = { TRY_TOOLS, sizeof TRY_TOOLS - 1 } };
	struct exchange x = { .p = p, .ask = &ask };
	long long began = file_now_ms();

	p->set->stream = false;
	p->set->max_tokens = TRY_TOKENS;
	attempt_init(&x);
	try(&x);
	if (x.failure.code == NULL) {
		json_bool(o, "tools", answer_ncalls(p->answer) > 0);
		put_speed(o, &x, file_now_ms() - began);
	} else if (strcmp(x.failure.code, "bad_request") == 0 ||
	    strcmp(x.failure.code, "server") == 0) {
		json_bool(o, "tools", false);
	} else {	/* nothing was learned */
		key_redact(p->set->key, &x.failure.message);
		err_say("%s", x.failure.message.p);
	}
	attempt_release(&x);
}
