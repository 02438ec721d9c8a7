/* http.h - one connection kept to one server; the only place with libcurl.
 *
 * libcurl is loaded at the first request (it takes 11 ms).  http and https
 * only, no redirects, no proxy but the one given, TLS verified, no
 * compression.  Requests follow each other, never two at once.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct http;

struct http_conf {
	const char *url;	/* where all requests go; "" this machine */
	const char *ca_file, *proxy;	/* "" none */
	size_t max_header, max_body;
	/* milliseconds, 0: no limit */
	long connect_ms, first_ms, idle_ms, total_ms;
};

/* Borrows what c holds.  Never NULL; the caller frees it with http_free. */
struct http *http_new(const struct http_conf *c);
void http_free(struct http *h);

/* What to do after a piece of the body. */
enum http_next {
	HTTP_MORE,
	HTTP_SOON,	/* the rest is unimportant and should come soon */
	HTTP_LAST,	/* complete; wait briefly for a clean end */
	HTTP_ABORT
};
typedef enum http_next http_sink(void *ctx, long status, const char *p,
    size_t n);

/* Wait for fds or ms milliseconds (-1: no limit); nonzero aborts the request.
 * revents are not looked at. */
typedef int http_wait(void *ctx, struct pollfd *fds, size_t n, int ms);

struct http_call {
	const char *url;
	const char *method;	/* NULL: POST if there is a body, else GET */
	const char *const *headers;	/* "Name: value" */
	size_t nheaders;
	struct slice body;
	long max_ms;		/* whole request; 0: the conf's total_ms */
	http_sink *sink;
	void *ctx;
	http_wait *wait;
	void *wait_ctx;
};

enum http_end {
	HTTP_DONE,		/* a whole answer, or HTTP_LAST */
	HTTP_GIVEN_UP,		/* wait returned nonzero */
	HTTP_ABORTED,		/* the sink returned HTTP_ABORT */
	HTTP_NETWORK, HTTP_TLS, HTTP_TIMEOUT, HTTP_TOO_LARGE,
	HTTP_BAD_URL
};

struct http_reply {
	enum http_end end;
	long status;		/* 0: none received */
	bool body;		/* some of the body was received */
	bool packed;		/* compressed, against our request */
	char why[300];		/* the error message, unless HTTP_DONE */
	long long wait_ms;	/* Retry-After, as ms from now; -1: none */
	char session[256];	/* the header Mcp-Session-Id, or "" */
	char redirect[300];	/* the URL it leads to, or "" */
};

void http_do(struct http *h, const struct http_call *c, struct http_reply *r);
