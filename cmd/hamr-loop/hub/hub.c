/* hub.c - asking stages, waiting for them, committing what they say. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "internal.h"

#define OUT_HIGH ((size_t)16 << 20)	/* queued for stdout: stop reading */
#define CANCEL_MS 2200		/* for a cancelled action; hamr-tool gives a
				 * command 500 ms to end, and takes 1,500 ms to
				 * record what it changed */
#define MEM_MS 5000		/* of no progress, at the end of a run */
#define QUIET_MS 10		/* after which all stages are served */

int
hub_fail(struct hub *h, const struct err *e)
{
	if (!h->failed)
		h->err = *e;
	h->failed = true;
	return -1;
}

int
hub_commit_lines(struct hub *h, struct slice lines, const struct rec *known)
{
	off_t at = h->session->size;
	const struct rec *r = known;
	struct slice line;
	struct rec own;
	struct err e;

	if (lines.n == 0 || h->closing)
		return 0;
	/* if only a stage failed, the session is still sound */
	if (h->failed && !h->stage_failed)
		return -1;
	if (session_append(h->session, lines, &e) < 0)
		return hub_fail(h, &e);
	for (; slice_line(&lines, &line); at += (off_t)line.n + 1) {
		if (known == NULL) {
			if (rec_parse(&h->scan, line.p, line.n, &own) < 0)
				continue;
			r = &own;
		}
		/* a start is on disk before it is echoed, an end before it is
		 * printed */
		if ((r->kind == R_START || r->kind == R_END) &&
		    session_sync(h->session, &e) < 0) {
			hub_fail(h, &e);
			continue;
		}
		track_record(h->track, r, at);
		runlog_record(h->log, r);
		ui_committed(h->ui, r);
	}
	return 0;
}

int
hub_commit(struct hub *h, struct buf *record)
{
	struct err e;
	int rc;

	buf_addc(record, '\n');
	if (record->over || record->len > REC_MAX) {
		/* nobody could read the session any more */
		err_set(&e, ST_USAGE, "a message is longer than the %zu MiB "
		    "of a record", REC_MAX >> 20);
		rc = hub_fail(h, &e);
	} else {
		rc = hub_commit_lines(h, buf_view(record), NULL);
	}
	buf_release(record);
	return rc;
}

int
hub_put_slices(struct hub *h, const char *form, const struct slice *from1)
{
	struct buf record = BUF_INIT(BUF_RECORD_MAX);

	scan_put_slices(&record, form, from1);
	return hub_commit(h, &record);
}

void
hub_set(struct hub *h, struct slice settings)
{
	struct slice key, val;

	for (struct walk w = walk_of(settings); walk_next(&w, &key, &val); )
		if (scan_key_is(key, "agent.mode") ? track_is_mode(val) :
		    scan_key_is(key, "provider.model") ?
		    scan_kind(val) == SCAN_STRING :
		    slice_starts(key, "context.") && conf_takes(key, val))
			hub_put(h, "{'type':'config','set':{'$':$}}", key, val);
		else
			err_say("a config record sets %.*s to %.*s; it was "
			    "ignored", (int)key.n, key.p, (int)val.n, val.p);
}

void
hub_show(struct hub *h, struct buf *record)
{
	struct rec r;

	if (rec_parse(&h->scan, record->p, record->len, &r) == 0) {
		runlog_record(h->log, &r);
		if (rec_is_passing(r.kind))
			ui_passing(h->ui, &r);
		else
			ui_committed(h->ui, &r);
	}
	buf_release(record);
}

void
hub_feed(struct hub *h)
{
	for (int i = 0; i < SLOTS; i++)
		slot_feed(h, &h->slot[i]);
}

void
hub_commit_proposals(struct hub *h, struct slot *s)
{
	struct slice p = buf_view(&s->proposals), line;

	for (; s->skip > 0; s->skip--)
		slice_line(&p, &line);
	hub_commit_lines(h, p, NULL);
	buf_reset(&s->proposals);
}

int
hub_init(struct hub *h, struct session *ses, struct track *t, struct ui *ui,
    struct err *e)
{
	static const char *const names[SLOTS] = { "guard", "compact",
		"provider", "tool", "mem" };

	*h = (struct hub){ .session = ses, .track = t, .ui = ui };
	for (int i = 0; i < SLOTS; i++) {
		h->slot[i].hub = h;
		h->slot[i].name = names[i];
		bufs_init(BUFS(&h->slot[i].out, &h->slot[i].proposals,
		    &h->slot[i].notices), 2 * BUF_RECORD_MAX);
	}
	buf_init(&h->request, 2 * BUF_RECORD_MAX);
	signal(SIGPIPE, SIG_IGN);
	/* the second one ends us where we wait for stdout's reader, even if a
	 * shell has started us in the background */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	return ui_take_signals(ui) < 0 ? err_sys(e, ST_SYSTEM, "signalfd") : 0;
}

/* No request waits for the memory, so it is started after the first one. */
static void
start_memory(struct hub *h)
{
	struct slot *s = &h->slot[SLOT_MEM];

	if (s->cmd.commands != NULL && !s->started && !h->failed &&
	    h->session->size > 0)
		slot_restart(h, s);
}

void
hub_revive(struct hub *h)
{
	if (h->failed)
		return;
	h->stage_failed = false;
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].cmd.commands != NULL && h->slot[i].started &&
		    h->slot[i].child == NULL)
			slot_restart(h, &h->slot[i]);
	if (!hub_is_judged(h))
		hub_sync(h, SLOT_GUARD);
}

void
hub_ask(struct hub *h, enum slot_id id, bool go)
{
	struct slot *s = &h->slot[id];

	if (s->cmd.commands == NULL || (s->started && s->child == NULL)) {
		slot_clear_request(s);
		return;
	}
	s->asked = ++h->number;
	s->asked_go = go;
	h->window_asked |= id == SLOT_PROVIDER && !go;
	s->deadline = go && (id == SLOT_PROVIDER || id == SLOT_TOOL) ? 0 :
	    file_now_ms() + PURE_DEADLINE_MS;
	slot_repeat_request(h, s);
	if (id == SLOT_PROVIDER && go) {
		slot_feed(h, s);	/* first, while memory starts */
		start_memory(h);
	}
}

void
hub_notify_tool(struct hub *h, struct buf *record)
{
	buf_addc(record, '\n');
	buf_slice(&h->slot[SLOT_TOOL].notices, buf_view(record));
	buf_release(record);
}

void
hub_read_signals(struct hub *h)
{
	struct signalfd_siginfo info;

	while (read(h->ui->signals, &info, sizeof info) == sizeof info) {
		runlog_line(h->log, "signal", "%u, of process %u",
		    info.ssi_signo, info.ssi_pid);
		h->to_end |= info.ssi_signo != SIGINT;
		h->ui->told_to_end |= info.ssi_signo != SIGINT;
		h->interrupts++;
	}
}

/* Act on keys that were not text.  False: there were none. */
static bool
take_key_events(struct hub *h)
{
	struct ui *u = h->ui;
	bool any = u->interrupted || u->leaving;

	h->interrupts += any;
	h->to_end |= u->leaving;
	u->interrupted = u->leaving = false;
	return any;
}

/* Nothing is committed between a message and what the guard says about it, nor
 * between the last of several results and that. */
bool
hub_is_judged(const struct hub *h)
{
	const struct track *k = h->track;

	return k->decision == 0 || h->slot[SLOT_GUARD].barrier > k->decision ||
	    (k->last == R_TOOL && track_has_open(k));
}

/* Apply a program's settings at once in mid-turn.  Between turns they are taken
 * in order with the rest of what it says. */
static void
take_settings(struct hub *h)
{
	struct scan scan = { 0 };
	struct rec r;
	char *line;

	while (h->ui->peer != NULL && h->ui->status.on && hub_is_judged(h) &&
	    (line = ui_take_kind_of_record(h->ui, R_CONFIG)) != NULL) {
		if (rec_parse(&scan, line, strlen(line), &r) == 0)
			hub_set(h, rec_get(&r, "set"));
		free(line);
	}
	scan_release(&scan);
}

static int
next_timeout(const struct hub *h, long long until)
{
	long long at = until, now = file_now_ms();
	int tick = ui_tick(h->ui);

	for (int i = 0; i < 2 * SLOTS; i++) {
		const struct slot *s = &h->slot[i / 2];
		long long due = i % 2 == 0 ? s->deadline : s->drain_until;

		if (due != 0 && (at == 0 || due < at))
			at = due;
	}
	if (tick >= 0 && (at == 0 || at > now + tick))
		at = now + tick;
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
			slot_timed_out(h, s);
		else if (s->child != NULL && s->drain_until != 0 &&
		    now >= s->drain_until)
			slot_ended(h, s, NULL);
	}
}

/* One round of the poll loop.  Stages that are asked for nothing get committed
 * records only after a quiet while: five processes waking up at each record
 * would delay those that a step waits for. */
static void
round_of_poll(struct hub *h, long long until)
{
	struct pollfd p[3 * SLOTS + 4];
	bool behind = h->ui->out.len - h->ui->written > OUT_HIGH;
	bool talk = ui_pump(h->ui);
	bool quiet = h->quiet, waits = false;

	take_settings(h);
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];

		if (!quiet && slot_is_idle(h, s))
			waits = true;
		else
			slot_feed(h, s);
		p[3 * i] = (struct pollfd){ s->child == NULL || behind ? -1 :
		    s->child->out, POLLIN, 0 };
		p[3 * i + 1] = (struct pollfd){ s->child != NULL ?
		    s->child->in : -1, s->written < s->out.len ? POLLOUT : 0,
		    0 };
		p[3 * i + 2] = (struct pollfd){ s->child != NULL ?
		    s->child->err : -1, POLLIN, 0 };
	}
	p[3 * SLOTS] = (struct pollfd){ h->ui->signals, POLLIN, 0 };
	/* even without events, poll reports that its reader has left */
	p[3 * SLOTS + 1] = (struct pollfd){ h->ui->out_closed ? -1 :
	    STDOUT_FILENO, talk ? POLLOUT : 0, 0 };
	p[3 * SLOTS + 2] = (struct pollfd){ h->listen ? ui_keys_fd(h->ui) : -1,
	    POLLIN, 0 };
	p[3 * SLOTS + 3] = (struct pollfd){ h->ui->job, POLLIN, 0 };
	int timeout = next_timeout(h, until);
	if (waits && (timeout < 0 || timeout > QUIET_MS))
		timeout = QUIET_MS;
	h->quiet = false;
	if (h->failed || take_key_events(h))
		return;
	int got = poll(p, 3 * SLOTS + 4, timeout);
	h->quiet = waits && got == 0;
	if (got < 0)
		return;
	if (p[3 * SLOTS + 3].revents != 0)
		ui_job(h->ui);
	if (p[3 * SLOTS + 2].revents != 0)
		h->listen &= h->ui->peer != NULL ? ui_read_peer(h->ui) :
		    ui_read_keys(h->ui);
	take_key_events(h);
	if (p[3 * SLOTS].revents != 0)
		hub_read_signals(h);
	if ((p[3 * SLOTS + 1].revents & (POLLERR | POLLNVAL)) != 0)
		h->ui->out_closed = true;
	for (int i = 0; i < SLOTS; i++) {
		if (p[3 * i + 2].revents != 0 && h->slot[i].child != NULL)
			child_read_err(h->slot[i].child);
		if ((p[3 * i + 1].revents & POLLERR) != 0 &&
		    h->slot[i].child != NULL)
			slot_input_closed(&h->slot[i]);
		if (p[3 * i].revents != 0 && h->slot[i].child != NULL)
			slot_read(h, &h->slot[i]);
	}
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
	h->ui->until = until;
	while (busy(h) && !h->failed && h->interrupts == 0 &&
	    (!h->ui->out_closed || h->ending) && !ui_is_late(h->ui))
		round_of_poll(h, until);
	h->ui->until = 0;
	return busy(h) || h->failed || h->interrupts > 0 ? -1 : 0;
}

int
hub_pause(struct hub *h, int ms)
{
	long long until = file_now_ms() + ms;

	while (file_now_ms() < until) {
		if (h->failed || h->interrupts > 0 || h->ui->out_closed)
			return -1;
		round_of_poll(h, until);
	}
	return 0;
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
hub_cancel(struct hub *h)
{
	long long until = file_now_ms() + CANCEL_MS;
	int interrupts = h->interrupts;
	bool stage_failed = h->stage_failed;
	struct err err = h->err;

	h->cancelling = true;
	/* the tool's sync may wait for a server that starts */
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].asked != 0 && (h->slot[i].asked_go ||
		    i == SLOT_TOOL) && h->slot[i].child != NULL)
			slot_control(&h->slot[i], h->session->size,
			    xstrdup("{\"type\":\"cancel\"}\n"));
	while (busy(h) && !h->failed && h->interrupts == interrupts &&
	    file_now_ms() < until)
		round_of_poll(h, until);
	h->cancelling = false;
	if (h->failed && h->stage_failed) {	/* one ended of the cancel */
		h->failed = false;
		h->stage_failed = stage_failed;
		h->err = err;
	}
	for (int i = 0; i < SLOTS; i++) {
		/* Stop a stage that does not return in time, or everybody
		 * waits for it again. */
		struct slot *s = &h->slot[i];

		if (s->asked != 0 && s->child != NULL) {
			if (h->interrupts == interrupts)
				ui_note(h->ui, "stage %s did not stop in time; "
				    "it was ended", s->name);
			slot_stop(h, s, 0);
		}
		slot_clear_request(s);
	}
}

int
hub_start(struct hub *h, bool resume, struct err *e)
{
	/* the provider has the most libraries to load */
	static const enum slot_id order[] = { SLOT_PROVIDER, SLOT_GUARD,
		SLOT_TOOL, SLOT_COMPACT };

	for (int i = 0; resume && i < SLOTS; i++)
		h->slot[i].barrier = h->session->size;
	if (resume) {
		h->slot[SLOT_GUARD].barrier = h->track->decision;
		h->slot[SLOT_GUARD].skip = h->track->guard_after;
		if (h->track->tools_due)
			h->slot[SLOT_TOOL].barrier = 0;
		/* its first sync tells the window, which may be another */
		h->slot[SLOT_PROVIDER].barrier = 0;
	}
	for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
		struct slot *s = &h->slot[order[k]];
		struct err why;

		if (slot_start(h, s, &why) == 0)
			continue;
		err_set(e, why.status, "stage %s: %s", s->name, why.text);
		return hub_fail(h, e);
	}
	return 0;
}

/* We need not wait for the other stages, but hamr-mem may have much to index,
 * or wait for another process's lock: it gets MEM_MS, and more as long as it
 * reads. */
static void
sync_all(struct hub *h)
{
	struct slot *mem = &h->slot[SLOT_MEM];
	int ms = h->ending ? END_MS : MEM_MS;
	long long until = file_now_ms() + ms;
	long long last = h->ending ? until :
	    file_now_ms() + PURE_DEADLINE_MS - ms;
	off_t taken;

	h->ending = true;
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].child != NULL &&
		    (i != SLOT_PROVIDER || h->window_asked))
			hub_ask(h, (enum slot_id)i, false);
	hub_feed(h);
	do {
		taken = mem->cursor;
		hub_wait(h, until);
		until = file_now_ms() + ms;
	} while (mem->asked != 0 && mem->cursor != taken &&
	    h->interrupts == 0 && until < last);
	if (mem->asked != 0 && mem->child != NULL && h->interrupts == 0)
		slot_timed_out(h, mem);
}

void
hub_end(struct hub *h)
{
	/* interrupted after the turn ended for another reason */
	bool hurry = h->ending && h->interrupts > 0;

	h->closing = true;
	lock_leave(h->session->lock);
	if (!h->failed && !hurry) {
		h->interrupts = 0;
		start_memory(h);
		sync_all(h);
		hurry = h->interrupts > 0;
	}
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].child != NULL)
			child_close_in(h->slot[i].child);
	long long until = file_now_ms() + END_MS;
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];
		/* a stage that does not answer will not exit by itself */
		long long left = hurry || s->asked != 0 ? 0 :
		    until - file_now_ms();

		if (s->child != NULL)
			slot_stop(h, s, left > 0 ? (int)left : 0);
		slot_drop_controls(s);
		FREE(s->q, s->last_words, s->flags.v);
		bufs_release(BUFS(&s->out, &s->proposals, &s->notices));
	}
	texts_release(&h->died);
	buf_release(&h->request);
	scan_release(&h->scan);
}
