/* chat.c - hamr-loop on a terminal, without a task. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "chat.h"
#include "chat_in.h"
#include "file.h"
#include "mem.h"
#include "origin.h"

#define PROMPT "> "

/* One message of the person, and the turn that follows. */
static void
turn(struct chat *c, const char *text)
{
	struct hub *h = &c->run->hub;

	if (chat_open(c, text) < 0)
		return;
	h->interrupts = 0;
	h->ending = false;
	ui_listen(&c->run->ui, true);
	if (run_turn(c->run, text, &c->err) < 0 || h->failed) {
		c->failed = true;
		c->quit = true;
	}
	ui_listen(&c->run->ui, false);
	c->quit |= h->to_end;
	/* what was begun is finished at the prompt */
	edit_push(c->edit, &c->run->ui.typed);
	h->interrupts = 0;
	h->ending = false;
}

/* A line typed while a turn was under way that was not for the model. */
static char *
typed_before(struct chat *c)
{
	return c->open ? hub_typed(&c->run->hub) : NULL;
}

static char *
next_line(struct chat *c, bool *interrupted)
{
	char *line = typed_before(c);

	*interrupted = false;
	return line != NULL ? line : edit_line(c->edit, PROMPT, interrupted);
}

static void
take_line(struct chat *c, char *line)
{
	size_t n = strlen(line);

	while (n > 0 && strchr(" \t\n", line[n - 1]) != NULL)
		line[--n] = '\0';
	if (n == 0)
		return;
	if (chat_is_command(line))
		chat_command(c, line);
	else
		turn(c, line);
	/* a run that could not begin may be tried again */
	if (c->failed && !c->quit) {
		err_report(&c->err);
		c->failed = false;
	}
}

static char *
history_file(void)
{
	char *dir = origin_dir();
	char *file = dir != NULL ? xasprintf("%s/history", dir) : NULL;

	free(dir);
	return file;
}

/* Ctrl-C must reach us as a byte of a descriptor from the first prompt on. */
static int
signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int
chat(struct run *r, struct err *e)
{
	struct chat c = { .run = r };
	char *history = history_file();
	int fd = signals();
	bool again = false;

	ui_note(&r->ui, "hamr " HAMR_VERSION ", mode %s, in %s; /help lists "
	    "the commands", conf_str(r->conf, "agent.mode"), r->root);
	c.signals = fd;
	c.edit = edit_new(history, fd);
	if (r->o.resume && chat_resume(&c, r->o.resume_id) < 0)
		c.quit = true;
	while (!c.quit) {
		bool interrupted;
		char *line = next_line(&c, &interrupted);

		if (line == NULL && !interrupted)
			break;
		if (line == NULL && again)
			break;
		again = line == NULL;
		if (again)
			ui_note(&r->ui, "Ctrl-C once more quits");
		else
			take_line(&c, line);
		free(line);
	}
	edit_free(c.edit);
	free(history);
	close(fd);
	if (c.open)
		ui_note(&r->ui, "session %s; hamr-loop --resume=%s TASK, or "
		    "/resume in a chat, goes on with it", r->session.id,
		    r->session.id);
	if (c.failed)
		*e = c.err;
	return c.failed ? -1 : ST_OK;
}
