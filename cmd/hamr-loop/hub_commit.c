/* hub_commit.c - what is appended to the session, and who is told. */
#include <string.h>

#include "hub_in.h"

void
hub_fail(struct hub *h, const struct err *e)
{
	if (h->failed)
		return;
	h->failed = true;
	h->err = *e;
}

static void
committed(struct hub *h, const struct rec *r, off_t at)
{
	track_record(h->track, r, at);
	runlog_record(h->log, r);
	ui_committed(h->ui, r);
}

/* Append lines (each with its LF) at once, then take note of each. */
static int
commit_lines(struct hub *h, struct slice lines)
{
	off_t at = h->session->size;
	struct err e;

	if (lines.n == 0 || h->closing)
		return 0;
	if (h->failed)
		return -1;
	if (session_append(h->session, lines, &e) < 0) {
		hub_fail(h, &e);
		return -1;
	}
	while (lines.n > 0) {
		const char *lf = memchr(lines.p, '\n', lines.n);
		size_t n = (size_t)(lf - lines.p);
		struct rec r;

		if (rec_parse(&h->scan, lines.p, n, &r) == 0)
			committed(h, &r, at);
		at += (off_t)n + 1;
		lines.p += n + 1;
		lines.n -= n + 1;
	}
	return 0;
}

int
hub_commit_record(struct hub *h, const struct rec *r)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	int rc;

	buf_slice(&line, r->line);
	buf_addc(&line, '\n');
	rc = commit_lines(h, buf_view(&line));
	buf_release(&line);
	return rc;
}

int
hub_commit(struct hub *h, struct json *o)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	int rc;

	json_print(o, &line);
	json_free(o);
	buf_addc(&line, '\n');
	rc = commit_lines(h, buf_view(&line));
	buf_release(&line);
	return rc;
}

static void
show(struct hub *h, struct json *o, void (*how)(struct ui *,
    const struct rec *))
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct rec r;

	json_print(o, &line);
	json_free(o);
	if (rec_parse(&h->scan, line.p, line.len, &r) == 0) {
		runlog_record(h->log, &r);
		how(h->ui, &r);
	}
	buf_release(&line);
}

void
hub_show(struct hub *h, struct json *o)
{
	show(h, o, ui_committed);
}

void
hub_progress(struct hub *h, struct json *o)
{
	show(h, o, ui_passing);
}

int
hub_durable(struct hub *h)
{
	struct err e;

	if (session_sync(h->session, &e) < 0) {
		hub_fail(h, &e);
		return -1;
	}
	return 0;
}

/* What guard, compact and mem proposed, committed together. */
void
hub_commit_proposals(struct hub *h, struct slot *s)
{
	struct slice p = buf_view(&s->proposals);

	while (s->skip > 0 && p.n > 0) {
		const char *lf = memchr(p.p, '\n', p.n);

		p.n -= (size_t)(lf + 1 - p.p);
		p.p = lf + 1;
		s->skip--;
	}
	s->skip = 0;
	commit_lines(h, p);
	buf_reset(&s->proposals);
}
