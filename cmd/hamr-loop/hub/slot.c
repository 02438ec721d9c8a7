/* slot.c - one stage: its queue, its life, its pipes, what it says. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "internal.h"

#define MAX_RESTARTS 5		/* of one stage in one run (chapter 7.3) */
#define CHUNK ((size_t)65536)	/* session bytes per write */
#define EXIT_MS 100		/* from the end of its output to its exit */
#define DRAIN_MS 1000		/* from the end of its input to that of what it
				 * wrote, which filters may still pass on */

static void
take_err_line(void *slot, struct slice line)
{
	struct slot *s = slot;

	xset(&s->last_words, xmemdup0(line.p, line.n));
	ui_stage_line(s->hub->ui, line.p, line.n);
	runlog_line(s->hub->log, s->name, "%.*s", (int)line.n, line.p);
}

/* Is the action in progress cancelled, or about to be?  A question that crossed
 * the cancel is not asked any more: nobody may answer it. */
static bool
is_cancelled(const struct hub *h)
{
	return h->interrupts > 0 || h->cancelling;
}

static void
ask_person(struct hub *h, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice id = rec_get(r, "id");
	int interrupts = h->interrupts;

	/* a cancelled action ends without an answer: nobody refused it */
	if (is_cancelled(h))
		return;
	struct ui_permission a = ui_ask(h->ui, r);
	hub_read_signals(h);
	/* nor did a person who left, lost the terminal, or was too slow */
	if (h->to_end || ui_is_late(h->ui) || h->ui->leaving ||
	    (h->ui->peer != NULL && (h->interrupts != 0 ||
	    h->ui->interrupted))) {
		FREE(a.args, a.reason);
		return;
	}
	scan_put(&b, "{'type':'answer'");
	if (scan_kind(id) == SCAN_STRING)
		scan_put(&b, ",'id':$", id);
	scan_put(&b, ",'allow':$", scan_truth(a.yes));
	if (a.args != NULL)
		scan_put(&b, ",'arguments':@", slice_of(a.args));
	if (a.reason != NULL)
		scan_put(&b, ",'reason':@", slice_of(a.reason));
	if (a.network)
		scan_put(&b, ",'network':true");
	if (a.yes || a.session)
		scan_put(&b, ",'scope':@", a.session ? SLICE("session") :
		    SLICE("once"));
	scan_put(&b, a.stop ? ",'stop':true}" : "}");
	FREE(a.args, a.reason);
	hub_commit(h, &b);
	if (a.stop && h->interrupts == interrupts) {
		h->refused = true;
		h->interrupts++;
	}
}

/* A second answer would leave the calls of the first without results, and a
 * call has one result.  Other messages are the guard's: while one waits to be
 * judged, what an acting stage says is not committed, so that it would wait for
 * ever to read its `start`. */
static bool
is_awaited(const struct hub *h, const struct slot *s, const struct rec *r)
{
	if (r->kind == R_ASSISTANT)
		return s == &h->slot[SLOT_PROVIDER] && s->asked != 0 &&
		    s->asked_go && h->track->last != R_ASSISTANT;
	if (r->kind == R_TOOL)
		return s == &h->slot[SLOT_TOOL] &&
		    track_awaits(h->track, rec_get(r, "tool_call_id"));
	return !rec_is_message(r->kind) || s == &h->slot[SLOT_GUARD];
}

/* Does what it says stand at once? */
static bool
commits_at_once(const struct slot *s)
{
	return s == &s->hub->slot[SLOT_PROVIDER] ||
	    s == &s->hub->slot[SLOT_TOOL];
}

/* The go or sync in flight has come back. */
static void
take_barrier(struct hub *h, struct slot *s)
{
	slot_clear_request(s);
	s->barrier = s->cursor;
	s->restarts = 0;
	if (!commits_at_once(s))
		hub_commit_proposals(h, s);
	if (s == &h->slot[SLOT_GUARD]) {	/* others waited for it */
		hub_commit_proposals(h, &h->slot[SLOT_PROVIDER]);
		hub_commit_proposals(h, &h->slot[SLOT_TOOL]);
	}
}

/* Who alone writes a kind of record: a slot, or hamr-loop.  A verdict may be
 * that of another guard, in any slot. */
static const struct { enum rec_kind kind; enum slot_id by; } writers[] = {
	{ R_HAMR, SLOTS }, { R_CONFIG, SLOTS }, { R_ANSWER, SLOTS },
	{ R_COMPACT, SLOTS }, { R_RECOVERY, SLOTS }, { R_END, SLOTS },
	{ R_CONSTRAIN, SLOT_GUARD }, { R_COMPACTION, SLOT_COMPACT },
	{ R_REQUEST, SLOT_COMPACT }, { R_TOOLS, SLOT_TOOL },
	{ R_START, SLOT_TOOL }, { R_CHECKPOINT, SLOT_TOOL },
	{ R_UNDO, SLOT_TOOL }, { R_VERIFICATION, SLOT_TOOL },
	{ R_ASK, SLOT_TOOL }, { R_FILE, SLOT_TOOL },
};

/* May it write this record?  If not, the person is told. */
static bool
may_write(const struct hub *h, const struct slot *s, const struct rec *r)
{
	struct slice type = rec_get(r, "type");

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		enum slot_id by = writers[i].by;

		if (writers[i].kind != r->kind ||
		    (by < SLOTS && s == &h->slot[by]))
			continue;
		err_say("stage %s wrote a record of type %.*s, which only %s "
		    "writes; it is ignored", s->name, (int)type.n, type.p,
		    by < SLOTS ? h->slot[by].name : "hamr-loop");
		return false;
	}
	return true;
}

/* Handle a record from a stage.  Returns NULL, or the fault to stop it for. */
static const char *
take_record(struct hub *h, struct slot *s, const struct rec *r)
{
	int64_t n = 0;

	if (r->kind == R_GO || r->kind == R_SYNC) {
		rec_int(r, "n", &n);
		if (n != 0 && n == s->discard)
			s->discard = 0;
		else if (n != 0 && n == s->asked && s->discard == 0)
			take_barrier(h, s);
	} else if (s->discard != 0 || !may_write(h, s, r) ||
	    (r->kind == R_LIMIT && rec_int(r, "context_tokens", &n) &&
	    n == h->track->limit)) {
		return NULL;
	} else if (!is_awaited(h, s, r)) {
		err_say("stage %s wrote a message that was not asked for; it "
		    "is ignored", s->name);
	} else if (r->kind == R_REQUEST) {
		buf_reset(&h->request);
		buf_slice(&h->request, r->line);
	} else if (r->kind == R_ASK) {
		if (h->ui->peer == NULL)	/* else ui_ask does */
			ui_passing(h->ui, r);
		ask_person(h, r);
	} else if (r->kind == R_FILE) {
		/* ask an editor for its text of the file, if it has it open */
		struct slice id = rec_get(r, "id");
		char *reply = NULL;

		if (h->ui->peer != NULL && !is_cancelled(h)) {
			ui_passing(h->ui, r);
			reply = ui_await(h->ui, R_FILE, id);
		}
		slot_control(s, h->session->size, reply != NULL ?
		    xasprintf("%s\n", reply) : xasprintf(
		    "{\"type\":\"file\",\"id\":%.*s}\n", (int)id.n, id.p));
		free(reply);
	} else if (rec_is_passing(r->kind)) {
		if (r->kind == R_PROGRESS && s->deadline != 0)
			s->deadline = file_now_ms() + PURE_DEADLINE_MS;
		runlog_record(h->log, r);
		ui_passing(h->ui, r);
	} else if (commits_at_once(s) && hub_is_judged(h)) {
		/* its LF follows it in the buffer it was read into */
		hub_commit_lines(h, (struct slice){ r->line.p,
		    r->line.n + 1 }, r);
	} else if (buf_reserve(&s->proposals, r->line.n + 1) < 0) {
		return "proposes more than a session can hold";
	} else {
		buf_slice(&s->proposals, r->line);
		buf_addc(&s->proposals, '\n');
	}
	return NULL;
}

void
slot_clear_request(struct slot *s)
{
	s->asked = 0;
	s->deadline = 0;
	buf_reset(&s->notices);
}

void
slot_control(struct slot *s, off_t at, char *line)
{
	GROW(s->q, s->nq, s->capq);
	s->q[s->nq++] = (struct control){ at, line, strlen(line) };
}

void
slot_drop_controls(struct slot *s)
{
	for (size_t i = 0; i < s->nq; i++)
		free(s->q[i].line);
	s->nq = 0;
}

void
slot_repeat_request(struct hub *h, struct slot *s)
{
	struct buf line = BUF_INIT(2 * BUF_RECORD_MAX);

	if (s == &h->slot[SLOT_PROVIDER] && s->asked_go) {
		buf_slice(&line, buf_view(&h->request));
		buf_addc(&line, '\n');
	} else if (s->asked_go) {
		buf_slice(&line, buf_view(&s->notices));
	}
	buf_fmt(&line, "{\"type\":\"%s\",\"n\":%lld}\n",
	    s->asked_go ? "go" : "sync", (long long)s->asked);
	slot_control(s, h->session->size, buf_detach(&line));
}

static void
give_up(struct hub *h, struct slot *s, enum status status, const char *how)
{
	slot_clear_request(s);
	if (s == &h->slot[SLOT_MEM]) {	/* the run continues without memory */
		struct buf path = BUF_INIT(BUF_RECORD_MAX);

		argv_shell(&path, h->session->path);
		err_say("stage mem (%s) %s; this run is not indexed; later: "
		    "hamr-mem -n %s", s->cmd.commands[0], how, path.p);
		buf_release(&path);
		s->cmd.commands = NULL;
		return;
	}
	s->restarts = 0;
	runlog_line(h->log, s->name, "%s; given up", how);
	h->stage_failed = true;
	h->failed = true;
	/* quote its last words: an editor, or a later reader of the session,
	 * has not seen its stderr */
	err_set(&h->err, status, "stage %s (%s) %s%s%s", s->name,
	    s->cmd.commands[0], how, s->last_words != NULL ? ": " : "",
	    s->last_words != NULL ? s->last_words : "");
}

int
slot_stop(struct hub *h, struct slot *s, int ms)
{
	int st = child_end(s->child, ms);

	if (WIFSIGNALED(st))
		runlog_line(h->log, s->name, "ended by signal %d",
		    WTERMSIG(st));
	else
		runlog_line(h->log, s->name, "ended with status %d",
		    WEXITSTATUS(st));
	s->child = NULL;
	s->drain_until = 0;
	rec_in_release(&s->in);
	return st;
}

/* A stage whose exit status says why it cannot work is not restarted. */
void
slot_ended(struct hub *h, struct slot *s, const char *fault)
{
	/* in a pipeline with a filter, it may still have to end a call or write
	 * a memory */
	bool soon = fault == NULL && (s->cmd.commands[1] == NULL ||
	    (s != &h->slot[SLOT_TOOL] && s != &h->slot[SLOT_MEM]));
	const char *what = fault != NULL ? fault : "ended";
	char how[64];

	if (fault != NULL)
		kill(-s->child->group, SIGKILL);
	int st = slot_stop(h, s, soon ? EXIT_MS : END_MS);
	if (fault != NULL)
		xset(&s->last_words, xstrdup(fault));
	else if (WIFSIGNALED(st) && s->last_words == NULL)
		s->last_words = xasprintf("signal %d", WTERMSIG(st));
	if (s == &h->slot[SLOT_MEM] && h->closing && (fault != NULL ||
	    s->asked != 0)) {
		give_up(h, s, ST_PEER, what);
		return;
	}
	if (h->failed || h->closing) {
		slot_clear_request(s);
		return;
	}
	int code = WIFEXITED(st) ? WEXITSTATUS(st) : 0;
	/* ours begin with their name; of another its stage must be told */
	h->explained = fault == NULL && code >= ST_DATA &&
	    slice_starts(slice_of(s->last_words), "hamr-");
	if (fault == NULL && (code == ST_USAGE || code >= ST_DATA)) {
		/* Pass on the stage's status if the person can fix the cause.
		 * A usage error is an error in [stages]. */
		snprintf(how, sizeof how, "ended with status %d", code);
		give_up(h, s, code == ST_USAGE ? ST_CONFIG :
		    code == ST_DATA || code == ST_NOINPUT ||
		    code == ST_POLICY || code == ST_CONFIG ?
		    (enum status)code : ST_PEER, how);
		return;
	}
	if (++s->restarts > MAX_RESTARTS) {
		snprintf(how, sizeof how, "ended %d times in one action",
		    s->restarts);
		give_up(h, s, ST_PEER, how);
		return;
	}
	texts_add(&h->died, xstrdup(s->name));
	runlog_line(h->log, s->name, "%s; started again, %d of %d", what,
	    s->restarts, MAX_RESTARTS);
	ui_note(h->ui, "stage %s %s; started again", s->name, what);
	slot_restart(h, s);
}

/* Append its programs from the i-th on; arguments may hold secrets. */
static void
put_programs(struct buf *b, const struct slot *s, size_t i)
{
	const char *bar = "";

	for (const char *const *w = s->cmd.commands + i; *w != NULL; w++) {
		buf_fmt(b, "%s%.*s", bar, (int)strcspn(*w, " \t"), *w);
		bar = " | ";
	}
}

void
slot_timed_out(struct hub *h, struct slot *s)
{
	struct buf b = BUF_INIT((size_t)1 << 20);

	buf_adds(&b, "did not answer in time");
	if (s->cmd.commands[1] != NULL) {
		buf_adds(&b, " (each line must pass at once through ");
		put_programs(&b, s, 1);
		buf_addc(&b, ')');
	}
	slot_ended(h, s, buf_view(&b).p);
	buf_release(&b);
}

int
slot_start(struct hub *h, struct slot *s, struct err *e)
{
	s->cmd.err = CHILD_ERR_LINES;
	s->cmd.on_line = take_err_line;
	s->cmd.arg = s;
	s->cmd.pass = h->session->lock;
	s->cmd.stop = h->ui->signals;
	s->child = child_start(&s->cmd, e);
	if (s->child == NULL)
		return -1;
	s->started = true;

	struct buf b = BUF_INIT((size_t)1 << 20);

	put_programs(&b, s, 0);
	runlog_line(h->log, s->name, "%s started, process %ld",
	    buf_view(&b).p, (long)s->child->group);
	buf_release(&b);
	rec_in_init(&s->in, s->child->out, s->name, REC_MAX);
	s->cursor = 0;
	s->written = 0;
	bufs_reset(BUFS(&s->out, &s->proposals));
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

void
slot_restart(struct hub *h, struct slot *s)
{
	struct err e;

	if (slot_start(h, s, &e) < 0) {
		give_up(h, s, e.status, e.text);
		return;
	}
	if (s->asked != 0)
		slot_repeat_request(h, s);
	if (s->deadline != 0)
		s->deadline = file_now_ms() + PURE_DEADLINE_MS;
}

/* Put what is due into out, for one write.  False: there is nothing. */
static bool
refill(struct hub *h, struct slot *s)
{
	off_t limit = h->session->size;

	s->written = 0;
	buf_reset(&s->out);
	if (s->nq > 0 && s->q[0].at < limit)
		limit = s->q[0].at;
	if (s->cursor < limit) {
		buf_reserve(&s->out, CHUNK);
		ssize_t n = pread(h->session->fd, s->out.p, num_min(CHUNK,
		    (size_t)(limit - s->cursor)), s->cursor);
		if (n <= 0) {
			struct err e;

			if (n < 0)
				err_sys(&e, ST_SYSTEM, "%s", h->session->path);
			else
				err_set(&e, ST_SYSTEM, "%s was shortened by "
				    "another program", h->session->path);
			hub_fail(h, &e);
			return false;
		}
		s->out.len = (size_t)n;
		s->cursor += n;
	}
	while (s->nq > 0 && s->q[0].at <= s->cursor &&
	    (s->out.len == 0 || s->out.len + s->q[0].n <= CHUNK)) {
		buf_add(&s->out, s->q[0].line, s->q[0].n);
		free(s->q[0].line);
		memmove(s->q, s->q + 1, --s->nq * sizeof *s->q);
	}
	return s->out.len > 0;
}

bool
slot_is_idle(const struct hub *h, const struct slot *s)
{
	off_t due = h->session->size - s->cursor;

	return s->child != NULL && s->asked == 0 && s->nq == 0 &&
	    s->written == s->out.len && due > 0 && due < (off_t)CHUNK;
}

void
slot_input_closed(struct slot *s)
{
	int unread = 0;

	ioctl(s->child->in, FIONREAD, &unread);
	child_close_in(s->child);
	if (unread > 0 || s->written < s->out.len)
		s->drain_until = file_now_ms() + DRAIN_MS;
}

void
slot_feed(struct hub *h, struct slot *s)
{
	while (s->child != NULL && s->drain_until == 0 &&
	    (s->written < s->out.len || refill(h, s))) {
		ssize_t n = write(s->child->in, s->out.p + s->written,
		    s->out.len - s->written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && (errno == EPIPE || errno == EBADF)) {
			slot_input_closed(s);
			return;
		}
		if (n < 0)	/* the next one is fed at once */
			slot_ended(h, s, "cannot be written to");
		else
			s->written += (size_t)n;
	}
}

void
slot_read(struct hub *h, struct slot *s)
{
	const struct rec *r;
	struct err e;
	int got = rec_fill(&s->in, &e);

	while (got >= 0 && !h->failed) {
		int took = rec_take(&s->in, &r, &e);

		if (took == 0)
			break;
		const char *fault = took < 0 ? e.text : take_record(h, s, r);
		if (fault != NULL) {
			slot_ended(h, s, fault);
			return;
		}
	}
	if (got <= 0)
		slot_ended(h, s, NULL);
}
