/* server.c - the one connection to the server; small things asked of it. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "server.h"

struct http *
server_http(struct provider *p)
{
	const struct settings *s = p->set;
	struct http_conf c = { .ca_file = s->ca_file, .proxy = s->proxy,
		.headers = (const char *const *)s->headers,
		.nheaders = s->nheaders, .max_header = s->max_header,
		.max_body = s->max_body, .connect_ms = s->connect_ms,
		.first_ms = s->first_ms, .idle_ms = s->idle_ms,
		.total_ms = s->total_ms };

	if (p->http == NULL)
		p->http = http_new(&c);
	return p->http;
}

/* A query of base_url (?api-version=1) stays at the end. */
char *
server_url(const char *base, const char *path)
{
	size_t n = strcspn(base, "?#"), bare = n;

	while (bare > 0 && base[bare - 1] == '/')
		bare--;
	return xasprintf("%.*s%s%s", (int)bare, base, path,
	    base[n] == '?' ? base + n : "");
}

/* ---- asking ---- */

static enum http_next
on_body(void *ctx, long status, const char *p, size_t n)
{
	(void)status;
	return buf_add(ctx, p, n) < 0 ? HTTP_ABORT : HTTP_MORE;
}

static int
on_wait(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	enum { STOP = STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED };
	struct provider *p = ctx;

	if (p->stage == NULL)
		return http_poll(NULL, fds, n, ms);
	return stage_wait(p->stage, fds, n, ms) & STOP;
}

bool
server_get(struct provider *p, const char *url, struct slice post,
    long max_ms, struct buf *out, struct http_reply *r)
{
	struct http_call c = { .url = url, .post = post.p != NULL,
		.body = post, .max_ms = max_ms, .sink = on_body, .ctx = out,
		.wait = on_wait, .wait_ctx = p };
	struct scan sc = { 0 };
	bool good;

	buf_reset(out);
	http_do(server_http(p), &c, r);
	good = r->end == HTTP_DONE && r->status == 200 &&
	    scan_record(&sc, out->p != NULL ? out->p : "", out->len) == 0;
	scan_release(&sc);
	return good;
}
