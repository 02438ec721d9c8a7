/* input.c - the keys that are typed at a terminal, and the messages they make;
 * Ctrl-Z, and the terminal's size. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "term/term.h"
#include "internal.h"

#define PASTE_MS 100		/* a line that follows this soon was pasted */

/* ---- Ctrl-Z and fg in raw mode, and the terminal's size ----
 *
 * A terminal that we read keys from one by one must be restored before we stop,
 * and taken again when we continue.  So these signals come on a descriptor as
 * long as live rows are shown or we read keys.
 */

void
ui_watch_job(struct ui *u)
{
	bool on = u->listening || (u->live && u->status.on);
	sigset_t set;

	if (on == (u->job >= 0))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGWINCH);
	file_close(u->job);
	u->job = on ? signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC) : -1;
	if (!on || u->job >= 0)
		sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

enum { STOP = 1, STOPPED = 2, RESIZED = 4 };

/* The signals that came, or-ed. */
static int
read_job(int fd)
{
	struct signalfd_siginfo info;
	int what = 0;

	while (read(fd, &info, sizeof info) == sizeof info)
		what |= info.ssi_signo == SIGTSTP ? STOP :
		    info.ssi_signo == SIGCONT ? STOPPED : RESIZED;
	return what;
}

static void
fit_answer(struct ui *u)
{
	if (u->answer != NULL)
		markdown_resize(u->answer, ui_columns(u) - 1, ui_tail_rows(u));
}

void
ui_suspend(struct ui *u)
{
	struct buf typed = BUF_INIT(KEYS_PASTE_MAX);

	screen_await_replies(u->screen, &typed);
	keys_add(&u->keys, buf_view(&typed), file_now_ms());
	buf_release(&typed);
	screen_suspend(u->screen);
}

/* Drop a SIGCONT that came meanwhile, and check the size: a program in the
 * background gets no SIGWINCH. */
void
ui_resume(struct ui *u)
{
	screen_resume(u->screen);
	if (u->job >= 0)
		read_job(u->job);
	fit_answer(u);
	ui_redraw(u);
}

/* Stop by SIGTSTP, not SIGSTOP: where no shell could wake us, the kernel drops
 * it.  Restores the previous signal mask. */
static void
stop(struct ui *u)
{
	sigset_t set, before;

	ui_suspend(u);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &before);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ui_resume(u);
}

void
ui_job(struct ui *u)
{
	int what = read_job(u->job);

	if ((what & RESIZED) != 0) {
		screen_resized(u->screen);
		fit_answer(u);
	}
	if ((what & STOP) != 0) {
		stop(u);
	} else if ((what & STOPPED) != 0) {
		screen_suspend(u->screen);
		ui_resume(u);
	}
	ui_redraw_now(u);
}

/* ---- keys ---- */

bool
ui_handle_reply(struct ui *u, const struct key *key)
{
	if (key->name == KEY_REPLY)
		screen_reply(u->screen, key->text);
	else if (key->name == KEY_FOCUS_IN || key->name == KEY_FOCUS_OUT)
		u->away = key->name == KEY_FOCUS_OUT;
	else
		return false;
	return true;
}

void
ui_take_keys(struct ui *u, long long now)
{
	struct key key;

	while (u->editor != NULL && keys_next(&u->keys, now, &key))
		if (!ui_handle_reply(u, &key))
			ui_event(u, editor_key(u->editor, &key));
}

void
ui_listen(struct ui *u, bool on)
{
	if (on == u->listening || u->screen == NULL)
		return;
	u->listening = screen_read_keys(u->screen, on ? STDIN_FILENO : -1);
	ui_watch_job(u);
}

void
ui_open_input(struct ui *u, const struct editor_options *o)
{
	if (!u->live)
		return;
	ui_listen(u, true);
	if (!u->listening)
		return;
	term_open_clusters();
	u->editor = editor_new(o);
	screen_query(u->screen);
	ui_redraw(u);
}

void
ui_close_input(struct ui *u)
{
	struct buf typed = BUF_INIT(KEYS_PASTE_MAX);

	if (u->editor == NULL)
		return;
	/* keep what was not sent in the history */
	ui_unqueue(u);
	if (!editor_is_empty(u->editor))
		free(editor_take(u->editor));
	editor_free(u->editor);
	u->editor = NULL;
	screen_await_replies(u->screen, &typed);
	buf_release(&typed);
	ui_listen(u, false);
	/* ending may take a while, without reading keys */
	screen_live(u->screen, SLICE(""), 0, 0);
}

int
ui_keys_fd(const struct ui *u)
{
	return u->listening && !screen_is_foreground(u->screen) ? -1 :
	    STDIN_FILENO;
}

/* Take what a terminal sent that edits its lines itself.  Lines that follow one
 * another at once were pasted, and are one message. */
static void
take_lines(struct ui *u, struct slice part)
{
	struct buf clean = BUF_INIT(4 * KEYS_PASTE_MAX);
	struct pollfd p = { STDIN_FILENO, POLLIN, 0 };

	buf_slice(&u->line, part);
	if (part.p[part.n - 1] != '\n' || poll(&p, 1, PASTE_MS) > 0)
		return;
	if (u->line.over) {
		ui_note(u, "a paste of more than 16 MiB was discarded");
	} else {
		utf8_clean(&clean, u->line.p, u->line.len - 1);
		texts_add(&u->sent, buf_detach(&clean));
	}
	buf_reset(&u->line);
}

bool
ui_read_keys(struct ui *u)
{
	char part[65536];
	ssize_t n = read(STDIN_FILENO, part, sizeof part);

	if (n <= 0)
		return false;
	if (u->editor == NULL) {
		take_lines(u, (struct slice){ part, (size_t)n });
		return true;
	}
	keys_add(&u->keys, (struct slice){ part, (size_t)n }, file_now_ms());
	if (u->question.len == 0)
		ui_take_keys(u, file_now_ms());
	ui_redraw_now(u);
	ui_tick(u);
	return true;
}

char *
ui_take_sent(struct ui *u)
{
	struct texts *t = &u->sent;

	if (t->n == 0)
		return NULL;
	char *text = t->v[0];
	memmove(t->v, t->v + 1, --t->n * sizeof *t->v);
	ui_redraw(u);
	return text;
}

void
ui_unqueue(struct ui *u)
{
	size_t n = u->sent.n;

	if (u->editor == NULL)
		return;
	editor_recall(u->editor, u->sent.v, n);
	texts_release(&u->sent);
	ui_redraw(u);
	if (n > 1)
		ui_note(u, "%zu queued messages were not sent; Down shows the "
		    "next one", n);
}

void
ui_suggest(struct ui *u, const char *text)
{
	static const struct key tab = { .name = KEY_TAB };

	editor_set(u->editor, slice_of(text));
	editor_key(u->editor, &tab);
	ui_redraw_now(u);
}

void
ui_edit_input(struct ui *u)
{
	const char *why = NULL;
	char *text = u->editor != NULL ? editor_text(u->editor) : xstrdup("");
	char *got = ui_edit(u, slice_of(text), ".md", &why);
	struct slice said = slice_of(got != NULL ? got : "");

	said.n -= slice_ends(said, "\n");
	if (got == NULL) {
		ui_note(u, "%s", why);
	} else if (u->editor != NULL) {
		editor_set(u->editor, said);
	} else if (slice_trim(said).n > 0) {	/* saved, so sent */
		texts_add(&u->sent, xmemdup0(said.p, said.n));
		ui_show_message(u, u->sent.v[u->sent.n - 1]);
	}
	FREE(got, text);
}

void
ui_event(struct ui *u, enum editor_event event)
{
	static const struct key esc = { .name = KEY_ESC };
	bool busy = ui_is_busy(u);
	char *text;

	switch (event) {
	case EDITOR_SEND:
		text = editor_take(u->editor);
		u->aside = busy;
		if (busy && u->at_once != NULL &&
		    u->at_once(u->at_once_arg, text))
			free(text);
		else
			texts_add(&u->sent, text);
		u->aside = false;
		break;
	case EDITOR_ESC: case EDITOR_INTERRUPT:
		if (busy) {
			u->interrupted = true;
		} else if (u->sent.n > 0) {	/* by the same read */
			ui_unqueue(u);
		} else if (!editor_is_empty(u->editor)) {
			editor_key(u->editor, &esc);
		} else if (event == EDITOR_INTERRUPT) {
			/* a slow line may bring two in one read */
			u->leaving |= u->interrupted;
			u->interrupted = true;
		}
		break;
	case EDITOR_QUIT:
		u->leaving = true;
		break;
	case EDITOR_SUSPEND:
		stop(u);
		break;
	case EDITOR_EXTERNAL:
		ui_edit_input(u);
		break;
	case EDITOR_OUTPUT:
	case EDITOR_THINKING:
		u->aside = u->status.on;
		if (event == EDITOR_OUTPUT)
			ui_show_output(u);
		else
			ui_show_thinking(u);
		u->aside = false;
		break;
	case EDITOR_REDRAW:
		screen_redraw_now(u->screen, true);
		break;
	case EDITOR_TOO_LONG:
		ui_note(u, "a paste of more than 16 MiB was discarded");
		break;
	default:
		break;
	}
	ui_redraw(u);
}
