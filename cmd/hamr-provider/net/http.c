/* http.c - one connection kept to one server; the only place with libcurl. */
#define CURL_DISABLE_TYPECHECK	/* its macros want functions, not pointers */
#include <curl/curl.h>
#include <errno.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "libc/so.h"

#include "http.h"

#define GRACE_MS 250		/* for the clean end after [DONE] */
#define SOON_MS 5000		/* for usage and [DONE] after the finish */
#define WAIT_MAX_MS 1000000000000LL
#define FDS_MAX 16
#define BLIND_MS 100		/* while libcurl has no descriptor to wait on */
#define CERTS "/etc/ssl/certs"

/* libcurl and the 35 libraries it needs take 7 ms to load, so we open it at
 * the first request. */
#define FUNCTIONS(X) \
	X(curl_easy_cleanup) X(curl_easy_getinfo) X(curl_easy_header) \
	X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_strerror) \
	X(curl_getdate) X(curl_global_init_mem) X(curl_multi_add_handle) \
	X(curl_multi_cleanup) X(curl_multi_fdset) X(curl_multi_info_read) \
	X(curl_multi_init) X(curl_multi_perform) \
	X(curl_multi_remove_handle) X(curl_multi_setopt) \
	X(curl_multi_timeout) X(curl_slist_append) X(curl_slist_free_all)
#define POINTER(name) __typeof__(name) *name;
static struct {
	FUNCTIONS(POINTER)
} lib;
#undef POINTER

struct http {
	struct http_conf conf;
	CURLM *multi;
	CURL *easy;
	char error[CURL_ERROR_SIZE];
	int kept;		/* the HTTP/1 connection that stays open, or
				 * -1 */
	/* the current request */
	const struct http_call *call;
	struct http_reply *reply;
	struct curl_slist *headers;
	size_t nheader, nbody;
	long long started, heard;	/* heard: when bytes last arrived */
	enum http_next next;
	bool too_large;
};

static size_t
on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http *h = arg;

	(void)p;
	n *= size;
	h->nheader += n;
	h->heard = file_now_ms();
	h->too_large |= h->nheader > h->conf.max_header;
	return h->too_large ? 0 : n;
}

static size_t
on_body(char *p, size_t size, size_t n, void *arg)
{
	struct http *h = arg;
	long status = 0;

	n *= size;
	h->nbody += n;
	if (h->next != HTTP_LAST)	/* later bytes extend no deadline */
		h->heard = file_now_ms();
	h->reply->body = h->reply->body || n > 0;
	if (h->nbody > h->conf.max_body) {
		h->too_large = true;
		return 0;
	}
	if (h->next == HTTP_LAST || h->next == HTTP_ABORT)
		return n;
	lib.curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	h->next = h->call->sink(h->call->ctx, status, p, n);
	return h->next == HTTP_ABORT ? 0 : n;
}

/* If an option were refused, libcurl would fall back to another setting, such
 * as the proxy of the environment. */
static void
must(CURLcode rc)
{
	if (rc != CURLE_OK)
		mem_exhausted();
}

static bool
is_plain(const struct http_conf *c)
{
	return (c->url[0] == '\0' || strncasecmp(c->url, "http:", 5) == 0) &&
	    strncasecmp(c->proxy, "https:", 6) != 0;
}

/* Called once: later a resolver thread may run, and setenv is not
 * thread-safe. */
static void
load(bool plain)
{
	__typeof__(OPENSSL_init_crypto) *init;

	if (lib.curl_easy_init != NULL)
		return;
	/* 0.8 MiB: libcurl brings GnuTLS and does not use it */
	setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 1);
	void *curl = SO_OPEN("libcurl.so.4");
	unsetenv("GNUTLS_NO_IMPLICIT_INIT");
	if (curl == NULL)
		err_die(ST_SYSTEM,
		    "libcurl.so.4 is not installed; install libcurl4");
#define LOAD(name) \
	SO_FIND(lib.name, curl, name); \
	if (lib.name == NULL) \
		err_die(ST_SYSTEM, "libcurl.so.4 has no " #name);
	FUNCTIONS(LOAD)
#undef LOAD
	/* what OpenSSL loads for libcurl's TLS takes 1.2 MiB and 0.5 ms */
	SO_FIND(init, curl, OPENSSL_init_crypto);
	if (plain && init != NULL)
		init(OPENSSL_INIT_NO_LOAD_CONFIG |
		    OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
		    OPENSSL_INIT_NO_ADD_ALL_CIPHERS |
		    OPENSSL_INIT_NO_ADD_ALL_DIGESTS, NULL);
}

/* The system's certificates in one file; NULL if CERTS has them by their
 * hashes, which takes 1 ms to load, not 20 to 40. */
static const char *
bundle(void)
{
	static const char *const places[] = {	/* the first: Red Hat's */
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem", NULL };
	const char *const *p = places;
	glob_t g;

	if (access(*p, R_OK) < 0 &&
	    glob(CERTS "/*.0", GLOB_NOSORT, NULL, &g) == 0) {
		globfree(&g);
		return NULL;
	}
	while (*p != NULL && access(*p, R_OK) < 0)
		p++;
	return *p;
}

struct http *
http_new(const struct http_conf *c)
{
	struct http *h = xcalloc(1, sizeof *h);
	bool own_ca = *c->ca_file != '\0';

	load(is_plain(c));
	h->conf = *c;
	h->kept = -1;
	must(lib.curl_global_init_mem(CURL_GLOBAL_DEFAULT, xmalloc, free,
	    xrealloc, xstrdup, xcalloc));
	h->multi = lib.curl_multi_init();
	h->easy = lib.curl_easy_init();
	if (h->multi == NULL || h->easy == NULL)
		mem_exhausted();
	lib.curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, 1L);
	/* the options that are the same for all requests */
	CURL *e = h->easy;
	lib.curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	must(lib.curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR,
	    is_plain(c) ? "http" : "http,https"));
	lib.curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	/* ignore the environment's proxy */
	must(lib.curl_easy_setopt(e, CURLOPT_PROXY, c->proxy));
	must(lib.curl_easy_setopt(e, CURLOPT_NOPROXY, ""));
	lib.curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
	    (long)CURL_HTTP_VERSION_2TLS);
	lib.curl_easy_setopt(e, CURLOPT_SSLVERSION,
	    (long)CURL_SSLVERSION_TLSv1_2);
	lib.curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	lib.curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	must(lib.curl_easy_setopt(e, CURLOPT_CAINFO,
	    own_ca ? c->ca_file : is_plain(c) ? NULL : bundle()));
	must(lib.curl_easy_setopt(e, CURLOPT_CAPATH, own_ca ? NULL : CERTS));
	must(lib.curl_easy_setopt(e, CURLOPT_USERAGENT,
	    "hamr-provider/" HAMR_VERSION));
	lib.curl_easy_setopt(e, CURLOPT_ERRORBUFFER, h->error);
	lib.curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	lib.curl_easy_setopt(e, CURLOPT_HEADERDATA, h);
	lib.curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	lib.curl_easy_setopt(e, CURLOPT_WRITEDATA, h);
	lib.curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	lib.curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
	    c->connect_ms > 0 ? c->connect_ms : 86400000L);
	return h;
}

void
http_free(struct http *h)
{
	if (h == NULL)
		return;
	lib.curl_easy_cleanup(h->easy);
	lib.curl_multi_cleanup(h->multi);
	free(h);
}

/* ---- one request ---- */

static void
add(struct http *h)
{
	if (lib.curl_multi_add_handle(h->multi, h->easy) != CURLM_OK)
		mem_exhausted();
}

static void
begin(struct http *h, const struct http_call *c, struct http_reply *r)
{
	struct pollfd kept = { h->kept, POLLIN, 0 };
	/* bytes on the kept connection before we send anything do not answer
	 * the next request: the length of an earlier answer was wrong */
	bool unasked = h->kept >= 0 && poll(&kept, 1, 0) > 0;
	bool typed = false;

	memset(r, 0, sizeof *r);
	h->call = c;
	h->reply = r;
	h->nheader = h->nbody = 0;
	h->next = HTTP_MORE;
	h->too_large = false;
	h->error[0] = '\0';
	h->started = h->heard = file_now_ms();
	lib.curl_easy_setopt(h->easy, CURLOPT_URL, c->url);
	lib.curl_easy_setopt(h->easy, CURLOPT_FRESH_CONNECT, (long)unasked);
	if (c->body.n > 0) {
		lib.curl_easy_setopt(h->easy, CURLOPT_POST, 1L);
		lib.curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, c->body.p);
		lib.curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)c->body.n);
	} else
		lib.curl_easy_setopt(h->easy, CURLOPT_HTTPGET, 1L);
	lib.curl_easy_setopt(h->easy, CURLOPT_CUSTOMREQUEST, c->method);
	h->headers = lib.curl_slist_append(NULL, "Expect:");
	for (size_t i = 0; i < c->nheaders; i++) {
		typed |= strncasecmp(c->headers[i], "Content-Type:", 13) == 0;
		lib.curl_slist_append(h->headers, c->headers[i]);
	}
	if (!typed)
		lib.curl_slist_append(h->headers,
		    "Content-Type: application/json");
	lib.curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->headers);
	add(h);
}

static void
fail(struct http *h, enum http_end end, const char *why)
{
	h->reply->end = end;
	snprintf(h->reply->why, sizeof h->reply->why, "%s", why);
}

static void
curl_failed(struct http *h, CURLcode rc)
{
	const char *why = h->error[0] != '\0' ? h->error :
	    lib.curl_easy_strerror(rc);
	enum http_end end = HTTP_NETWORK;
	long os = 0, proxy = 0;

	lib.curl_easy_getinfo(h->easy, CURLINFO_OS_ERRNO, &os);
	/* a proxy's answer to CONNECT is not the server's, but a retry will
	 * not help if the proxy wants a password */
	lib.curl_easy_getinfo(h->easy, CURLINFO_HTTP_CONNECTCODE, &proxy);
	if (proxy == 407) {
		h->reply->status = proxy;
		return;
	}
	switch ((int)rc) {
	case CURLE_COULDNT_CONNECT:
		if (os == ECONNREFUSED)
			why = *h->conf.proxy == '\0' ?
			    "connection refused; nothing is listening there" :
			    "connection refused by the proxy (provider.proxy); "
			    "nothing is listening there";
		break;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		/* includes a reply that is not HTTP/1 */
		if (h->nheader + h->nbody == 0 &&
		    strstr(why, "HTTP") == NULL)
			end = HTTP_BAD_URL;
		else if (strstr(why, "HTTP/0.9") != NULL)
			why = "the answer is not HTTP; check the port, and "
			    "http:// against https://";
		break;
	case CURLE_OPERATION_TIMEDOUT:
		end = HTTP_TIMEOUT;
		break;
	case CURLE_OUT_OF_MEMORY:	/* a limit of libcurl's, not ours ... */
	case 100:		/* ... CURLE_TOO_LARGE, from 8.6 on */
		end = HTTP_TOO_LARGE;
		why = "a line of the answer's header is too large";
		break;
	case CURLE_RECV_ERROR:	/* a line of a proxy's answer, before 8.6 */
		if (strstr(why, "too large") != NULL)
			end = HTTP_TOO_LARGE;
		break;
	case CURLE_SSL_CONNECT_ERROR:
		/* a connection that ends in the handshake, as that of a
		 * server that restarts, says nothing about TLS */
		if (strstr(why, "SSL_connect: ") == NULL &&
		    strstr(why, "unexpected eof") == NULL &&
		    strstr(why, "failure: ") == NULL)
			end = HTTP_TLS;
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM: case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE: case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS: case CURLE_USE_SSL_FAILED:
	case CURLE_SSL_ENGINE_NOTFOUND: case CURLE_SSL_CRL_BADFILE:
		end = HTTP_TLS;
		break;
	default:
		break;
	}
	fail(h, end, why);
}

/* Is the request over?  If so, the reply says how it ended. */
static bool
is_over(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = lib.curl_multi_info_read(h->multi, &left))) {
		if (m->msg != CURLMSG_DONE)
			continue;
		if (m->data.result == CURLE_SEND_ERROR &&
		    strncmp(h->error, "Connection died", 15) == 0) {
			/* libcurl counts, over all requests, how often a kept
			 * connection was closed, and now begins again */
			h->error[0] = '\0';
			lib.curl_multi_remove_handle(h->multi, h->easy);
			add(h);
			return false;
		}
		if (h->too_large)
			fail(h, HTTP_TOO_LARGE, "the answer is larger than "
			    "provider.max_response_bytes or its header larger "
			    "than provider.max_header_bytes");
		else if (h->next == HTTP_ABORT)
			fail(h, HTTP_ABORTED, "");
		else if (m->data.result != CURLE_OK && h->next != HTTP_LAST)
			curl_failed(h, m->data.result);
		return true;
	}
	return false;
}

/* The descriptors that libcurl waits for, at most FDS_MAX: a request has one,
 * or a few while it connects.  *ms: when to call it again; -1: any time. */
static size_t
waits_for(struct http *h, struct pollfd *fds, long *ms)
{
	fd_set in, out, other;
	size_t n = 0;
	int top = -1;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&other);
	lib.curl_multi_fdset(h->multi, &in, &out, &other, &top);
	lib.curl_multi_timeout(h->multi, ms);
	for (int fd = 0; fd <= top && n < FDS_MAX; fd++) {
		short events = (short)((FD_ISSET(fd, &in) ? POLLIN : 0) |
		    (FD_ISSET(fd, &out) ? POLLOUT : 0));

		if (events != 0)
			fds[n++] = (struct pollfd){ fd, events, 0 };
	}
	if (n == 0 && (*ms < 0 || *ms > BLIND_MS))
		*ms = BLIND_MS;
	return n;
}

/* The earlier of two times; -1 is never. */
static long long
nearer(long long a, long long b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* When the request times out (-1: never), and why. */
static long long
deadline(const struct http *h, const char **why)
{
	long total = h->call->max_ms > 0 ? h->call->max_ms : h->conf.total_ms;
	long idle = h->nbody > 0 ? h->conf.idle_ms : h->conf.first_ms;
	long long at = total > 0 ? h->started + total : -1, quiet = -1;

	*why = "the whole answer took too long";
	if (h->next == HTTP_LAST)
		idle = GRACE_MS;
	else if (h->next == HTTP_SOON && (idle <= 0 || idle > SOON_MS))
		idle = SOON_MS;
	if (idle > 0)
		quiet = (h->nbody > 0 ? h->heard : h->started) + idle;
	if (quiet >= 0 && (at < 0 || quiet < at))
		*why = h->nbody > 0 ? "no data arrived for too long" :
		    "the first byte did not arrive in time";
	return nearer(at, quiet);
}

/* A header of the answer; "" if absent. */
static const char *
header(struct http *h, const char *name)
{
	struct curl_header *found;

	return lib.curl_easy_header(h->easy, name, 0, CURLH_HEADER, -1,
	    &found) == CURLHE_OK ? found->value : "";
}

/* Milliseconds from now of Retry-After-Ms, which is OpenAI's, or Retry-After,
 * which is in seconds or a date; -1: neither.  A past date means that the
 * server's clock differs. */
static long long
retry_after(struct http *h)
{
	const char *text = header(h, "Retry-After-Ms");
	double ms;

	if (!num_double(text, strlen(text), &ms)) {
		text = header(h, "Retry-After");
		if (num_double(text, strlen(text), &ms))
			ms *= 1000;
		else
			ms = 1000 * difftime(lib.curl_getdate(text, NULL),
			    time(NULL));
	}
	return ms < 0 ? -1 : ms > WAIT_MAX_MS ? WAIT_MAX_MS : (long long)ms;
}

void
http_do(struct http *h, const struct http_call *c, struct http_reply *r)
{
	curl_socket_t kept = CURL_SOCKET_BAD;
	struct pollfd fds[FDS_MAX];
	char *to = NULL;
	long version = 0;

	begin(h, c, r);
	for (;;) {
		const char *why;
		int running;
		long ms;

		lib.curl_multi_perform(h->multi, &running);
		if (is_over(h))
			break;
		long long end = deadline(h, &why);
		long long now = file_now_ms();
		if (end >= 0 && now >= end) {
			if (h->next != HTTP_LAST)
				fail(h, HTTP_TIMEOUT, why);
			break;
		}
		size_t n = waits_for(h, fds, &ms);
		if (c->wait(c->wait_ctx, fds, n, (int)nearer(ms, end < 0 ? -1 :
		    end - now)) != 0) {
			fail(h, HTTP_GIVEN_UP, "");
			break;
		}
	}
	if (r->status == 0)
		lib.curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE,
		    &r->status);
	r->wait_ms = retry_after(h);
	snprintf(r->session, sizeof r->session, "%s",
	    header(h, "Mcp-Session-Id"));
	lib.curl_easy_getinfo(h->easy, CURLINFO_REDIRECT_URL, &to);
	snprintf(r->redirect, sizeof r->redirect, "%s", to != NULL ? to : "");
	const char *coding = header(h, "Content-Encoding");
	r->packed = *coding != '\0' && strcasecmp(coding, "identity") != 0;
	/* the connection that stays open; HTTP/2 tells answers apart by
	 * itself */
	lib.curl_easy_getinfo(h->easy, CURLINFO_ACTIVESOCKET, &kept);
	lib.curl_easy_getinfo(h->easy, CURLINFO_HTTP_VERSION, &version);
	h->kept = version < CURL_HTTP_VERSION_2_0 ? (int)kept : -1;
	lib.curl_multi_remove_handle(h->multi, h->easy);
	/* keep no pointers to the caller's data */
	lib.curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, NULL);
	lib.curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, NULL);
	lib.curl_slist_free_all(h->headers);
	h->call = NULL;
	h->reply = NULL;
}
