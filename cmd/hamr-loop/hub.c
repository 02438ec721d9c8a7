/* hub.c - the one committing writer and its resident stages. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "hub.h"
#include "json.h"
#include "mem.h"

#define PURE_DEADLINE_MS 30000	/* whatever takes no time (chapter 1.3) */
#define MAX_RESTARTS 5		/* of one stage in one run (chapter 7.3) */
#define END_MS 2000		/* from closed ends to SIGKILL */
#define CHUNK ((size_t)65536)	/* session bytes handed over at once */
#define OUT_HIGH ((size_t)16 << 20)	/* stdout this far behind: read no more */

static void restart(struct hub *h, struct slot *s);
static void down(struct hub *h, struct slot *s, const char *fault);

int
hub_init(struct hub *h, struct session *ses, struct track *t, struct ui *ui,
    struct err *e)
{
	static const char *const names[SLOTS] = { "guard", "compact",
		"provider", "tool", "mem" };
	sigset_t set;

	*h = (struct hub){ .session = ses, .track = t, .ui = ui };
	for (int i = 0; i < SLOTS; i++) {
		h->slot[i].name = names[i];
		buf_init(&h->slot[i].out, 2 * BUF_RECORD_MAX);
		buf_init(&h->slot[i].proposals, 2 * BUF_RECORD_MAX);
	}
	buf_init(&h->request, 2 * BUF_RECORD_MAX);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	h->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (h->signals < 0)
		return err_sys(e, ST_SYSTEM, "signalfd");
	return 0;
}

static void
fail(struct hub *h, const struct err *e)
{
	if (h->failed)
		return;
	h->failed = true;
	h->err = *e;
}

/* ---- committing ---- */

static void
committed(struct hub *h, const struct rec *r, off_t at)
{
	track_record(h->track, r, at);
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
		fail(h, &e);
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

static int
commit_record(struct hub *h, const struct rec *r)
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

void
hub_show(struct hub *h, struct json *o)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct rec r;

	json_print(o, &line);
	json_free(o);
	if (rec_parse(&h->scan, line.p, line.len, &r) == 0)
		ui_committed(h->ui, &r);
	buf_release(&line);
}

int
hub_durable(struct hub *h)
{
	struct err e;

	if (session_sync(h->session, &e) < 0) {
		fail(h, &e);
		return -1;
	}
	return 0;
}

/* What guard, compact and mem proposed, committed together. */
static void
commit_proposals(struct hub *h, struct slot *s)
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

/* ---- asking ---- */

/* Queue a control line behind those that are due no later. */
static void
control(struct slot *s, off_t at, char *line)
{
	size_t i;

	s->q = xgrow(s->q, s->nq, &s->capq, sizeof *s->q);
	for (i = s->nq++; i > 0 && s->q[i - 1].at > at; i--)
		s->q[i] = s->q[i - 1];
	s->q[i] = (struct control){ at, line, strlen(line) };
}

static void
drop_controls(struct slot *s)
{
	for (size_t i = 0; i < s->nq; i++)
		free(s->q[i].line);
	s->nq = 0;
}

static void
ask_again(struct hub *h, struct slot *s)
{
	if (s == &h->slot[SLOT_PROVIDER] && s->asked_go) {
		struct buf line = BUF_INIT(2 * BUF_RECORD_MAX);

		buf_slice(&line, buf_view(&h->request));
		buf_addc(&line, '\n');
		control(s, h->session->size, buf_detach(&line));
	}
	control(s, h->session->size, xasprintf("{\"type\":\"%s\",\"n\":%lld}\n",
	    s->asked_go ? "go" : "sync", (long long)s->asked));
}

void
hub_ask(struct hub *h, enum slot_id id, bool go)
{
	struct slot *s = &h->slot[id];

	if (!s->used)
		return;
	s->asked = ++h->number;
	s->asked_go = go;
	s->deadline = go && (id == SLOT_PROVIDER || id == SLOT_TOOL) ? 0 :
	    file_now_ms() + PURE_DEADLINE_MS;
	ask_again(h, s);
}

void
hub_hint(struct hub *h, enum slot_id id, struct json *o)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	json_print(o, &line);
	json_free(o);
	buf_addc(&line, '\n');
	control(&h->slot[id], h->session->size, buf_detach(&line));
}

/* ---- what stages say ---- */

static void
answered(struct hub *h, struct slot *s)
{
	s->asked = 0;
	s->deadline = 0;
	s->barrier = s->cursor;
	s->restarts = 0;
	commit_proposals(h, s);
}

static void
answer_ask(struct hub *h, const struct rec *r)
{
	struct json *o = json_object();
	struct slice id = rec_get(r, "id");
	bool allow = ui_ask(h->ui, r, h->signals);

	json_str(o, "type", "answer");
	if (scan_kind(id) == SCAN_STRING)
		json_raw(o, "id", id);
	json_bool(o, "allow", allow);
	hub_commit(h, o);
}

/* Records that are the loop's own to write. */
static bool
is_ours(enum rec_kind k)
{
	return k == R_HAMR || k == R_END || k == R_ANSWER || k == R_CONFIG ||
	    k == R_RECOVERY || k == R_COMPACT;
}

static void
propose(struct hub *h, struct slot *s, const struct rec *r)
{
	if (buf_reserve(&s->proposals, r->line.n + 1) < 0) {
		down(h, s, "proposes more than a session can hold");
		return;
	}
	buf_slice(&s->proposals, r->line);
	buf_addc(&s->proposals, '\n');
}

static void
said(struct hub *h, struct slot *s, const struct rec *r)
{
	int64_t n = 0;

	if (r->kind == R_GO || r->kind == R_SYNC) {
		rec_int(r, "n", &n);
		if (n != 0 && n == s->discard)
			s->discard = 0;
		else if (n != 0 && n == s->asked && s->discard == 0)
			answered(h, s);
		return;
	}
	if (s->discard != 0)
		return;
	if (is_ours(r->kind)) {
		err_say("stage %s wrote a record that only hamr-loop writes; "
		    "it is ignored", s->name);
	} else if (r->kind == R_REQUEST) {
		buf_reset(&h->request);
		buf_slice(&h->request, r->line);
	} else if (r->kind == R_ASK) {
		ui_passing(h->ui, r);
		answer_ask(h, r);
	} else if (rec_is_passing(r->kind)) {
		ui_passing(h->ui, r);
	} else if (s == &h->slot[SLOT_PROVIDER] || s == &h->slot[SLOT_TOOL]) {
		commit_record(h, r);
		if (r->kind == R_START)
			hub_durable(h);
	} else {
		propose(h, s, r);
	}
}

/* ---- a stage that ended ---- */

static void
give_up(struct hub *h, struct slot *s, const char *fmt, int value)
{
	char how[128];

	snprintf(how, sizeof how, fmt, value);
	if (s == &h->slot[SLOT_MEM]) {	/* work goes on without a memory */
		err_say("stage mem (%s) %s; this run is not indexed",
		    s->cmd.commands[0], how);
		s->used = false;
		s->asked = 0;
		s->deadline = 0;
		return;
	}
	s->asked = 0;
	s->deadline = 0;
	h->stage_failed = true;
	h->failed_slot = (enum slot_id)(s - h->slot);
	h->failed = true;
	err_set(&h->err, ST_PEER, "stage %s (%s) %s", s->name,
	    s->cmd.commands[0], how);
}

static void
stop_slot(struct slot *s, int ms, int *status)
{
	int st = child_end(s->child, ms);

	if (status != NULL)
		*status = st;
	s->child = NULL;
	rec_in_release(&s->in);
}

/* A stage has ended by itself (fault is NULL), or is to be ended for a fault.
 * One that says with its status why it cannot work would say so again. */
static void
down(struct hub *h, struct slot *s, const char *fault)
{
	int st, code;

	if (fault != NULL)
		kill(-child_pid(s->child), SIGKILL);
	stop_slot(s, END_MS, &st);
	if (h->failed || h->closing) {
		s->asked = 0;
		s->deadline = 0;
		return;
	}
	code = WIFEXITED(st) ? WEXITSTATUS(st) : 0;
	if (fault == NULL && (code == ST_USAGE || code >= ST_DATA)) {
		give_up(h, s, "ended with status %d", code);
		return;
	}
	if (++s->restarts > MAX_RESTARTS) {
		give_up(h, s, "ended %d times in one action", s->restarts);
		return;
	}
	ui_note(h->ui, "stage %s %s; started again", s->name, fault != NULL ?
	    fault : "ended");
	restart(h, s);
}

static int
start_slot(struct hub *h, struct slot *s, struct err *e)
{
	s->child = child_start(&s->cmd, e);
	if (s->child == NULL)
		return -1;
	rec_in_init(&s->in, child_out(s->child), s->name, REC_MAX);
	s->cursor = 0;
	s->written = 0;
	buf_reset(&s->out);
	buf_reset(&s->proposals);
	drop_controls(s);
	s->discard = 0;
	if (s->barrier > 0) {
		s->discard = ++h->number;
		control(s, s->barrier, xasprintf(
		    "{\"type\":\"sync\",\"n\":%lld}\n",
		    (long long)s->discard));
	}
	return 0;
}

static void
restart(struct hub *h, struct slot *s)
{
	struct err e;

	if (start_slot(h, s, &e) < 0) {
		fail(h, &e);
		return;
	}
	if (s->asked != 0)
		ask_again(h, s);
	if (s->deadline != 0)
		s->deadline = file_now_ms() + PURE_DEADLINE_MS;
}

/* ---- moving bytes ---- */

/* Put the next thing due into out.  False when there is nothing. */
static bool
refill(struct hub *h, struct slot *s)
{
	off_t limit = h->session->size;
	ssize_t n;

	s->written = 0;
	buf_reset(&s->out);
	if (s->nq > 0 && s->q[0].at <= s->cursor) {
		buf_add(&s->out, s->q[0].line, s->q[0].n);
		free(s->q[0].line);
		memmove(s->q, s->q + 1, --s->nq * sizeof *s->q);
		return true;
	}
	if (s->nq > 0 && s->q[0].at < limit)
		limit = s->q[0].at;
	if (s->cursor >= limit)
		return false;
	buf_reserve(&s->out, CHUNK);
	n = session_read(h->session, s->out.p, limit - s->cursor <
	    (off_t)CHUNK ? (size_t)(limit - s->cursor) : CHUNK, s->cursor);
	if (n <= 0) {
		struct err e;

		err_sys(&e, ST_SYSTEM, "%s", h->session->path);
		fail(h, &e);
		return false;
	}
	s->out.len = (size_t)n;
	s->cursor += n;
	return true;
}

/* Write until the pipe is full or nothing is due. */
static void
feed(struct hub *h, struct slot *s)
{
	while (s->child != NULL &&
	    (s->written < s->out.len || refill(h, s))) {
		ssize_t n = write(child_in(s->child), s->out.p + s->written,
		    s->out.len - s->written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && errno == EPIPE) {
			/* its end is read, and dealt with, below */
			s->written = s->out.len;
			return;
		}
		if (n < 0) {
			down(h, s, "cannot be written to");
			return;
		}
		s->written += (size_t)n;
	}
}

static void
listen_to(struct hub *h, struct slot *s)
{
	const struct rec *r;
	struct err e;
	int got = rec_fill(&s->in, &e);

	while (got >= 0 && !h->failed) {
		int took = rec_take(&s->in, &r, &e);

		if (took == 0)
			break;
		if (took < 0) {
			down(h, s, e.text);
			return;
		}
		said(h, s, r);
		if (s->child == NULL || s->in.buf == NULL)
			return;		/* it was ended for what it said */
	}
	if (got <= 0)
		down(h, s, NULL);
}

static void
read_signals(struct hub *h)
{
	struct signalfd_siginfo info;

	while (read(h->signals, &info, sizeof info) == sizeof info)
		h->interrupts++;
}

static int
next_timeout(const struct hub *h, long long until)
{
	long long at = until, now = file_now_ms();

	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].deadline != 0 &&
		    (at == 0 || h->slot[i].deadline < at))
			at = h->slot[i].deadline;
	if (at == 0)
		return -1;
	return at <= now ? 0 : at - now > 60000 ? 60000 : (int)(at - now);
}

static void
check_deadlines(struct hub *h)
{
	long long now = file_now_ms();

	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];

		if (s->child != NULL && s->deadline != 0 && now >= s->deadline)
			down(h, s, "did not answer in time");
	}
}

/* One round of the poll loop. */
static void
round_of_poll(struct hub *h, long long until)
{
	struct pollfd p[2 * SLOTS + 2];
	bool behind = h->ui->out.len - h->ui->written > OUT_HIGH;
	bool talk = ui_pump(h->ui);

	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];

		feed(h, s);
		p[2 * i] = (struct pollfd){ s->child == NULL || behind ? -1 :
		    child_out(s->child), POLLIN, 0 };
		p[2 * i + 1] = (struct pollfd){ s->child != NULL &&
		    s->written < s->out.len ? child_in(s->child) : -1,
		    POLLOUT, 0 };
	}
	p[2 * SLOTS] = (struct pollfd){ h->signals, POLLIN, 0 };
	/* asked for nothing, poll still tells when its reader has left */
	p[2 * SLOTS + 1] = (struct pollfd){ h->ui->out_closed ? -1 :
	    STDOUT_FILENO, talk ? POLLOUT : 0, 0 };
	if (h->failed || poll(p, 2 * SLOTS + 2, next_timeout(h, until)) < 0)
		return;
	if (p[2 * SLOTS].revents != 0)
		read_signals(h);
	if ((p[2 * SLOTS + 1].revents & (POLLERR | POLLNVAL)) != 0)
		ui_lost(h->ui);
	for (int i = 0; i < SLOTS; i++)
		if (p[2 * i].revents != 0 && h->slot[i].child != NULL)
			listen_to(h, &h->slot[i]);
	check_deadlines(h);
}

static bool
busy(const struct hub *h)
{
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].asked != 0)
			return true;
	return false;
}

int
hub_wait(struct hub *h, long long until)
{
	while (busy(h)) {
		if (h->failed || h->interrupts > 0 ||
		    (h->ui->out_closed && !h->ending))
			return -1;
		if (until != 0 && file_now_ms() >= until)
			return -1;
		round_of_poll(h, until);
	}
	return h->failed || h->interrupts > 0 ? -1 : 0;
}

int
hub_sync(struct hub *h, enum slot_id id)
{
	hub_ask(h, id, false);
	return hub_wait(h, 0);
}

int
hub_go(struct hub *h, enum slot_id id, long long until)
{
	hub_ask(h, id, true);
	return hub_wait(h, until);
}

void
hub_cancel(struct hub *h, int ms)
{
	long long until = file_now_ms() + ms;
	int interrupts = h->interrupts;

	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].asked != 0 && h->slot[i].asked_go &&
		    h->slot[i].child != NULL)
			control(&h->slot[i], h->slot[i].cursor,
			    xstrdup("{\"type\":\"cancel\"}\n"));
	while (busy(h) && !h->failed && h->interrupts == interrupts &&
	    file_now_ms() < until)
		round_of_poll(h, until);
	for (int i = 0; i < SLOTS; i++)
		h->slot[i].asked = 0;
}

int
hub_start(struct hub *h, bool resume, struct err *e)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];

		if (!s->used)
			continue;
		if (resume) {
			s->barrier = h->session->size;
			if (i == SLOT_GUARD) {
				s->barrier = h->track->decision;
				s->skip = h->track->guard_after;
			}
			if (i == SLOT_TOOL && !h->track->has_tools)
				s->barrier = 0;
		}
		if (start_slot(h, s, e) < 0)
			return -1;
	}
	return 0;
}

void
hub_end(struct hub *h)
{
	long long until;

	h->closing = true;
	if (!h->failed) {
		h->interrupts = 0;
		for (int i = 0; i < SLOTS; i++)
			if (h->slot[i].child != NULL)
				hub_ask(h, (enum slot_id)i, false);
		/* hamr-mem may have much to take in still */
		hub_wait(h, file_now_ms() +
		    (h->ending ? END_MS : PURE_DEADLINE_MS));
	}
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].child != NULL)
			child_close_in(h->slot[i].child);
	until = file_now_ms() + END_MS;
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];
		long long left = until - file_now_ms();

		if (s->child != NULL)
			stop_slot(s, left > 0 ? (int)left : 0, NULL);
		drop_controls(s);
		free(s->q);
		buf_release(&s->out);
		buf_release(&s->proposals);
	}
	buf_release(&h->request);
	scan_release(&h->scan);
	close(h->signals);
}
