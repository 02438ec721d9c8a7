/* cassette.c - exchanges with a server, written and read again. */
#include <errno.h>
#include <string.h>

#include "cassette.h"
#include "file.h"
#include "json.h"
#include "key.h"
#include "one_line.h"
#include "utf8.h"

static const char *const ends[] = {
	[HTTP_DONE] = "done", [HTTP_GIVEN_UP] = "given_up",
	[HTTP_ABORTED] = "aborted", [HTTP_NETWORK] = "network",
	[HTTP_TLS] = "tls", [HTTP_TIMEOUT] = "timeout",
	[HTTP_TOO_LARGE] = "too_large", [HTTP_BAD_URL] = "bad_url",
};

/* Bytes that a JSON string cannot hold are written as two hex digits each. */
static void
put_bytes(struct json *o, const struct buf *b)
{
	static const char digits[] = "0123456789abcdef";
	struct buf hex = BUF_INIT((size_t)1 << 40);
	struct slice s = b->len > 0 ? buf_view(b) : SLICE("");

	if (utf8_check(s.p, s.n) == s.n && memchr(s.p, '\0', s.n) == NULL) {
		json_slice(o, "response", s);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		buf_addc(&hex, digits[(unsigned char)s.p[i] >> 4]);
		buf_addc(&hex, digits[(unsigned char)s.p[i] & 15]);
	}
	json_slice(o, "response_hex", buf_view(&hex));
	buf_release(&hex);
}

void
cassette_add(struct exchange *x, bool again)
{
	struct buf line = BUF_INIT((size_t)1 << 40);
	struct buf request = BUF_INIT((size_t)1 << 40);
	struct json *o;

	if (x->p->record < 0 || x->body.len == 0)
		return;
	o = json_object();
	json_str(o, "type", "exchange");
	json_int(o, "v", 1);
	json_str(o, "api", x->p->set->api->name);
	if (again)
		json_bool(o, "again", true);
	one_line(buf_view(&x->body), &request);
	key_redact(x->p->set->key, &request);
	json_raw(o, "request", buf_view(&request));
	json_int(o, "status", x->reply.status);
	json_str(o, "end", ends[x->reply.end]);
	if (x->reply.why[0] != '\0')
		json_str(o, "why", x->reply.why);
	if (x->reply.retry_after[0] != '\0')
		json_str(o, "retry_after", x->reply.retry_after);
	key_redact(x->p->set->key, &x->tape);
	put_bytes(o, &x->tape);
	json_print(o, &line);
	json_free(o);
	buf_addc(&line, '\n');
	if (file_write_all(x->p->record, line.p, line.len) < 0 &&
	    !x->p->warned_record) {
		x->p->warned_record = true;
		err_say("the cassette cannot be written: %s",
		    strerror(errno));
	}
	buf_release(&line);
	buf_release(&request);
}

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ?
	    c - 'a' + 10 : 0;
}

static void
get_bytes(struct slice line, struct buf *out)
{
	struct buf hex = BUF_INIT((size_t)1 << 40);

	if (!scan_str(scan_get(line, "response"), out) &&
	    scan_str(scan_get(line, "response_hex"), &hex))
		for (size_t i = 0; i + 1 < hex.len; i += 2)
			buf_addc(out, (char)(hex_digit(hex.p[i]) << 4 |
			    hex_digit(hex.p[i + 1])));
	buf_release(&hex);
}

static void
get_reply(struct slice line, struct http_reply *r)
{
	struct buf b = BUF_INIT(sizeof r->why - 1);
	struct slice end = scan_get(line, "end");
	int64_t n;

	*r = (struct http_reply){ .end = HTTP_DONE };
	if (scan_int(scan_get(line, "status"), &n))
		r->status = (long)n;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (scan_str_is(end, ends[i]))
			r->end = (enum http_end)i;
	if (scan_str(scan_get(line, "why"), &b) && b.len > 0)
		memcpy(r->why, b.p, b.len + 1);
	buf_release(&b);
}

void
cassette_read(struct slice line, struct buf *out, struct http_reply *r)
{
	get_bytes(line, out);
	get_reply(line, r);
}
