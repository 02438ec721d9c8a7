/* rpc.c - JSON-RPC 2.0 over two descriptors, one message a line. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "rpc/rpc.h"

void
rpc_init(struct rpc *r, int in, int out, size_t max)
{
	*r = (struct rpc){ .out = out, .wr = BUF_INIT(2 * RPC_QUEUE_MAX),
		.fixed = BUF_INIT(4 * max) };
	rec_in_init(&r->in, in, "", max);
}

void
rpc_release(struct rpc *r)
{
	rec_in_release(&r->in);
	bufs_release(BUFS(&r->wr, &r->fixed));
	scan_release(&r->scan);
}

/* ---- reading ---- */

int
rpc_fill(struct rpc *r)
{
	struct pollfd p = { r->in.fd, POLLIN, 0 };
	int got = poll(&p, 1, 0) > 0 ? rec_fill(&r->in, NULL) : 0;
	struct slice rest = rec_unread(&r->in);

	/* the last line may lack its LF */
	if (r->in.eof)
		got = rest.n > 0 && rest.p[rest.n - 1] != '\n' ? 1 : -1;
	return got;
}

enum rpc_got
rpc_take(struct rpc *r, struct slice *text)
{
	int got;

	do {
		got = rec_line(&r->in, text, NULL);
		*text = slice_trim(*text);
	} while (got > 0 && text->n == 0);
	if (got <= 0)
		return got < 0 ? RPC_LONG : RPC_NONE;
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

/* ---- writing ---- */

bool
rpc_put(struct rpc *r, struct slice message, size_t limit)
{
	if (r->wr.len - r->sent + message.n + 1 > limit)
		return false;
	size_t at = r->wr.len;

	buf_slice(&r->wr, message);
	/* a model's arguments may have line ends between their tokens */
	for (; at < r->wr.len; at++)
		if (r->wr.p[at] == '\n')
			r->wr.p[at] = ' ';
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
