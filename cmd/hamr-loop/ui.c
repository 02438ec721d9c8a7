/* ui.c - what a program sees of a run: stdout. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "term.h"
#include "ui_in.h"

/* What is typed and shown is UTF-8, also where nobody has set a locale. */
static void
characters(void)
{
	if (setlocale(LC_CTYPE, "") == NULL ||
	    strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

void
ui_init(struct ui *u, bool json, bool quiet)
{
	const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");

	*u = (struct ui){ .json = json, .quiet = quiet, .job = -1 };
	u->dumb = term == NULL || strcmp(term, "dumb") == 0;
	u->tty_out = isatty(STDOUT_FILENO) == 1;
	u->tty_err = isatty(STDERR_FILENO) == 1;
	u->color = u->tty_err && (plain == NULL || plain[0] == '\0') &&
	    !u->dumb;
	u->live = u->tty_err && !u->dumb && !json && !quiet;
	if (u->live)
		characters();
	buf_init(&u->out, 4 * BUF_RECORD_MAX);
}

bool
ui_can_ask(const struct ui *u)
{
	return u->tty_err && isatty(STDIN_FILENO) == 1;
}

void
ui_forget(struct ui *u)
{
	for (size_t i = 0; i < u->nseen; i++) {
		free(u->seen[i].what);
		free(u->seen[i].args);
	}
	u->nseen = 0;
	map_release(&u->calls);
}

void
ui_release(struct ui *u)
{
	ui_forget(u);
	free(u->seen);
	free(u->trouble);
	map_release(&u->always);
	buf_release(&u->out);
	buf_release(&u->fold.word);
	buf_release(&u->typed);
}

/* ---- stdout ---- */

/* At most what poll promised: a pipe that is writable takes PIPE_BUF. */
bool
ui_pump(struct ui *u)
{
	while (u->written < u->out.len && !u->out_closed) {
		struct pollfd p = { STDOUT_FILENO, POLLOUT, 0 };
		size_t left = u->out.len - u->written;
		ssize_t n;

		if (poll(&p, 1, 0) <= 0)
			return true;
		n = write(STDOUT_FILENO, u->out.p + u->written,
		    left < 4096 ? left : 4096);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return true;
		if (n < 0) {
			u->out_closed = true;
			u->out_errno = errno;
		} else {
			u->written += (size_t)n;
		}
	}
	u->written = 0;
	buf_reset(&u->out);
	return false;
}

void
ui_lost(struct ui *u)
{
	u->out_closed = true;
	if (u->out_errno == 0)
		u->out_errno = EPIPE;
}

void
ui_flush(struct ui *u)
{
	while (ui_pump(u)) {
		struct pollfd p = { STDOUT_FILENO, POLLOUT, 0 };

		poll(&p, 1, -1);
	}
}

int
ui_end(struct ui *u, struct err *e)
{
	ui_flush(u);
	if (close(STDOUT_FILENO) < 0 && u->out_errno == 0)
		u->out_errno = errno;
	if (u->out_errno == 0 || u->out_errno == EPIPE)
		return 0;
	errno = u->out_errno;
	return err_sys(e, ST_SYSTEM, "stdout");
}

void
ui_json_line(struct ui *u, const struct rec *r)
{
	if (u->tty_out)
		term_json(&u->out, r->line);
	else
		buf_slice(&u->out, r->line);
	buf_addc(&u->out, '\n');
	ui_pump(u);
}

void
ui_said(struct ui *u, const char *answer, const char *line)
{
	if (u->json) {
		if (u->tty_out)
			term_json(&u->out, slice_of(line));
		else
			buf_adds(&u->out, line);
		buf_addc(&u->out, '\n');
		ui_flush(u);
	} else {
		ui_answer(u, answer);
	}
}

void
ui_answer(struct ui *u, const char *text)
{
	size_t n = strlen(text);

	ui_break(u);
	if (u->json || n == 0 || (u->streamed && u->tty_out))
		return;
	if (u->tty_out)
		term_escape(&u->out, slice_of(text));
	else
		buf_add(&u->out, text, n);
	if (text[n - 1] != '\n')
		buf_addc(&u->out, '\n');
	ui_flush(u);
}
