/* hub.c - asking stages, hearing them, waiting for them. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "file.h"
#include "hub_in.h"
#include "mem.h"

#define OUT_HIGH ((size_t)16 << 20)	/* stdout this far behind: read no more */

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
		h->slot[i].err = -1;
		buf_init(&h->slot[i].said, (size_t)1 << 16);
		buf_init(&h->slot[i].out, 2 * BUF_RECORD_MAX);
		buf_init(&h->slot[i].proposals, 2 * BUF_RECORD_MAX);
	}
	buf_init(&h->request, 2 * BUF_RECORD_MAX);
	buf_init(&h->typed, (size_t)1 << 20);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a limit on files is a full disk */
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

void
hub_ask(struct hub *h, enum slot_id id, bool go)
{
	struct slot *s = &h->slot[id];

	if (!s->used)
		return;
	s->asked = ++h->number;
	s->asked_go = go;
	runlog_asked(h->log, (int)id, s->name);
	s->deadline = go && (id == SLOT_PROVIDER || id == SLOT_TOOL) ? 0 :
	    file_now_ms() + PURE_DEADLINE_MS;
	slot_ask_again(h, s);
}

void
hub_hint(struct hub *h, enum slot_id id, struct json *o)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	json_print(o, &line);
	json_free(o);
	buf_addc(&line, '\n');
	slot_control(&h->slot[id], h->session->size, buf_detach(&line));
}

void
hub_read_signals(struct hub *h)
{
	struct signalfd_siginfo info;

	while (read(h->signals, &info, sizeof info) == sizeof info) {
		runlog_say(h->log, "signal", "%u, of process %u",
		    info.ssi_signo, info.ssi_pid);
		h->to_end |= info.ssi_signo != SIGINT;
		h->interrupts++;
	}
}

/* The terminal hands over whole lines, or keys. */
static void
read_typed(struct hub *h)
{
	char part[4096];
	ssize_t n = read(STDIN_FILENO, part, sizeof part);

	if (n > 0 && h->ui->raw)
		ui_typed(h->ui, part, (size_t)n, &h->typed);
	else if (n > 0)
		for (ssize_t i = 0; i < n; i++)
			buf_addc(&h->typed, part[i] == '\n' ? '\0' : part[i]);
	else
		h->listen = false;
}

char *
hub_typed(struct hub *h)
{
	const char *end = h->typed.len == 0 ? NULL :
	    memchr(h->typed.p, '\0', h->typed.len);
	size_t n;
	char *line;

	if (end == NULL)
		return NULL;
	n = (size_t)(end - h->typed.p);
	line = xmemdup0(h->typed.p, n);
	buf_drop(&h->typed, n + 1);
	return line;
}

static int
next_timeout(const struct hub *h, long long until)
{
	long long at = until, now = file_now_ms();
	int tick = ui_tick(h->ui);

	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].deadline != 0 &&
		    (at == 0 || h->slot[i].deadline < at))
			at = h->slot[i].deadline;
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
			slot_down(h, s, "did not answer in time");
	}
}

/* One round of the poll loop. */
static void
round_of_poll(struct hub *h, long long until)
{
	struct pollfd p[3 * SLOTS + 4];
	bool behind = h->ui->out.len - h->ui->written > OUT_HIGH;
	bool talk = ui_pump(h->ui);

	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];

		slot_feed(h, s);
		p[3 * i] = (struct pollfd){ s->child == NULL || behind ? -1 :
		    child_out(s->child), POLLIN, 0 };
		p[3 * i + 1] = (struct pollfd){ s->child != NULL &&
		    s->written < s->out.len ? child_in(s->child) : -1,
		    POLLOUT, 0 };
		p[3 * i + 2] = (struct pollfd){ s->err, POLLIN, 0 };
	}
	p[3 * SLOTS] = (struct pollfd){ h->signals, POLLIN, 0 };
	/* asked for nothing, poll still tells when its reader has left */
	p[3 * SLOTS + 1] = (struct pollfd){ h->ui->out_closed ? -1 :
	    STDOUT_FILENO, talk ? POLLOUT : 0, 0 };
	p[3 * SLOTS + 2] = (struct pollfd){ h->listen ? STDIN_FILENO : -1,
	    POLLIN, 0 };
	p[3 * SLOTS + 3] = (struct pollfd){ h->ui->raw ? h->ui->job : -1,
	    POLLIN, 0 };
	if (h->failed || poll(p, 3 * SLOTS + 4, next_timeout(h, until)) < 0)
		return;
	if (p[3 * SLOTS + 3].revents != 0)
		ui_job(h->ui);
	if (p[3 * SLOTS + 2].revents != 0)
		read_typed(h);
	if (p[3 * SLOTS].revents != 0)
		hub_read_signals(h);
	if ((p[3 * SLOTS + 1].revents & (POLLERR | POLLNVAL)) != 0)
		ui_lost(h->ui);
	for (int i = 0; i < SLOTS; i++) {
		if (p[3 * i + 2].revents != 0)
			slot_overhear(h, &h->slot[i]);
		if (p[3 * i].revents != 0 && h->slot[i].child != NULL)
			slot_listen(h, &h->slot[i]);
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

/* What an acting stage says of an action that did not end in time is too
 * late: its calls are answered otherwise, or another question is asked. */
static void
leave(struct slot *s, bool acting)
{
	if (acting && s->asked != 0 && s->asked_go && s->discard == 0)
		s->discard = s->asked;
	s->asked = 0;
}

void
hub_cancel(struct hub *h, int ms)
{
	long long until = file_now_ms() + ms;
	int interrupts = h->interrupts;

	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].asked != 0 && h->slot[i].asked_go &&
		    h->slot[i].child != NULL)
			slot_control(&h->slot[i], h->session->size,
			    xstrdup("{\"type\":\"cancel\"}\n"));
	while (busy(h) && !h->failed && h->interrupts == interrupts &&
	    file_now_ms() < until)
		round_of_poll(h, until);
	for (int i = 0; i < SLOTS; i++)
		leave(&h->slot[i], i == SLOT_PROVIDER || i == SLOT_TOOL);
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
			if (i == SLOT_TOOL && h->track->tools == NULL)
				s->barrier = 0;
		}
		if (slot_start(h, s, e) < 0)
			return -1;
	}
	return 0;
}

void
hub_end(struct hub *h)
{
	/* one that comes after the turn has ended for another */
	bool hurry = h->ending && h->interrupts > 0;
	long long until;

	h->closing = true;
	if (!h->failed && !hurry) {
		h->interrupts = 0;
		for (int i = 0; i < SLOTS; i++)
			if (h->slot[i].child != NULL)
				hub_ask(h, (enum slot_id)i, false);
		/* hamr-mem may have much to take in still */
		hub_wait(h, file_now_ms() +
		    (h->ending ? END_MS : PURE_DEADLINE_MS));
		hurry = h->interrupts > 0;
	}
	for (int i = 0; i < SLOTS; i++)
		if (h->slot[i].child != NULL)
			child_close_in(h->slot[i].child);
	until = file_now_ms() + (hurry ? 0 : END_MS);
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &h->slot[i];
		long long left = until - file_now_ms();

		if (s->child != NULL)
			slot_stop(h, s, left > 0 ? (int)left : 0, NULL);
		slot_drop_controls(s);
		free(s->q);
		buf_release(&s->out);
		buf_release(&s->proposals);
		buf_release(&s->said);
	}
	buf_release(&h->request);
	buf_release(&h->typed);
	scan_release(&h->scan);
	close(h->signals);
}
