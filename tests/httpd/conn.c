/* conn.c - plays a script into a socket. */
#include <err.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "req.h"

enum { BATCH = 65536 };

static void
conn_drop(const struct stage *st, struct conn *c, const char *who)
{
	log_close(&st->log, c->id, who);
	close(c->fd);
	c->fd = -1;
}

static void
conn_begin(struct conn *c, const struct script *s, const struct req *r)
{
	c->s = s;
	c->use = s->uses;
	c->pc = 0;
	c->reps = c->split = c->pace = 0;
	c->left = !s->cut_act ? SIZE_MAX
		: (size_t)(s->cut == EACH ? c->use : s->cut);
	c->head_sent = c->tail_sent = c->told = false;
	c->close = (!s->chunked && s->length == NONE)
		|| req_says(r, "connection", "close");
}

/* Begins the answer to the next request in c->in, if one is there. */
static void
conn_next(struct stage *st, struct conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct req r = {0};
	struct script *s;
	int got = req_take(&r, &c->in);

	if (got < 0) {
		warnx("connection %ld: not a request", c->id);
		conn_drop(st, c, "us");
	} else if (got) {
		s = scripts_pick(&st->scripts, &r);
		c->nreq++;
		log_request(&st->log, c->id, c->nreq, &r,
			    scripts_place(&st->scripts, s));
		conn_begin(c, s, &r);
		s->uses++;
		c->in.n -= r.used;
		memmove(c->in.p, c->in.p + r.used, c->in.n);
	}
	if (!got && !c->told && r.head && req_says(&r, "expect", "100-"))
		c->told = write(c->fd, go_on, sizeof go_on - 1) > 0;
	req_release(&r);
}

/* Puts the head in c->out. */
static void
conn_head(struct conn *c)
{
	const struct script *s = c->s;
	size_t len = s->length >= 0 ? (size_t)s->length
		: s->total + s->broken;
	char line[128];

	c->head_sent = true;
	if (s->rawhead)
		return;
	snprintf(line, sizeof line, "HTTP/1.%d %d ", !s->http10, s->status);
	bytes_puts(&c->out, line);
	bytes_puts(&c->out, s->reason ? s->reason : "OK");
	bytes_puts(&c->out, "\r\n");
	bytes_put(&c->out, s->headers.p, s->headers.n);
	if (!s->bare && !s->typed) {
		bytes_puts(&c->out, "Content-Type: ");
		bytes_puts(&c->out, s->kind);
		bytes_puts(&c->out, "\r\n");
	}
	if (s->length == AUTO && s->cut_act == END && c->left < len)
		len = c->left;
	snprintf(line, sizeof line, "Content-Length: %zu\r\n", len);
	if (!s->bare && s->chunked)
		bytes_puts(&c->out, "Transfer-Encoding: chunked\r\n");
	else if (!s->bare && s->length != NONE)
		bytes_puts(&c->out, line);
	if (!s->bare)
		bytes_puts(&c->out, c->close ? "Connection: close\r\n"
			: "Connection: keep-alive\r\n");
	bytes_puts(&c->out, "\r\n");
}

static void
conn_frame(struct conn *c, const char *p, size_t n)
{
	size_t max = c->s->chunk ? c->s->chunk : n, part;
	char size[32];

	for (; n; p += part, n -= part) {
		part = n < max ? n : max;
		snprintf(size, sizeof size, "%zx\r\n", part);
		bytes_puts(&c->out, size);
		bytes_put(&c->out, p, part);
		bytes_puts(&c->out, "\r\n");
	}
}

/* Puts the bytes of op in c->out, several times if nobody can tell. */
static void
conn_fill(struct conn *c, const struct op *op)
{
	bool again = op->n != 0;

	while (again) {
		size_t n = op->data.n < c->left ? op->data.n : c->left;

		if (op->verb == BYTES && c->s->chunked)
			conn_frame(c, op->data.p, n);
		else
			bytes_put(&c->out, op->data.p, n);
		if (c->s->cut_act)
			c->left -= n;
		c->reps++;
		again = (op->n == FOREVER || c->reps < op->n) && c->left
			&& !c->split && c->out.n < BATCH;
	}
	if (op->n != FOREVER && c->reps >= op->n) {
		c->pc++;
		c->reps = 0;
	}
}

static void
conn_end(const struct stage *st, struct conn *c)
{
	if (c->s->chunked && !c->tail_sent)
		bytes_puts(&c->out, "0\r\n\r\n");
	else if (c->close)
		conn_drop(st, c, "us");
	else
		c->s = NULL;
	c->tail_sent = true;
}

static void
conn_reset(const struct stage *st, struct conn *c)
{
	struct linger now_and_hard = {.l_onoff = 1, .l_linger = 0};
	int unread = 0;

	if (!ioctl(c->fd, SIOCOUTQ, &unread) && unread) {
		c->wake = now() + 1;	/* a RST throws away what is queued */
		return;
	}
	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now_and_hard,
		   sizeof now_and_hard);
	conn_drop(st, c, "us");
}

/* All was written: does the next thing the script says. */
static void
conn_advance(const struct stage *st, struct conn *c)
{
	static const struct op end = {.verb = END};
	const struct op *op = c->pc < c->s->nops ? &c->s->ops[c->pc] : &end;
	enum verb verb = op->verb;

	c->out.n = c->off = 0;
	if (c->head_sent && c->s->cut_act && !c->left)
		verb = c->s->cut_act;
	if (!c->head_sent && (verb == BYTES || verb == RAW || verb == END)) {
		conn_head(c);
		return;
	}
	if (verb == BYTES || verb == RAW)
		conn_fill(c, op);
	else if (verb == END)
		conn_end(st, c);
	else if (verb == RESET)
		conn_reset(st, c);
	else if (verb == CLOSE)
		conn_drop(st, c, "us");
	else if (verb == HANG)
		c->hung = true;
	else
		c->pc++;
	if (verb == HEAD && !c->head_sent)
		conn_head(c);
	if (verb == SPLIT) {
		c->split = op->n == EACH ? c->use + 1 : op->n;
		c->pace = op->ms;
	}
	if (verb == SLEEP)
		c->wake = now() + op->ms;
}

struct conn *
conn_new(int fd, long id)
{
	struct conn *c = xresize(NULL, sizeof *c);

	*c = (struct conn){.fd = fd, .id = id};
	return c;
}

void
conn_free(struct conn *c)
{
	free(c->in.p);
	free(c->out.p);
	free(c);
}

void
conn_read(const struct stage *st, struct conn *c)
{
	char part[65536];
	ssize_t n = read(c->fd, part, sizeof part);

	if (n > 0)
		bytes_put(&c->in, part, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		conn_drop(st, c, "peer");
}

void
conn_step(struct stage *st, struct conn *c)
{
	while (c->fd >= 0 && !c->hung && now() >= c->wake) {
		size_t n = c->out.n - c->off;
		ssize_t done;

		if (!c->s)
			conn_next(st, c);
		if (!c->s)
			return;
		if (!n) {
			conn_advance(st, c);
			continue;
		}
		if (c->split && n > (size_t)c->split)
			n = (size_t)c->split;
		done = write(c->fd, c->out.p + c->off, n);
		if (done > 0) {
			c->off += (size_t)done;
			c->wake = c->pace ? now() + c->pace : 0;
		} else if (errno != EAGAIN && errno != EINTR) {
			conn_drop(st, c, "peer");
		}
		return;
	}
}
