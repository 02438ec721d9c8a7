/* plain.c - messages on a terminal that edits its lines itself. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "internal.h"

#define LINE_LIMIT ((size_t)16 << 20)
#define PASTE_MS 100		/* bytes that wait so soon were pasted */

/* False: a signal came. */
static bool
wait_for_line(const struct ui *u, bool *interrupted)
{
	struct pollfd p[2] = { { STDIN_FILENO, POLLIN, 0 },
		{ u->signals, POLLIN, 0 } };
	struct signalfd_siginfo info;

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents == 0)
		return true;
	while (read(u->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGINT)
			return false;	/* as the end of input */
	*interrupted = true;
	return false;
}

/* Up to its LF, which is left out; false: none came, and what was begun is no
 * line. */
static bool
one_line(const struct ui *u, bool *interrupted, struct buf *out)
{
	char c;

	while (wait_for_line(u, interrupted) &&
	    read(STDIN_FILENO, &c, 1) == 1) {
		if (c == '\n')
			return true;
		buf_addc(out, c);
	}
	return false;
}

char *
plain_line(struct ui *u, const char *prompt, bool *interrupted)
{
	struct pollfd more = { STDIN_FILENO, POLLIN, 0 };
	struct buf b = BUF_INIT(LINE_LIMIT);
	bool got;

	*interrupted = false;
	ui_prompt(u, prompt);
	got = one_line(u, interrupted, &b);
	while (got && poll(&more, 1, PASTE_MS) > 0 &&
	    (more.revents & POLLIN) != 0) {
		buf_addc(&b, '\n');
		got = one_line(u, interrupted, &b);
	}
	if (!got) {
		buf_release(&b);
		ui_prompt(u, "\n");
		return NULL;
	}
	return buf_detach(&b);
}
