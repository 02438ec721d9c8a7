/* ui.c - what is written: stdout, and lines of progress. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "term/term.h"
#include "internal.h"

#define COLUMNS 80		/* where the width is unknown */
#define AT_ONCE_MS 300
#define ANSWER_MS 1000		/* that an answer waits for the terminal */
#define OUTPUT_MAX ((size_t)16 << 20)

size_t
ui_columns(const struct ui *u)
{
	return u->screen != NULL ? screen_info(u->screen)->columns : COLUMNS;
}

size_t
ui_height(const struct ui *u)
{
	return u->screen != NULL ? screen_info(u->screen)->rows : 24;
}

/* ---- colors for the terminal's background ---- */

/* The SGR that we write, and the one of 256 colors to replace it with on a dark
 * or light background. */
static const struct {
	const char *ours, *dark, *light;
} palette[] = {
	{ "\033[2m", "\033[38;5;245m", "\033[38;5;241m" },
	{ "\033[0;2m", "\033[0;38;5;245m", "\033[0;38;5;241m" },
	{ "\033[31m", "\033[38;5;203m", "\033[38;5;124m" },
	{ "\033[32m", "\033[38;5;114m", "\033[38;5;22m" },
	{ "\033[35m", "\033[38;5;176m", "\033[38;5;90m" },
	{ "\033[36m", "\033[38;5;80m", "\033[38;5;24m" },
};

struct slice
ui_themed(const struct ui *u, struct slice text, struct buf *b)
{
	const char *theme = u->conf != NULL ? conf_str(u->conf, "ui.theme") :
	    "auto";
	bool chosen = strcmp(theme, "auto") != 0;
	bool light = chosen ? strcmp(theme, "light") == 0 :
	    screen_info(u->screen)->light;
	const char *term = getenv("TERM"), *more = getenv("COLORTERM");
	bool has_colours = (term != NULL && strstr(term, "256color") != NULL) ||
	    (more != NULL && more[0] != '\0');

	if (!u->color || (!chosen && !light) || !has_colours)
		return text;
	for (size_t at; (at = slice_find(text, 0, "\033")) < text.n; ) {
		size_t i = 0, n = 1;

		buf_add(b, text.p, at);
		text = slice_from(text, at);
		while (i < sizeof palette / sizeof *palette &&
		    !slice_starts(text, palette[i].ours))
			i++;
		if (i < sizeof palette / sizeof *palette) {
			n = strlen(palette[i].ours);
			buf_adds(b, light ? palette[i].light :
			    palette[i].dark);
		} else {
			buf_addc(b, '\033');
		}
		text = slice_from(text, n);
	}
	buf_slice(b, text);
	return buf_view(b);
}

/* ---- lines of progress ---- */

void
ui_emit(struct ui *u, struct slice lines)
{
	struct buf b = BUF_INIT(u->telling ? BUF_RECORD_MAX : (size_t)1 << 40);

	if (u->telling) {	/* the program in a person's place */
		scan_put(&b, "{'type':'progress','stage':'loop','text':@}",
		    slice_trim_end(lines, "\n"));
		if (!b.over)
			ui_json_line(u, buf_view(&b));
	} else if (u->screen == NULL) {
		/* if that fails, there is nowhere to report it */
		file_write_all(STDERR_FILENO, lines.p, lines.n);
	} else {
		screen_print(u->screen, ui_themed(u, lines, &b));
		if (!u->live) {
			/* a question's row comes again as it then is */
			screen_live(u->screen, SLICE(""), 0, 0);
			screen_flush(u->screen, -1, 0);
			ui_redraw(u);
		}
	}
	buf_release(&b);
}

void
ui_print(struct ui *u, struct buf *lines)
{
	ui_break(u);
	ui_emit(u, buf_view(lines));
	buf_release(lines);
}

/* Wait, as screen_flush does, until the terminal has taken all output; a paused
 * one does not delay the end. */
static void
drain(struct ui *u, int ms)
{
	screen_flush(u->screen, u->signals, u->told_to_end ? 0 : ms);
}

void
ui_prompt(struct ui *u, const char *prompt)
{
	drain(u, -1);
	screen_control(u->screen, prompt);
	drain(u, -1);
}

/* Show a text and an LF, escaped; on a terminal, wrapped between words with its
 * indentation. */
static void
say(struct ui *u, struct slice text, bool dim)
{
	struct buf safe = BUF_INIT(4 * BUF_RECORD_MAX);
	struct buf b = BUF_INIT(4 * BUF_RECORD_MAX);
	size_t columns = ui_columns(u) - 1;
	struct slice rest, line;

	buf_adds(&b, dim ? "\033[2m" : "");
	term_escape(u->live ? &safe : &b, text);
	for (rest = buf_view(&safe); slice_line(&rest, &line); ) {
		size_t indent = line.n - slice_trim_start(line, " ").n;

		term_wrap(&b, line, 0, indent > columns / 2 ? 0 : indent,
		    columns);
	}
	b.len -= u->live && b.p[b.len - 1] == '\n';
	buf_adds(&b, dim ? "\033[0m\n" : "\n");
	ui_print(u, &b);
	buf_release(&safe);
}

void
ui_note(struct ui *u, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	va_list ap;

	if ((u->quiet || u->json) && !u->telling)
		return;
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	say(u, buf_view(&raw), u->color);
	buf_release(&raw);
}

void
ui_lines(struct ui *u, struct slice text)
{
	ui_break(u);
	ui_emit_text(u, text);
}

void
ui_emit_text(struct ui *u, struct slice text)
{
	struct buf b = BUF_INIT((size_t)1 << 40);

	term_escape(&b, text);
	buf_end_line(&b);
	if (b.len > 0)
		ui_emit(u, buf_view(&b));
	buf_release(&b);
}

/* Escaped for a terminal, unchanged for a file. */
void
ui_stage_line(struct ui *u, const char *p, size_t n)
{
	struct buf b = BUF_INIT((size_t)1 << 20);

	if (u->tty_err)
		term_escape(&b, (struct slice){ p, n });
	else
		buf_add(&b, p, n);
	buf_addc(&b, '\n');
	ui_print(u, &b);
}

void
ui_error_line(void *arg, const char *line)
{
	say(arg, slice_of(line), false);
}

void
ui_init(struct ui *u, const struct track *t, bool json, bool quiet)
{
	const char *term = getenv("TERM");
	static const char *const no_terminal[] = { "", "dumb", NULL };
	const struct term err = term_of(STDERR_FILENO);

	*u = (struct ui){ .track = t, .json = json, .quiet = quiet, .job = -1,
		.signals = -1 };
	u->dumb = term == NULL || slice_in(slice_of(term), no_terminal);
	u->tty_out = isatty(STDOUT_FILENO) == 1;
	u->tty_err = err.tty;
	u->out_fd = u->tty_out ? file_unblocked(STDOUT_FILENO) : STDOUT_FILENO;
	u->color = err.colour;
	u->live = u->tty_err && !u->dumb && !json && !quiet;
	/* Input and output are UTF-8, even where no locale is set. */
	if (u->live && (setlocale(LC_CTYPE, "") == NULL ||
	    strcmp(nl_langinfo(CODESET), "UTF-8") != 0))
		setlocale(LC_CTYPE, "C.UTF-8");
	buf_init(&u->out, 4 * BUF_RECORD_MAX);
	buf_init(&u->line, KEYS_PASTE_MAX);
	buf_init(&u->question, (size_t)1 << 30);
	buf_init(&u->output, OUTPUT_MAX);
	buf_init(&u->partial, OUTPUT_MAX);
	buf_init(&u->thinking, BUF_RECORD_MAX);
	keys_init(&u->keys, term);
	if (u->tty_err) {
		u->screen = screen_new(STDERR_FILENO, u->dumb);
		err_redirect(ui_error_line, u);
	}
}

void
ui_configure(struct ui *u, const struct conf *c)
{
	const char *accessible = getenv("ACCESSIBLE");

	u->conf = c;
	if (strcmp(conf_str(c, "ui.theme"), "none") == 0)
		u->color = false;
	if (u->screen == NULL || !(conf_bool(c, "ui.plain") ||
	    (accessible != NULL && strcmp(accessible, "1") == 0)))
		return;
	u->dumb = true;
	u->live = false;
	screen_set_dumb(u->screen);
}

int
ui_take_signals(struct ui *u)
{
	struct sigaction hup = { .sa_handler = SIG_DFL };
	sigset_t set;

	if (u->signals >= 0)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	/* nohup(1) ignores this one, a shell in the background the others */
	sigaction(SIGHUP, NULL, &hup);
	if (hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	u->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return u->signals < 0 ? -1 : 0;
}

bool
ui_can_ask(const struct ui *u)
{
	return u->peer != NULL || (u->tty_err && isatty(STDIN_FILENO) == 1);
}

void
ui_clear_calls(struct ui *u)
{
	for (size_t i = 0; i < u->nseen; i++)
		FREE(u->seen[i].what, u->seen[i].args, u->seen[i].reason);
	u->nseen = 0;
	map_release(&u->calls);
}

void
ui_release(struct ui *u)
{
	ui_close_input(u);
	if (u->peer != NULL)
		rec_in_release(u->peer);
	free(u->peer);
	for (size_t i = 0; i < u->nrecords; i++)
		free(u->records[i].line);
	free(u->records);
	err_redirect(NULL, NULL);
	screen_close(u->screen, u->signals, u->told_to_end);
	file_close(u->signals);
	if (u->out_fd != STDOUT_FILENO)
		close(u->out_fd);
	ui_clear_calls(u);
	FREE(u->seen, u->trouble, u->draft, u->status.model,
	    u->status.doing);
	map_release(&u->always);
	keys_release(&u->keys);
	texts_release(&u->sent);
	bufs_release(BUFS(&u->out, &u->line, &u->question, &u->output,
	    &u->partial, &u->thinking));
}

/* ---- stdout ---- */

/* Write no more than poll promised: a writable pipe takes PIPE_BUF bytes. */
bool
ui_pump(struct ui *u)
{
	while (u->written < u->out.len && !u->out_closed) {
		struct pollfd p = { u->out_fd, POLLOUT, 0 };
		size_t left = u->out.len - u->written;

		if (poll(&p, 1, 0) <= 0)
			return true;
		ssize_t n = write(u->out_fd, u->out.p + u->written,
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

/* Our signals are blocked and come on a descriptor; here they are unblocked and
 * have their default effect. */
void
ui_flush(struct ui *u)
{
	const struct timespec soon = { 0, AT_ONCE_MS * 1000000L };
	sigset_t none;

	sigemptyset(&none);
	while (ui_pump(u)) {
		struct pollfd p = { u->out_fd, POLLOUT, 0 };

		if (ppoll(&p, 1, u->told_to_end ? &soon : NULL, &none) == 0) {
			u->out_closed = true;
			u->out_errno = ETIMEDOUT;
		}
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
ui_json_line(struct ui *u, struct slice line)
{
	if (u->tty_out)
		term_json(&u->out, line);
	else
		buf_slice(&u->out, line);
	buf_addc(&u->out, '\n');
	ui_pump(u);
}

void
ui_print_ended(struct ui *u, struct slice end)
{
	char *answer = scan_text(scan_get(end, "answer"));

	if (u->json) {
		ui_json_line(u, end);
		ui_flush(u);
	} else {
		ui_answer(u, answer);
	}
	free(answer);
}

void
ui_answer(struct ui *u, const char *text)
{
	size_t n = strlen(text);

	ui_break(u);
	if (u->json || n == 0 || (u->answered && u->tty_out))
		return;
	if (u->tty_out && u->live) {
		ui_stream_answer(u, slice_of(text));
		ui_break(u);
		return;
	}
	if (u->tty_out)
		term_escape(&u->out, slice_of(text));
	else
		buf_add(&u->out, text, n);
	buf_end_line(&u->out);
	if (u->screen != NULL)	/* which the reader may write to, too */
		drain(u, ANSWER_MS);
	ui_flush(u);
}
