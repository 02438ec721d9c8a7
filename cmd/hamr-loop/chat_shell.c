/* chat_shell.c - !command: run as the person's own, shown as it runs, told to
 * the model.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chat_in.h"
#include "file.h"
#include "stages.h"
#include "term.h"
#include "utf8.h"

#define FIRST_TOLD ((size_t)4 << 10)	/* of its output, to the model */
#define LAST_TOLD ((size_t)12 << 10)
#define HELD ((size_t)64 << 10)

/* What it printed: the first of it, the last of it. */
struct printed {
	struct buf first, last;
	size_t between;		/* bytes left out */
};

static void
trim(struct printed *o)
{
	if (o->last.len <= LAST_TOLD)
		return;
	o->between += o->last.len - LAST_TOLD;
	buf_drop(&o->last, o->last.len - LAST_TOLD);
}

static void
keep(struct printed *o, const char *p, size_t n)
{
	size_t room = FIRST_TOLD - o->first.len, k = n < room ? n : room;

	buf_add(&o->first, p, k);
	buf_add(&o->last, p + k, n - k);
	if (o->last.len > HELD / 2)
		trim(o);
}

static void
show(struct chat *c, const char *p, size_t n)
{
	struct buf safe = BUF_INIT((size_t)1 << 20);

	if (c->run->ui.tty_err)
		term_escape(&safe, (struct slice){ p, n });
	else
		buf_add(&safe, p, n);
	file_write_all(STDERR_FILENO, buf_view(&safe).p, safe.len);
	buf_release(&safe);
}

/* Was it a signal for us?  It is taken. */
static bool
interrupted(struct chat *c)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(c->signals, &info, sizeof info) == sizeof info) {
		any = true;
		if (info.ssi_signo != SIGINT)
			c->quit = true;
	}
	return any;
}

/* Until its output ends, or a signal comes; true: one came. */
static bool
follow(struct chat *c, struct child *child, struct printed *o)
{
	char part[8192], last = '\n';
	bool stopped = false;
	ssize_t n = 1;

	while (n > 0 && !stopped) {
		struct pollfd p[2] = { { child_out(child), POLLIN, 0 },
			{ c->signals, POLLIN, 0 } };

		if (poll(p, 2, -1) < 0)
			continue;	/* EINTR: a child ended */
		stopped = p[1].revents != 0 && interrupted(c);
		if (p[0].revents == 0)
			continue;
		n = read(p[0].fd, part, sizeof part);
		if (n > 0) {
			last = part[n - 1];
			keep(o, part, (size_t)n);
			show(c, part, (size_t)n);
		}
	}
	if (last != '\n')
		show(c, "\n", 1);
	return stopped;
}

static void
tell(struct chat *c, const char *cmd, const struct printed *o, const char *end)
{
	struct buf b = BUF_INIT((size_t)1 << 20);
	struct json *r, *meta;

	if (chat_open(c, NULL) < 0)
		return;
	buf_fmt(&b, "$ %s\n", cmd);
	utf8_clean(&b, buf_view(&o->first).p, o->first.len);
	if (o->between > 0)
		buf_fmt(&b, "\n[%zu bytes are left out here]\n", o->between);
	utf8_clean(&b, buf_view(&o->last).p, o->last.len);
	buf_fmt(&b, "%s[%s]", b.p[b.len - 1] == '\n' ? "" : "\n", end);
	r = json_object();
	meta = json_object();
	json_str(r, "role", "user");
	json_slice(r, "content", buf_view(&b));
	json_str(meta, "by", "shell");
	json_add(r, "meta", meta);
	if (hub_commit(&c->run->hub, r) == 0)
		hub_sync(&c->run->hub, SLOT_GUARD);
	buf_release(&b);
}

void
chat_shell(struct chat *c, const char *cmd)
{
	static const char *const bash = "bash";
	const char *args[] = { "-c", "exec 2>&1; eval \"$1\"", "bash", cmd };
	struct child_opts opts = { .commands = &bash, .n = 1, .flags = args,
		.nflags = 4 };
	struct printed o = { BUF_INIT(FIRST_TOLD), BUF_INIT(HELD), 0 };
	struct child *child;
	bool stopped;
	char end[40];
	struct err e;
	int st;

	child = child_start(&opts, &e);
	if (child == NULL) {
		err_report(&e);
		return;
	}
	child_close_in(child);
	stopped = follow(c, child, &o);
	trim(&o);
	st = child_end(child, stopped ? 0 : 500);
	if (stopped)
		snprintf(end, sizeof end, "interrupted");
	else if (WIFSIGNALED(st))
		snprintf(end, sizeof end, "signal %d", WTERMSIG(st));
	else
		snprintf(end, sizeof end, "exit %d", WEXITSTATUS(st));
	if (strcmp(end, "exit 0") != 0)
		ui_note(&c->run->ui, "%s", end);
	if (!c->quit)
		tell(c, cmd, &o, end);
	buf_release(&o.first);
	buf_release(&o.last);
}
