/* user_shell.c - "!command": a person's own command; its output is shown as it
 * runs, and sent to the model. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "internal.h"
#include "term/clean.h"

#define FIRST_TOLD ((size_t)4 << 10)	/* of its output, sent to the model */
#define LAST_TOLD ((size_t)12 << 10)
#define HELD ((size_t)64 << 10)		/* with the next part of it */
#define STOP_MS 700			/* to end when it is stopped */
#define TICK_MS 30			/* between looks whether it has ended */

struct printed {
	struct buf told;	/* the beginning and the end of the output */
	size_t between;		/* bytes left out after FIRST_TOLD */
	struct clean clean;
	struct ui *ui;
};

int
chat_run(struct chat *c, const char *command, const char *const *args,
    enum child_err err, const char *doing, struct slice input,
    void (*take)(void *arg, struct slice part), void *arg, bool *stopped)
{
	struct ui *ui = &c->run->ui;
	struct err e;
	struct child *child = child_open(command, args, err, &e);
	long long until = 0;	/* when it is killed, once stopped */
	char part[8192];
	ssize_t n = 1;

	if (child == NULL) {
		err_report(&e);
		return -1;
	}
	ui_status_doing(ui, doing);
	file_write_all(child->in, input.p, input.n);
	child_close_in(child);
	*stopped = false;
	/* it may close its output before it ends */
	while ((n > 0 || kill(child->group, 0) == 0) &&
	    (!*stopped || file_now_ms() < until)) {
		/* as a shell's, it waits for a slow terminal */
		bool behind = ui->screen != NULL &&
		    screen_is_behind(ui->screen);
		struct pollfd p[4] = { { behind || n <= 0 ? -1 : child->out,
			POLLIN, 0 },
			{ ui->signals, POLLIN, 0 },
			{ ui->listening ? ui_keys_fd(ui) : -1, POLLIN, 0 },
			{ ui->job, POLLIN, 0 } };
		int ms = ui_tick(ui);

		if (poll(p, 4, *stopped || n <= 0 ? TICK_MS : ms) < 0)
			continue;	/* EINTR: a child ended */
		if (p[3].revents != 0)
			ui_job(ui);
		if ((p[1].revents != 0 && chat_interrupted(c)) ||
		    (p[2].revents != 0 && !ui_read_keys(ui)) ||
		    ui->interrupted || ui->leaving) {
			/* it may take a while to end, keys go on; but not when
			 * it is stopped again */
			until = *stopped || c->quit || ui->leaving ? 0 :
			    file_now_ms() + STOP_MS;
			kill(-child->group, SIGTERM);
			kill(-child->group, SIGCONT);
			*stopped = true;
			ui->interrupted = false;
		}
		if (p[0].revents == 0)
			continue;
		n = read(p[0].fd, part, sizeof part);
		if (n > 0 && take != NULL)
			take(arg, (struct slice){ part, (size_t)n });
		else if (n > 0)
			buf_add(arg, part, (size_t)n);
	}
	if (*stopped && !c->quit && !ui->leaving)
		kill(-child->group, SIGKILL);
	ui->interrupted = false;
	c->quit |= ui->leaving;
	int st = child_end(child, *stopped ? 0 : -1);
	ui_status_doing(ui, "");
	return st;
}

/* Show a part of the output and keep it for the model, without what is now in
 * the middle. */
static void
take_part(void *arg, struct slice part)
{
	struct printed *o = arg;
	struct buf *told = &o->told;
	size_t had = told->len;

	clean_add(&o->clean, part.p, part.n, told);
	if (told->len > had)
		ui_output(o->ui, told->p + had, told->len - had);
	if (told->len > FIRST_TOLD + LAST_TOLD) {
		size_t extra = told->len - FIRST_TOLD - LAST_TOLD;

		memmove(told->p + FIRST_TOLD, told->p + FIRST_TOLD + extra,
		    LAST_TOLD);
		told->len -= extra;
		o->between += extra;
	}
}

void
chat_shell(struct chat *c, const char *cmd)
{
	struct printed o = { BUF_INIT(HELD), .ui = &c->run->ui };
	struct buf b = BUF_INIT((size_t)1 << 20);
	bool stopped;
	char end[40];
	int st = chat_run(c, "bash", ARGS("-c", "exec 2>&1; eval \"$1\"",
	    "bash", cmd), CHILD_ERR_OURS, cmd, SLICE(""), take_part, &o,
	    &stopped);

	if (st < 0)
		return;
	ui_output(&c->run->ui, "", 0);
	clean_end(&o.clean, &o.told);
	if (stopped)
		snprintf(end, sizeof end, "interrupted");
	else if (WIFSIGNALED(st))
		snprintf(end, sizeof end, "signal %d", WTERMSIG(st));
	else
		snprintf(end, sizeof end, "exit %d", WEXITSTATUS(st));
	if (strcmp(end, "exit 0") != 0)
		ui_note(&c->run->ui, "%s", end);
	if (!c->quit && chat_open(c, NULL) == 0) {
		struct slice told = buf_view(&o.told);
		size_t first = o.between > 0 ? FIRST_TOLD : told.n;

		buf_fmt(&b, "$ %s\n", cmd);
		utf8_clean(&b, told.p, first);
		if (o.between > 0)
			buf_fmt(&b, "\n[%zu bytes are left out here]\n",
			    o.between);
		utf8_clean(&b, told.p + first, told.n - first);
		buf_fmt(&b, "%s[%s]", b.p[b.len - 1] == '\n' ? "" : "\n",
		    end);
		if (hub_put(&c->run->hub, "{'role':'user','content':@,"
		    "'meta':{'by':'shell'}}", buf_view(&b)) == 0)
			hub_sync(&c->run->hub, SLOT_GUARD);
	}
	bufs_release(BUFS(&b, &o.told));
}
