/* rpc.c - JSON-RPC 2.0 over two descriptors, one message a line. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rpc/rpc.h"

#define READ_BYTES 65536

void
rpc_init(struct rpc *r, int in, int out, size_t max)
{
	*r = (struct rpc){ .in = in, .out = out, .max = max,
		.rd = BUF_INIT(max + 2 * READ_BYTES),
		.wr = BUF_INIT(2 * RPC_QUEUE_MAX),
		.fixed = BUF_INIT(4 * max) };
}

void
rpc_release(struct rpc *r)
{
	bufs_release(BUFS(&r->rd, &r->wr, &r->fixed));
	scan_release(&r->scan);
}

/* ---- reading ---- */

int
rpc_fill(struct rpc *r)
{
	char buf[READ_BYTES];

	if (r->taken > 0) {	/* lines that were handed out are done with */
		buf_drop(&r->rd, r->taken);
		r->looked -= r->taken;
		r->taken = 0;
	}
	ssize_t n = read(r->in, buf, sizeof buf);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	if (n == 0 && (r->rd.len == 0 || r->rd.p[r->rd.len - 1] == '\n'))
		return -1;
	if (n == 0)		/* the last line may lack its LF */
		buf[n++] = '\n';
	buf_add(&r->rd, buf, (size_t)n);
	return 1;
}

enum rpc_got
rpc_take(struct rpc *r, struct slice *text)
{
	for (;;) {
		const char *lf = NULL;

		if (r->rd.len > r->looked)
			lf = memchr(r->rd.p + r->looked, '\n',
			    r->rd.len - r->looked);
		if (lf == NULL)
			break;
		*text = slice_trim((struct slice){ r->rd.p + r->taken,
			(size_t)(lf - r->rd.p) - r->taken });
		r->taken = r->looked = (size_t)(lf - r->rd.p) + 1;
		if (r->skipping || text->n == 0) {
			r->skipping = false;	/* reported already */
			continue;
		}
		bool good = scan_value(&r->scan, text->p, text->n) == 0;
		r->lossy = false;
		if (!good) {
			buf_reset(&r->fixed);
			scan_repair(*text, &r->fixed);
			*text = buf_view(&r->fixed);
			if (scan_value(&r->scan, text->p, text->n) < 0)
				text->n = 0;
			good = r->lossy = r->repair && text->n > 0;
		}
		return good ? RPC_TEXT : RPC_BAD;
	}
	r->looked = r->rd.len;
	if (!r->skipping && r->rd.len - r->taken <= r->max)
		return RPC_NONE;
	/* An unfinished line that is too long already: drop it, and whatever
	 * comes until it ends. */
	enum rpc_got skipped = r->skipping ? RPC_NONE : RPC_LONG;
	buf_reset(&r->rd);
	r->taken = r->looked = 0;
	r->skipping = true;
	return skipped;
}

/* ---- writing ---- */

bool
rpc_put(struct rpc *r, struct slice message, size_t limit)
{
	if (r->wr.len - r->sent + message.n + 1 > limit)
		return false;
	buf_slice(&r->wr, message);
	buf_addc(&r->wr, '\n');
	return true;
}

int
rpc_send(struct rpc *r)
{
	ssize_t n = 0;

	while (r->sent < r->wr.len) {
		n = write(r->out, r->wr.p + r->sent, r->wr.len - r->sent);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		r->sent += (size_t)n;
	}
	if (r->sent > r->wr.len / 2) {	/* seldom: it moves the rest */
		buf_drop(&r->wr, r->sent);
		r->sent = 0;
	}
	return n < 0 && errno != EAGAIN ? -1 : 0;
}

bool
rpc_waiting(const struct rpc *r)
{
	return r->sent < r->wr.len;
}

/* ---- messages ---- */

bool
rpc_is_id(struct slice id)
{
	return scan_kind(id) == SCAN_STRING || scan_kind(id) == SCAN_NUMBER;
}

bool
rpc_same_id(struct slice got, struct slice sent)
{
	return slice_eq(got, sent) || slice_eq(scan_plain(got), sent);
}

void
rpc_read(struct slice text, struct rpc_msg *m)
{
	*m = (struct rpc_msg){ .kind = RPC_OTHER,
		.id = scan_get(text, "id") };
	if (!scan_str_is(scan_get(text, "jsonrpc"), "2.0"))
		return;
	m->method = scan_get(text, "method");
	m->params = scan_get(text, "params");
	m->result = scan_get(text, "result");
	m->error = scan_get(text, "error");
	if (scan_kind(m->error) == SCAN_NULL)	/* some write both keys */
		m->error = (struct slice){ NULL, 0 };
	if (scan_kind(m->method) == SCAN_STRING && m->id.p == NULL)
		m->kind = RPC_NOTIFY;
	/* an error of null: what we sent could not be read */
	else if (!rpc_is_id(m->id) && (m->method.p != NULL ||
	    m->error.p == NULL || scan_kind(m->id) != SCAN_NULL))
		return;
	else if (scan_kind(m->method) == SCAN_STRING)
		m->kind = RPC_REQUEST;
	else if (m->method.p == NULL && m->error.p != NULL)
		m->kind = RPC_ERROR;
	else if (m->method.p == NULL && m->result.p != NULL)
		m->kind = RPC_RESULT;
}

void
rpc_call(struct buf *out, struct slice id, const char *method,
    struct slice params)
{
	scan_put(out, "{'jsonrpc':'2.0'");
	if (id.p != NULL)
		scan_put(out, ",'id':$", id);
	scan_put(out, ",'method':@", slice_of(method));
	if (params.p != NULL)
		scan_put(out, ",'params':$", params);
	buf_addc(out, '}');
}

void
rpc_result(struct buf *out, struct slice id, struct slice result)
{
	scan_put(out, "{'jsonrpc':'2.0','id':$,'result':$}", id.p != NULL ?
	    id : SLICE("null"), result);
}

void
rpc_error(struct buf *out, struct slice id, enum rpc_code code,
    const char *words)
{
	scan_put(out, "{'jsonrpc':'2.0','id':$,'error':{'code':$,"
	    "'message':@}}", id.p != NULL ? id : SLICE("null"),
	    SCAN_INT(code), slice_of(words));
}
