/* hub_slot.c - one stage: its queue, its life, its pipes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "hub_in.h"
#include "mem.h"

#define MAX_RESTARTS 5		/* of one stage in one run (chapter 7.3) */
#define CHUNK ((size_t)65536)	/* session bytes handed over at once */

static void restart(struct hub *h, struct slot *s);

void
slot_control(struct slot *s, off_t at, char *line)
{
	size_t i;

	s->q = xgrow(s->q, s->nq, &s->capq, sizeof *s->q);
	for (i = s->nq++; i > 0 && s->q[i - 1].at > at; i--)
		s->q[i] = s->q[i - 1];
	s->q[i] = (struct control){ at, line, strlen(line) };
}

void
slot_drop_controls(struct slot *s)
{
	for (size_t i = 0; i < s->nq; i++)
		free(s->q[i].line);
	s->nq = 0;
}

void
slot_ask_again(struct hub *h, struct slot *s)
{
	if (s == &h->slot[SLOT_PROVIDER] && s->asked_go) {
		struct buf line = BUF_INIT(2 * BUF_RECORD_MAX);

		buf_slice(&line, buf_view(&h->request));
		buf_addc(&line, '\n');
		slot_control(s, h->session->size, buf_detach(&line));
	}
	slot_control(s, h->session->size, xasprintf("{\"type\":\"%s\",\"n\":%lld}\n",
	    s->asked_go ? "go" : "sync", (long long)s->asked));
}

static void
give_up(struct hub *h, struct slot *s, enum status status, const char *fmt,
    int value)
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
	runlog_say(h->log, s->name, "%s; given up", how);
	h->stage_failed = true;
	h->failed_slot = (enum slot_id)(s - h->slot);
	h->failed = true;
	err_set(&h->err, status, "stage %s (%s) %s", s->name,
	    s->cmd.commands[0], how);
}

/* What a stage's own status makes of ours: a remedy of the person's is told
 * as such.  A usage error is one of [stages]. */
static enum status
blame(int code)
{
	return code == ST_USAGE ? ST_CONFIG : code == ST_NOINPUT ||
	    code == ST_POLICY || code == ST_CONFIG ? (enum status)code :
	    ST_PEER;
}

static void
tell_end(struct hub *h, const struct slot *s, int st)
{
	if (WIFSIGNALED(st))
		runlog_say(h->log, s->name, "ended by signal %d",
		    WTERMSIG(st));
	else
		runlog_say(h->log, s->name, "ended with status %d",
		    WEXITSTATUS(st));
}

void
slot_stop(struct hub *h, struct slot *s, int ms, int *status)
{
	int st = child_end(s->child, ms);

	slot_overheard(h, s);
	tell_end(h, s, st);
	if (status != NULL)
		*status = st;
	s->child = NULL;
	rec_in_release(&s->in);
}

/* One that says with its status why it cannot work would say so again. */
void
slot_down(struct hub *h, struct slot *s, const char *fault)
{
	int st, code;

	if (fault != NULL)
		kill(-child_pid(s->child), SIGKILL);
	slot_stop(h, s, END_MS, &st);
	if (h->failed || h->closing) {
		s->asked = 0;
		s->deadline = 0;
		return;
	}
	code = WIFEXITED(st) ? WEXITSTATUS(st) : 0;
	if (fault == NULL && (code == ST_USAGE || code >= ST_DATA)) {
		give_up(h, s, blame(code), "ended with status %d", code);
		return;
	}
	if (++s->restarts > MAX_RESTARTS) {
		give_up(h, s, ST_PEER, "ended %d times in one action",
		    s->restarts);
		return;
	}
	h->died++;
	h->who_died = s->name;
	runlog_say(h->log, s->name, "%s; started again, %d of %d",
	    fault != NULL ? fault : "ended", s->restarts, MAX_RESTARTS);
	ui_note(h->ui, "stage %s %s; started again", s->name, fault != NULL ?
	    fault : "ended");
	restart(h, s);
}

/* Arguments may hold what is nobody's business. */
static void
tell_start(struct hub *h, const struct slot *s)
{
	struct buf b = BUF_INIT((size_t)1 << 20);

	for (size_t i = 0; i < s->cmd.n; i++)
		buf_fmt(&b, "%s%.*s", i > 0 ? " | " : "",
		    (int)strcspn(s->cmd.commands[i], " \t"),
		    s->cmd.commands[i]);
	runlog_say(h->log, s->name, "%s started, process %ld",
	    buf_view(&b).p, (long)child_pid(s->child));
	buf_release(&b);
}

int
slot_start(struct hub *h, struct slot *s, struct err *e)
{
	s->cmd.overhear = true;
	s->cmd.pass = h->session->lock;
	s->child = child_start(&s->cmd, e);
	if (s->child == NULL)
		return -1;
	s->err = child_take_err(s->child);
	tell_start(h, s);
	rec_in_init(&s->in, child_out(s->child), s->name, REC_MAX);
	s->cursor = 0;
	s->written = 0;
	buf_reset(&s->out);
	buf_reset(&s->proposals);
	slot_drop_controls(s);
	s->discard = 0;
	if (s->barrier > 0) {
		s->discard = ++h->number;
		slot_control(s, s->barrier, xasprintf(
		    "{\"type\":\"sync\",\"n\":%lld}\n",
		    (long long)s->discard));
	}
	return 0;
}

static void
restart(struct hub *h, struct slot *s)
{
	struct err e;

	if (slot_start(h, s, &e) < 0) {
		hub_fail(h, &e);
		return;
	}
	if (s->asked != 0)
		slot_ask_again(h, s);
	if (s->deadline != 0)
		s->deadline = file_now_ms() + PURE_DEADLINE_MS;
}

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
		hub_fail(h, &e);
		return false;
	}
	s->out.len = (size_t)n;
	s->cursor += n;
	return true;
}

void
slot_feed(struct hub *h, struct slot *s)
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
		if (n < 0)	/* the next one is fed at once */
			slot_down(h, s, "cannot be written to");
		else
			s->written += (size_t)n;
	}
}

void
slot_listen(struct hub *h, struct slot *s)
{
	const struct rec *r;
	const char *fault;
	struct err e;
	int got = rec_fill(&s->in, &e);

	while (got >= 0 && !h->failed) {
		int took = rec_take(&s->in, &r, &e);

		if (took == 0)
			break;
		if (took < 0) {
			slot_down(h, s, e.text);
			return;
		}
		fault = hub_said(h, s, r);
		if (fault != NULL) {
			slot_down(h, s, fault);
			return;
		}
	}
	if (got <= 0)
		slot_down(h, s, NULL);
}
