/* hook.c - [hooks] on_end: the user's own programs, told of the end record. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "file.h"
#include "hook.h"

#define HOOK_MS 5000

/* Write what it takes; false when it takes no more. */
static bool
give(int fd, struct slice *left)
{
	ssize_t n = write(fd, left->p, left->n);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	left->p += n;
	left->n -= (size_t)n;
	return left->n > 0;
}

/* What it prints is nobody's; false at the end. */
static bool
drain(int fd)
{
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof buf);

	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void
talk(struct child *c, struct slice left, int stop, long long until)
{
	bool giving = left.n > 0, hearing = true;

	while (hearing) {
		struct pollfd p[3] = {
			{ giving ? child_in(c) : -1, POLLOUT, 0 },
			{ child_out(c), POLLIN, 0 }, { stop, POLLIN, 0 } };
		long long ms = until - file_now_ms();

		if (ms <= 0 || (poll(p, 3, (int)ms) < 0 && errno != EINTR) ||
		    p[2].revents != 0)
			return;
		if (p[0].revents != 0 && !give(child_in(c), &left)) {
			giving = false;
			child_close_in(c);
		}
		if (p[1].revents != 0)
			hearing = drain(child_out(c));
	}
}

static void
complain(struct hub *h, const char *fmt, int value)
{
	char what[64];

	snprintf(what, sizeof what, fmt, value);
	err_say("the on_end hook: %s", what);
	runlog_say(h->log, "hook", "on_end: %s", what);
}

static void
tell(struct hub *h, const char *const *argv, const char *record)
{
	long long until = file_now_ms() + HOOK_MS;
	const struct child_opts *like = &h->slot[SLOT_TOOL].cmd;
	struct child_opts o = { .argv = argv, .unset = like->unset,
		.nunset = like->nunset };
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	struct child *child;
	long long left;
	struct err e;
	int st;

	while (argv[o.nargv] != NULL)
		o.nargv++;
	child = child_start(&o, &e);
	if (child == NULL) {
		err_say("the on_end hook: %s", e.text);
		return;
	}
	buf_fmt(&line, "%s\n", record);
	talk(child, buf_view(&line), h->signals, until);
	buf_release(&line);
	left = until - file_now_ms();
	st = child_end(child, left > 0 ? (int)left : 0);
	if (left <= 0)
		complain(h, "no end within %d s", HOOK_MS / 1000);
	else if (WIFSIGNALED(st))
		complain(h, "signal %d", WTERMSIG(st));
	else if (st != 0)
		complain(h, "status %d", WEXITSTATUS(st));
}

void
hook_end(const struct conf *c, struct hub *h, const char *record)
{
	size_t n;
	const char *const *const *argvs = conf_argvs(c, "hooks.on_end", &n);

	for (size_t i = 0; i < n; i++)
		tell(h, argvs[i], record);
}
