/* chat.c - a conversation with a person on a terminal, and with a program. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "chat.h"
#include "internal.h"
#include "record/msg.h"
#include "session/origin.h"

#define PROMPT "> "

int
chat_open(struct chat *c, const char *task)
{
	struct hub *h = &c->run->hub;

	if (c->run->open || run_open(c->run, &c->err) == 0) {
		h->listen = h->chat = true;
		if (run_begin(c->run, task, &c->err) == 0)
			return 0;
	}
	c->failed = true;
	run_end(c->run);
	return -1;
}

/* Did a signal come?  Any but SIGINT ends the chat. */
static bool
interrupted(struct chat *c)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(c->run->ui.signals, &info, sizeof info) == sizeof info) {
		any = true;
		if (info.ssi_signo != SIGINT)
			c->quit = c->run->ui.told_to_end = true;
	}
	return any;
}

bool
chat_wait(struct chat *c, struct pollfd *p, size_t n, int ms)
{
	struct ui *u = &c->run->ui;
	int due = ui_tick(u);

	p[0] = (struct pollfd){ u->listening || u->editor != NULL ?
	    ui_keys_fd(u) : -1, POLLIN, 0 };
	p[1] = (struct pollfd){ u->signals, POLLIN, 0 };
	p[2] = (struct pollfd){ u->job, POLLIN, 0 };
	if (poll(p, n, ms >= 0 ? ms : due) < 0)
		return false;	/* EINTR: a child ended */
	if (p[2].revents != 0)
		ui_job(u);
	bool stop = p[1].revents != 0 && interrupted(c);
	c->quit |= p[0].revents != 0 && !ui_read_keys(u);
	stop |= u->interrupted;
	c->quit |= u->leaving;
	u->interrupted = u->leaving = false;
	return stop || c->quit;
}

/* Run a turn in an open session, even if it is already cancelled. */
static void
take_turn(struct chat *c, const char *text)
{
	struct hub *h = &c->run->hub;

	c->run->ui.telling = false;	/* this is no longer a command */
	int status = run_turn(c->run, text, &c->err);
	if (status < 0 || h->failed) {
		c->failed = true;
		c->quit = true;
	}
	if (status == ST_INTERRUPTED)
		ui_unqueue(&c->run->ui);
	h->interrupts = 0;
	h->ending = false;
}

void
chat_turn(struct chat *c, const char *text)
{
	c->run->hub.interrupts = 0;
	c->run->hub.ending = false;
	if (chat_open(c, text) == 0)
		take_turn(c, text);
}

/* The next message on a terminal that edits its lines itself (TERM=dumb, or
 * [ui] plain).  The caller frees it.  NULL at the end of input, even within a
 * line, or when a signal came; *stopped is set if that was SIGINT. */
static char *
plain_line(struct chat *c, const char *prompt, bool *stopped)
{
	struct ui *u = &c->run->ui;
	struct pollfd p[2] = { { STDIN_FILENO, POLLIN, 0 },
		{ u->signals, POLLIN, 0 } };
	size_t had = u->sent.n;

	*stopped = false;
	ui_prompt(u, prompt);
	while (u->sent.n == had) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents == 0 && ui_read_keys(u))
			continue;
		*stopped = p[1].revents != 0 && interrupted(c) &&
		    !c->quit;
		buf_reset(&u->line);
		ui_prompt(u, "\n");
		return NULL;
	}
	return u->sent.v[--u->sent.n];
}

bool
chat_confirm(struct chat *c, const char *question)
{
	bool stopped;

	if (c->run->ui.editor != NULL)
		return ui_confirm(&c->run->ui, question);
	char *line = plain_line(c, question, &stopped);
	bool yes = line != NULL && strcmp(line, "y") == 0;
	free(line);
	return yes;
}

/* The next message of the person, from the input in the live rows. */
static char *
edited_line(struct chat *c, bool *stopped)
{
	struct ui *u = &c->run->ui;
	char *line;

	while ((line = ui_take_sent(u)) == NULL && !*stopped && !c->quit) {
		struct pollfd p[CHAT_FDS + QUERIES];

		for (int i = 0; i < QUERIES; i++)
			p[CHAT_FDS + i] = (struct pollfd){ c->query[i] == NULL ?
			    -1 : c->query[i]->out, POLLIN, 0 };
		*stopped = chat_wait(c, p, CHAT_FDS + QUERIES, -1);
		for (int i = 0; i < QUERIES; i++)
			if (p[CHAT_FDS + i].revents != 0)
				opening_read(c, i);
	}
	return line;
}

static void
converse(struct chat *c)
{
	struct ui *u = &c->run->ui;
	bool again = false, stopped;

	while (!c->quit && !c->run->hub.to_end) {
		char *line;

		stopped = false;
		if (u->editor != NULL) {
			line = edited_line(c, &stopped);
			if (line != NULL)
				ui_show_message(u, line);
		} else {
			line = ui_take_sent(u);
			if (line == NULL)
				line = plain_line(c, PROMPT, &stopped);
		}
		if (line == NULL && (!stopped || again))
			break;
		again = line == NULL;
		c->has_message = true;
		size_t n = again ? 0 : slice_trim_end(slice_of(line),
		    " \t\n").n;
		/* the name after an @ may end in a blank: "@a\ " */
		n += n > 0 && line[n - 1] == '\\' && line[n] != '\0';
		if (n > 0) {
			line[n] = '\0';
			if (!chat_command(c, line))
				chat_turn(c, line);
			/* a run that could not begin can be retried */
			if (c->failed && !c->quit) {
				err_report(&c->err);
				c->failed = false;
			}
		} else if (again && !c->quit) {
			ui_note(u, "press Ctrl-C again to quit");
		}
		free(line);
	}
}

int
chat(struct run *r, struct err *e)
{
	struct chat c = { .run = r };
	char *dir = origin_dir();
	char *history = dir != NULL ? xasprintf("%s/history", dir) : NULL;
	struct editor_options input = { .history = history,
		.prompt = PROMPT, .colour = r->ui.color,
		.complete = { chat_candidates, &c },
		.queue = &r->ui.sent };

	/* Ctrl-C must reach us as a byte from the first prompt on */
	ui_take_signals(&r->ui);
	ui_open_input(&r->ui, &input);
	r->ui.at_once = chat_at_once;
	r->ui.at_once_arg = &c;
	opening_begin(&c);
	if (r->o.resume || r->o.fork != NULL)
		c.quit |= chat_resume(&c) < 0;
	converse(&c);
	opening_end(&c);
	r->ui.at_once = NULL;
	ui_close_input(&r->ui);
	free(history);
	free(dir);
	if (r->open && !r->ui.quiet) {
		char *how = run_command(r, "--resume=", r->session.id);
		char *line = xasprintf("to continue: %s", how);

		ui_lines(&r->ui, slice_of(line));	/* never broken */
		FREE(line, how);
	}
	if (c.failed)
		*e = c.err;
	return c.failed ? -1 : r->ui.told_to_end ? ST_INTERRUPTED : ST_OK;
}

/* ---- with a program: records in, records out ---- */

static void
message(struct chat *c, const struct rec *r)
{
	struct slice content = rec_get(r, "content"), part;
	struct buf text = BUF_INIT(BUF_RECORD_MAX), b = text;
	struct run *run = c->run;

	msg_text(content, &text);
	const char *said = buf_view(&text).p;
	if (msg_by(r, "context")) {
		buf_fmt(&b, "%s%s%s", run->o.piped != NULL ? run->o.piped :
		    "", run->o.piped != NULL ? "\n" : "", said);
		free(run->o.piped);
		run->o.piped = buf_detach(&b);
		buf_release(&text);
		return;
	}
	for (struct walk w = walk_elements(content); walk_next(&w, NULL,
	    &part); )
		if (scan_str_is(scan_get(part, "type"), "image_url")) {
			buf_addc(&b, b.len == 0 ? '[' : ',');
			buf_slice(&b, part);
		}
	if (b.len == 0 && track_is_blank(said)) {
		scan_put(&b, "{'type':'error','stage':'loop',"
		    "'code':'bad_record','message':'a message needs text or "
		    "an image','retryable':false}");
		hub_show(&run->hub, &b);
		buf_release(&text);
		return;
	}
	c->failed |= run_begin(run, said, &c->err) < 0;
	/* the turn reports a failed stage */
	if (run->hub.failed && !run->hub.stage_failed) {
		c->failed = true;
		c->err = run->hub.err;
	}
	bool done = c->failed;
	/* a command's words are records of progress */
	if (!done && said[0] == '/') {
		run->ui.telling = true;
		done = chat_command(c, said);
		if (c->failed)
			err_report(&c->err);
		run->ui.telling = false;
	}
	if (!done && b.len > 0) {
		buf_addc(&b, ']');
		run->images = buf_detach(&b);
	}
	if (!done)
		take_turn(c, said);
	bufs_release(BUFS(&text, &b));
}

/* Wait for the guard between two turns, where a cancel has nothing to end.
 * False: it did not answer. */
static bool
sync_guard(struct hub *h)
{
	int got;

	while ((got = hub_sync(h, SLOT_GUARD)) < 0 && h->interrupts > 0 &&
	    !h->to_end)
		h->interrupts = 0;
	return got == 0;
}

int
chat_records(struct run *r, struct err *e)
{
	struct chat c = { .run = r };
	struct ui *u = &r->ui;
	struct scan scan = { 0 };
	struct rec said;

	ui_take_signals(u);
	ui_open_peer(u);
	if (run_open(r, e) < 0)
		return -1;
	/* a crash may have left the guard something to judge */
	bool judged = r->session.size == 0 || sync_guard(&r->hub);
	r->hub.listen = r->hub.chat = true;
	if (judged && setup_header(r) < 0) {
		*e = r->hub.err;
		return -1;
	}
	chat_send_session(&c);
	opening_ask_server(&c);
	while (!c.quit && !c.failed && !r->hub.to_end) {
		char *line = ui_take_record(u);
		if (line == NULL) {	/* wait for what it says next */
			struct child *models = c.query[QUERY_SERVER];
			struct pollfd p[4] = { { STDIN_FILENO, POLLIN, 0 },
				{ u->signals, POLLIN, 0 },
				{ STDOUT_FILENO, 0, 0 },
				{ models != NULL ? models->out : -1, POLLIN,
				    0 } };

			ui_flush(u);
			if (poll(p, 4, -1) < 0)
				continue;
			if (p[0].revents != 0)
				ui_read_peer(u);
			if (models != NULL && p[3].revents != 0)
				opening_read(&c, QUERY_SERVER);
			u->interrupted = false;	/* there is no turn to end */
			if (p[1].revents != 0 && interrupted(&c))
				u->told_to_end = true;
			if (p[2].revents != 0 || u->leaving || u->told_to_end)
				break;
			continue;
		}
		if (rec_parse(&scan, line, strlen(line), &said) < 0) {
			;
		} else if (said.kind == R_USER) {
			message(&c, &said);
		} else if (said.kind == R_CONFIG) {
			sync_guard(&r->hub);
			hub_set(&r->hub, rec_get(&said, "set"));
			sync_guard(&r->hub);
		} else if (said.kind == R_SYNC) {
			ui_passing(u, &said);
		}
		free(line);
	}
	scan_release(&scan);
	opening_end(&c);
	if (c.failed)
		*e = c.err;
	return c.failed ? -1 : u->told_to_end ? ST_INTERRUPTED : ST_OK;
}
