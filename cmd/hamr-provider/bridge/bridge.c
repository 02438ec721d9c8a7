/* bridge.c - an MCP server over streamable HTTP, for clients that speak
 * stdio. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#define RESUMES_MAX 5		/* in a row without a new event */
#define RETRY_MS 1000		/* before a resume, unless the server says */
#define RETRY_MAX_MS 60000

struct bridge {
	const char *url;
	const struct http_conf *conf;
	struct rpc in;
	bool over;		/* stdin has ended ... */
	bool lost;		/* ... or the server forgot the session */
	struct http *http, *side;
	const char *headers[HEADERS_MAX];
	size_t nheaders;	/* Accept and the lines of $MCP_HEADERS; up to
				 * three others may follow */
	char *own;		/* the memory of those lines */
	char *resume;		/* Last-Event-ID, as a header, or NULL */
	char *session, *version;	/* as headers, or NULL */
	struct texts later;	/* requests that wait */
	/* the current answer */
	struct sse sse;
	struct buf body;
	bool stream;		/* it is server-sent events */
	bool answered;		/* the request's own answer arrived, or nobody
				 * waits for it */
	bool heard;		/* a message arrived */
	int lock;		/* of stdout: two processes write */
	bool listens;		/* the second process was started */
	struct slice id;	/* of the request; p NULL: not a request */
};

static void
put_line(const struct bridge *b, struct slice text)
{
	struct flock lock = { .l_type = F_WRLCK }, none = { .l_type = F_UNLCK };
	char *line = xmemdup0(text.p, text.n);

	/* in valid JSON, line ends are only between tokens */
	for (size_t i = 0; i < text.n; i++)
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	line[text.n] = '\n';
	fcntl(b->lock, F_SETLKW, &lock);
	if (file_write_all(STDOUT_FILENO, line, text.n + 1) < 0)
		exit(ST_OK);		/* the reader is gone */
	fcntl(b->lock, F_SETLK, &none);
	free(line);
}

/* Pass on a message of the server as it is: its reader repairs what is wrong
 * with its bytes.  The first protocolVersion, that of the answer to initialize,
 * is kept. */
static int
take_message(void *ctx, struct slice text)
{
	struct bridge *b = ctx;
	struct buf fixed = BUF_INIT(4 * LINE_MAX_BYTES);
	struct rpc_msg m;

	text = slice_trim(text);
	if (!scan_is_json(text))
		scan_repair(text, &fixed);
	struct slice json = fixed.len > 0 ? buf_view(&fixed) : text;
	if (!scan_is_json(json)) {
		buf_release(&fixed);
		return 0;
	}
	rpc_read(json, &m);
	b->answered |= b->id.p != NULL && (m.kind == RPC_RESULT ||
	    m.kind == RPC_ERROR) && rpc_same_id(m.id, b->id);
	char *version = scan_strdup(scan_get(m.result, "protocolVersion"));
	if (version != NULL && b->version == NULL)
		b->version = xasprintf("MCP-Protocol-Version: %s", version);
	free(version);
	buf_release(&fixed);
	b->heard = true;
	put_line(b, text);
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
	/* a body that starts like JSON is JSON, else a stream */
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

/* Do what c says, with the current headers of the session. */
static void
ask(struct bridge *b, struct http *http, struct http_call c,
    struct http_reply *r)
{
	const char *const more[] = { b->session, b->version, b->resume };

	c.url = b->url;
	c.headers = b->headers;
	c.nheaders = b->nheaders;
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i] != NULL)
			b->headers[c.nheaders++] = more[i];
	c.sink = take_body;
	http_do(http, &c, r);
}

/* Get the rest of a stream that broke off, or (no event came yet) one that
 * belongs to no request: again as long as that yields new events. */
static void
follow(struct bridge *b, http_wait *wait)
{
	struct http_reply r = { .status = 200 };

	for (int idle = 0; idle < RESUMES_MAX && r.status == 200 &&
	    !b->answered && !b->over; idle++) {
		bool again = idle > 0 || b->sse.id.len > 0;
		int pause = b->sse.retry < 0 ? RETRY_MS :
		    b->sse.retry < RETRY_MAX_MS ? (int)b->sse.retry :
		    RETRY_MAX_MS;
		long long until = file_now_ms() + (again ? pause : 0), now;

		while ((now = file_now_ms()) < until)
			if (wait(b, NULL, 0, (int)(until - now)) != 0)
				return;
		xset(&b->resume, b->sse.id.len == 0 ? NULL :
		    xasprintf("Last-Event-ID: %s", b->sse.id.p));
		b->heard = b->sse.is_cut = false;
		ask(b, b->http, (struct http_call){ .ctx = b, .wait = wait,
		    .wait_ctx = b }, &r);
		sse_end(&b->sse, take_message, b);
		if (b->heard)
			idle = 0;
	}
}

/* ---- messages that answer no request ---- */

/* Read the stream that belongs to no request, as long as the server offers
 * one, in a separate process that ends with this one. */
static void
start_listening(struct bridge *b)
{
	pid_t parent = getpid();

	b->listens = true;
	pid_t pid = fork();
	if (pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(0);
	close(STDIN_FILENO);
	b->http = http_new(b->conf);
	b->id.p = NULL;
	b->answered = false;
	sse_reset(&b->sse);
	b->stream = true;
	follow(b, wait_alone);
	_exit(0);
}

/* ---- stdin ---- */

/* Is this what ends the wait for the request id? */
static bool
is_cancel(const struct rpc_msg *m, struct slice id)
{
	return scan_str_is(m->method, "notifications/cancelled") &&
	    rpc_same_id(scan_get(m->params, "requestId"), id);
}

/* Forget the request that m cancels, if it waits.  False: none does. */
static bool
drop_later(struct bridge *b, const struct rpc_msg *m)
{
	struct rpc_msg is;

	for (size_t i = 0; i < b->later.n; i++) {
		rpc_read(slice_of(b->later.v[i]), &is);
		if (is_cancel(m, is.id)) {
			free(b->later.v[i]);
			memmove(b->later.v + i, b->later.v + i + 1,
			    (--b->later.n - i) * sizeof *b->later.v);
			return true;
		}
	}
	return false;
}

/* Queue requests, send everything else at once. */
static int
wait_here(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	struct bridge *b = ctx;
	struct pollfd *all = xcalloc(n + 1, sizeof *all);
	enum rpc_got got = RPC_NONE;
	struct http_reply r;
	struct slice text;
	struct rpc_msg m;

	if (n > 0)
		memcpy(all, fds, n * sizeof *fds);
	all[n] = (struct pollfd){ b->over ? -1 : STDIN_FILENO, POLLIN, 0 };
	poll(all, n + 1, ms);
	if (all[n].revents != 0) {
		b->over = rpc_fill(&b->in) < 0;
		got = rpc_take(&b->in, &text);
	}
	free(all);
	for (; got != RPC_NONE; got = rpc_take(&b->in, &text)) {
		if (got != RPC_TEXT)
			continue;
		rpc_read(text, &m);
		if (m.kind == RPC_REQUEST) {
			texts_add(&b->later, xmemdup0(text.p, text.n));
			continue;
		}
		if (drop_later(b, &m))
			continue;
		struct bridge quiet = { .body = BUF_INIT(LINE_MAX_BYTES) };
		sse_init(&quiet.sse, LINE_MAX_BYTES, LINE_MAX_BYTES);
		ask(b, b->side, (struct http_call){ .body = text,
		    .max_ms = SIDE_MS, .ctx = &quiet, .wait = wait_alone },
		    &r);
		sse_release(&quiet.sse);
		buf_release(&quiet.body);
		if (!b->listens && scan_str_is(m.method,
		    "notifications/initialized"))
			start_listening(b);
		b->answered |= b->id.p != NULL && is_cancel(&m, b->id);
	}
	return b->over || b->answered;
}

/* ---- a request ---- */

/* No answer arrived.  A server that no longer knows the session, or rejects the
 * token, did nothing: this process ends, and a new one may safely retry. */
static void
fail(struct bridge *b, const struct http_reply *r)
{
	struct slice body = slice_trim(buf_view(&b->body));
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	char *words;

	if (body.n > 300)
		body.n = 300;
	b->lost = (r->status == 404 && b->session != NULL) ||
	    (r->status == 401 && b->version != NULL);
	if (b->stream && (b->heard || b->sse.id.len > 0))
		words = xasprintf("%s: the answer broke off, and the server "
		    "does not resume it", b->url);
	else if (r->end != HTTP_DONE)
		words = xasprintf("%s: %s", b->url, r->why);
	else if (b->stream)
		words = xasprintf("%s: the answer is not one of an MCP "
		    "server; check the url", b->url);
	else if (b->lost && r->status != 401)
		words = xasprintf("%s has forgotten the session", b->url);
	else
		words = xasprintf("%s: status %ld%s%.*s%s", b->url, r->status,
		    body.n > 0 ? ": " : "", (int)body.n, body.p,
		    r->status == 401 ? "; it requires a token; set headers or "
		    "token_command beside the url" : "");
	rpc_error(&line, b->id, b->lost ? RPC_ASK_AGAIN : RPC_INTERNAL, words);
	put_line(b, buf_view(&line));
	buf_release(&line);
	free(words);
}

/* ---- all of it ---- */

/* Serve requests one by one; then end the session. */
static void
serve(struct bridge *b)
{
	struct http_reply r;
	struct rpc_msg m;

	while (!b->over && !b->lost) {
		if (b->later.n == 0) {
			wait_here(b, NULL, 0, -1);
			continue;
		}
		char *line = b->later.v[0];
		memmove(b->later.v, b->later.v + 1, --b->later.n *
		    sizeof *b->later.v);
		rpc_read(slice_of(line), &m);
		b->id = m.id;
		b->answered = b->stream = b->heard = false;
		buf_reset(&b->body);
		sse_reset(&b->sse);
		ask(b, b->http, (struct http_call){ .body = slice_of(line),
		    .ctx = b, .wait = wait_here, .wait_ctx = b }, &r);
		if (b->session == NULL && r.session[0] != '\0')
			b->session = xasprintf("Mcp-Session-Id: %s",
			    r.session);
		if (r.status == 200 && b->stream) {
			sse_end(&b->sse, take_message, b);
			if (b->sse.id.len > 0)
				follow(b, wait_here);
			xset(&b->resume, NULL);
		} else if (r.status == 200)
			take_message(b, buf_view(&b->body));
		if (!b->answered && !b->over)
			fail(b, &r);
		b->id.p = NULL;
		free(line);
	}
	if (b->session != NULL && !b->lost)
		ask(b, b->side, (struct http_call){ .method = "DELETE",
		    .max_ms = END_MS, .ctx = b, .wait = wait_alone }, &r);
}

int
bridge_run(const char *url, const struct conf *conf, struct err *e)
{
	struct http_conf hc = { .url = url,
		.ca_file = conf_str(conf, "provider.ca_file"),
		.proxy = conf_str(conf, "provider.proxy"),
		.max_header = (size_t)1 << 20, .max_body = (size_t)1 << 40,
		.connect_ms = CONNECT_MS };
	struct bridge b = { .url = url, .conf = &hc,
		.body = BUF_INIT(LINE_MAX_BYTES),
		.lock = memfd_create("lock", MFD_CLOEXEC) };
	const char *given = getenv("MCP_HEADERS");

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return err_set(e, ST_USAGE, "--mcp needs an http or https URL, "
		    "not \"%s\"", url);
	rpc_init(&b.in, STDIN_FILENO, -1, LINE_MAX_BYTES);
	sse_init(&b.sse, LINE_MAX_BYTES, LINE_MAX_BYTES);
	b.headers[b.nheaders++] = "Accept: application/json, "
	    "text/event-stream";
	b.own = xstrdup(given != NULL ? given : "");
	for (char *p = strtok(b.own, "\n"); p != NULL &&
	    b.nheaders < HEADERS_MAX - 3; p = strtok(NULL, "\n"))
		if (strchr(p, ':') != NULL)
			b.headers[b.nheaders++] = p;
	b.http = http_new(&hc);
	b.side = http_new(&hc);
	serve(&b);
	http_free(b.http);
	http_free(b.side);
	sse_release(&b.sse);
	rpc_release(&b.in);
	buf_release(&b.body);
	texts_release(&b.later);
	FREE(b.own, b.session, b.version);
	close(b.lock);
	return b.lost ? err_set(e, ST_PEER, "%s does not go on with this "
	    "session; start this again", url) : ST_OK;
}
