/* bridge.c - an MCP server over streamable HTTP, for who speaks stdio. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "net/http.h"
#include "net/sse.h"
#include "rpc/rpc.h"

#include "bridge.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define CONNECT_MS 10000
#define SIDE_MS 10000		/* for a notification */
#define END_MS 2000		/* for the end of the session */
#define HEADERS_MAX 64

struct bridge {
	const char *url;
	struct rpc in;
	bool over;		/* stdin has ended ... */
	bool lost;		/* ... or the server forgot the session */
	struct http *http, *side;
	const char *headers[HEADERS_MAX];
	size_t nheaders;	/* the user's; two of ours may follow */
	char *own;		/* where those are */
	char *session, *version;	/* as headers, or NULL */
	char **later;		/* requests that wait */
	size_t nlater, caplater;
	/* the answer in hand */
	struct sse sse;
	struct buf body;
	bool stream;		/* it is server-sent events */
	bool answered;		/* the request's own answer came */
	struct slice id;	/* of the request; p NULL: it is none */
};

static void
put_line(struct slice text)
{
	char *line = xmemdup0(text.p, text.n);

	/* a line feed stands between tokens only */
	for (size_t i = 0; i < text.n; i++)
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	line[text.n] = '\n';
	if (file_write_all(STDOUT_FILENO, line, text.n + 1) < 0)
		exit(ST_OK);		/* nobody reads any more */
	free(line);
}

/* A message of the server; of the answer to initialize the version counts. */
static int
take_message(void *ctx, struct slice text)
{
	struct bridge *b = ctx;
	struct scan scan = { 0 };
	struct rpc_msg m;
	char *version;

	text = slice_trim(text);
	if (text.n == 0)
		return 0;
	if (scan_value(&scan, text.p, text.n) == 0) {
		rpc_read(text, &m);
		b->answered |= b->id.p != NULL && (m.kind == RPC_RESULT ||
		    m.kind == RPC_ERROR) && slice_eq(m.id, b->id);
		version = scan_strdup(scan_get(m.result, "protocolVersion"));
		if (version != NULL && b->version == NULL)
			b->version = xasprintf("MCP-Protocol-Version: %s",
			    version);
		free(version);
		put_line(text);
	}
	scan_release(&scan);
	return 0;
}

static enum http_next
take_body(void *ctx, long status, const char *p, size_t n)
{
	struct bridge *b = ctx;

	if (status != 200) {
		if (b->body.len < 4096)
			buf_add(&b->body, p, n);
		return HTTP_MORE;
	}
	/* what begins as JSON is JSON */
	if (b->body.len == 0 && !b->stream) {
		struct slice first = slice_trim((struct slice){ p, n });

		b->stream = first.n > 0 && *first.p != '{' && *first.p != '[';
	}
	if (!b->stream)
		return buf_add(&b->body, p, n) < 0 ? HTTP_ABORT : HTTP_MORE;
	if (sse_feed(&b->sse, p, n, take_message, b) != 0)
		return HTTP_ABORT;
	return b->answered ? HTTP_LAST : HTTP_MORE;
}

static int
wait_alone(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	(void)ctx;
	poll(fds, n, ms);
	return 0;
}

/* The headers of a request, as they are now. */
static size_t
put_headers(struct bridge *b)
{
	size_t n = b->nheaders;

	if (b->session != NULL)
		b->headers[n++] = b->session;
	if (b->version != NULL)
		b->headers[n++] = b->version;
	return n;
}

static void
send_aside(struct bridge *b, struct slice text)
{
	struct bridge quiet = { .body = BUF_INIT(LINE_MAX_BYTES) };
	struct http_call c = { .url = b->url, .post = true, .body = text,
		.headers = b->headers, .nheaders = put_headers(b),
		.max_ms = SIDE_MS, .sink = take_body, .ctx = &quiet,
		.wait = wait_alone };
	struct http_reply r;

	sse_init(&quiet.sse, LINE_MAX_BYTES, LINE_MAX_BYTES);
	http_do(b->side, &c, &r);
	sse_release(&quiet.sse);
	buf_release(&quiet.body);
}

/* ---- stdin ---- */

/* Requests wait their turn, all else goes at once. */
static void
take_lines(struct bridge *b)
{
	struct slice text;
	struct rpc_msg m;
	enum rpc_got got;

	while ((got = rpc_take(&b->in, &text)) != RPC_NONE) {
		if (got != RPC_TEXT)
			continue;
		rpc_read(text, &m);
		if (m.kind == RPC_REQUEST) {
			b->later = xgrow(b->later, b->nlater, &b->caplater,
			    sizeof *b->later);
			b->later[b->nlater++] = xmemdup0(text.p, text.n);
		} else {
			send_aside(b, text);
		}
	}
}

static int
wait_here(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	struct bridge *b = ctx;
	struct pollfd *all = xcalloc(n + 1, sizeof *all);

	if (n > 0)
		memcpy(all, fds, n * sizeof *fds);
	all[n] = (struct pollfd){ b->over ? -1 : STDIN_FILENO, POLLIN, 0 };
	poll(all, n + 1, ms);
	if (n > 0)
		memcpy(fds, all, n * sizeof *fds);
	if (all[n].revents != 0) {
		b->over = rpc_fill(&b->in) < 0;
		take_lines(b);
	}
	free(all);
	return b->over;
}

/* ---- a request ---- */

static void
put_error(struct bridge *b, const struct http_reply *r)
{
	struct slice body = slice_trim(buf_view(&b->body));
	struct json *o;
	struct buf line = BUF_INIT(1 << 20);
	char *words;

	if (body.n > 300)
		body.n = 300;
	if (r->end != HTTP_DONE)
		words = xasprintf("%s: %s", b->url, r->why);
	else
		words = xasprintf("%s: status %ld%s%.*s", b->url, r->status,
		    body.n > 0 ? ": " : "", (int)body.n, body.p);
	o = rpc_error(b->id, RPC_INTERNAL, words);
	json_print(o, &line);
	json_free(o);
	put_line(buf_view(&line));
	buf_release(&line);
	free(words);
}

static void
ask(struct bridge *b, const char *line)
{
	struct http_call c = { .url = b->url, .post = true,
		.body = slice_of(line), .headers = b->headers,
		.nheaders = put_headers(b), .sink = take_body, .ctx = b,
		.wait = wait_here, .wait_ctx = b };
	struct http_reply r;
	struct rpc_msg m;

	rpc_read(slice_of(line), &m);
	b->id = m.id;
	b->answered = b->stream = false;
	buf_reset(&b->body);
	sse_reset(&b->sse);
	http_do(b->http, &c, &r);
	if (r.status == 200 && b->stream)
		sse_end(&b->sse, take_message, b);
	else if (r.status == 200)
		take_message(b, buf_view(&b->body));
	if (b->session == NULL && r.session[0] != '\0')
		b->session = xasprintf("Mcp-Session-Id: %s", r.session);
	if (!b->answered && !b->over)
		put_error(b, &r);
	b->lost = r.status == 404 && b->session != NULL;
	b->id.p = NULL;
}

/* ---- all of it ---- */

/* The lines of $MCP_HEADERS, and what the protocol wants. */
static void
read_headers(struct bridge *b)
{
	const char *given = getenv("MCP_HEADERS");
	char *p;

	b->headers[b->nheaders++] = "Accept: application/json, "
	    "text/event-stream";
	b->own = xstrdup(given != NULL ? given : "");
	for (p = strtok(b->own, "\n"); p != NULL &&
	    b->nheaders < HEADERS_MAX - 2; p = strtok(NULL, "\n"))
		if (strchr(p, ':') != NULL)
			b->headers[b->nheaders++] = p;
}

static void
end_session(struct bridge *b)
{
	struct http_call c = { .url = b->url, .method = "DELETE",
		.headers = b->headers, .nheaders = put_headers(b),
		.max_ms = END_MS, .sink = take_body, .ctx = b,
		.wait = wait_alone };
	struct http_reply r;

	if (b->session != NULL && !b->lost)
		http_do(b->side, &c, &r);
}

static void
serve(struct bridge *b)
{
	while (!b->over && !b->lost) {
		if (b->nlater > 0) {
			char *line = b->later[0];

			memmove(b->later, b->later + 1, --b->nlater *
			    sizeof *b->later);
			ask(b, line);
			free(line);
		} else {
			wait_here(b, NULL, 0, -1);
		}
	}
}

int
bridge_run(const char *url, const struct conf *conf, struct err *e)
{
	struct http_conf hc = { .url = url,
		.ca_file = conf_str(conf, "provider.ca_file"),
		.proxy = conf_str(conf, "provider.proxy"),
		.max_header = (size_t)1 << 20, .max_body = (size_t)1 << 40,
		.connect_ms = CONNECT_MS };
	struct bridge b = { .url = url, .body = BUF_INIT(LINE_MAX_BYTES) };

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return err_set(e, ST_USAGE, "--mcp wants an http or https URL; "
		    "not \"%s\"", url);
	rpc_init(&b.in, STDIN_FILENO, -1, LINE_MAX_BYTES);
	sse_init(&b.sse, LINE_MAX_BYTES, LINE_MAX_BYTES);
	read_headers(&b);
	b.http = http_new(&hc);
	b.side = http_new(&hc);
	serve(&b);
	end_session(&b);
	http_free(b.http);
	http_free(b.side);
	sse_release(&b.sse);
	rpc_release(&b.in);
	buf_release(&b.body);
	for (size_t i = 0; i < b.nlater; i++)
		free(b.later[i]);
	free(b.later);
	free(b.own);
	free(b.session);
	free(b.version);
	return b.lost ? err_set(e, ST_PEER, "%s has forgotten the session",
	    url) : ST_OK;
}
