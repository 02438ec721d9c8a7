/* cassette.c - exchanges with a server, written and read again. */
#include <errno.h>
#include <string.h>

#include "answer/calls.h"
#include "base/file.h"
#include "base/num.h"
#include "base/utf8.h"

#include "exchange.h"

static const char *const ends[] = {
	[HTTP_DONE] = "done", [HTTP_GIVEN_UP] = "given_up",
	[HTTP_ABORTED] = "aborted", [HTTP_NETWORK] = "network",
	[HTTP_TLS] = "tls", [HTTP_TIMEOUT] = "timeout",
	[HTTP_TOO_LARGE] = "too_large", [HTTP_BAD_URL] = "bad_url",
};

void
cassette_add(struct exchange *x, bool again)
{
	struct buf line = BUF_INIT((size_t)1 << 40);
	struct buf request = BUF_INIT((size_t)1 << 40);
	static const char digits[] = "0123456789abcdef";
	struct slice tape;

	if (x->p->record < 0 || x->body.len == 0)
		return;
	one_line(buf_view(&x->body), &request);
	settings_redact(x->p->set, false, &request);
	settings_redact(x->p->set, false, &x->tape);
	scan_put(&line, again ? "{'type':'exchange','v':1,'api':@,'again':true,"
	    "'request':$" : "{'type':'exchange','v':1,'api':@,'request':$",
	    slice_of(x->p->set->api->name), buf_view(&request));
	buf_fmt(&line, ",\"status\":%ld", x->reply.status);
	scan_put(&line, ",'end':@", slice_of(ends[x->reply.end]));
	if (x->reply.why[0] != '\0')
		scan_put(&line, ",'why':@", slice_of(x->reply.why));
	if (x->reply.retry_after[0] != '\0')
		scan_put(&line, ",'retry_after':@",
		    slice_of(x->reply.retry_after));
	/* bytes that a JSON string cannot hold are two hex digits each */
	tape = x->tape.len > 0 ? buf_view(&x->tape) : SLICE("");
	if (utf8_check(tape.p, tape.n) == tape.n &&
	    memchr(tape.p, '\0', tape.n) == NULL)
		scan_put(&line, ",'response':@}\n", tape);
	else {
		scan_put(&line, ",'response_hex':'");
		for (size_t i = 0; i < tape.n; i++) {
			buf_addc(&line, digits[(unsigned char)tape.p[i] >> 4]);
			buf_addc(&line, digits[(unsigned char)tape.p[i] & 15]);
		}
		buf_adds(&line, "\"}\n");
	}
	if (file_write_all(x->p->record, line.p, line.len) < 0 &&
	    !x->p->warned_record) {
		x->p->warned_record = true;
		err_say("the cassette cannot be written: %s",
		    strerror(errno));
	}
	bufs_release(BUFS(&line, &request));
}

void
cassette_read(struct slice line, struct buf *out, struct http_reply *r)
{
	struct buf hex = BUF_INIT((size_t)1 << 40);
	struct buf why = BUF_INIT(sizeof r->why - 1);
	int64_t n;

	if (!scan_str(scan_get(line, "response"), out) &&
	    scan_str(scan_get(line, "response_hex"), &hex))
		for (size_t i = 0; i + 1 < hex.len; i += 2)
			buf_addc(out, (char)(num_hex(hex.p[i]) * 16 +
			    num_hex(hex.p[i + 1])));
	*r = (struct http_reply){ .end = HTTP_DONE };
	if (scan_int(scan_get(line, "status"), &n))
		r->status = (long)n;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (scan_str_is(scan_get(line, "end"), ends[i]))
			r->end = (enum http_end)i;
	if (scan_str(scan_get(line, "why"), &why) && why.len > 0)
		memcpy(r->why, why.p, why.len + 1);
	bufs_release(BUFS(&hex, &why));
}
