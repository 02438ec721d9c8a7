/* chat_wait.c - the terminal while the line editor has it: waiting for a byte,
 * signals, Ctrl-Z. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "chat_edit_in.h"
#include "job.h"
#include "ui.h"

/* Ctrl-Z, or the end of it: libedit's terminal is given back, and taken. */
static void
suspended(struct edit *d)
{
	enum job what = job_next(d->job);

	if (what == JOB_NOTHING)
		return;
	d->lib.set(d->el, EL_PREP_TERM, 0);
	ui_mark_pastes(false);
	if (what == JOB_STOP)
		job_stop(d->job);
	ui_mark_pastes(true);
	d->lib.set(d->el, EL_PREP_TERM, 1);
	d->lib.set(d->el, EL_REFRESH);
}

static bool
wait_for_one(struct edit *d)
{
	struct pollfd p[3] = { { STDIN_FILENO, POLLIN, 0 },
		{ d->signals, POLLIN, 0 }, { d->job, POLLIN, 0 } };
	struct signalfd_siginfo info;

	for (;;) {
		if (poll(p, 3, -1) < 0 && errno == EINTR)
			continue;
		if (p[2].revents == 0)
			break;
		suspended(d);
	}
	if (p[1].revents == 0)
		return true;
	while (read(d->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGINT)
			return false;	/* TERM, HUP: as the end of input */
	d->stopped = true;
	return false;
}

bool
edit_byte(struct edit *d, char *c)
{
	if (d->ahead.len > 0) {
		*c = d->ahead.p[0];
		buf_drop(&d->ahead, 1);
		return true;
	}
	return wait_for_one(d) && read(STDIN_FILENO, c, 1) == 1;
}
