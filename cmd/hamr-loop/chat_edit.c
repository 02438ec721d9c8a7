/* chat_edit.c - the line editor of the chat: libedit, or plain lines.
 *
 * libedit is loaded here and not linked: it costs start-up that a run without
 * a terminal need not pay.
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "chat_edit_in.h"
#include "chat_in.h"
#include "file.h"
#include "job.h"
#include "mem.h"

#define PASTE_MS 20		/* bytes that wait so soon were pasted */
#define LINE_LIMIT ((size_t)16 << 20)
#define HISTORY_LINES 1000

/* ---- libedit ---- */

static char *
prompt_of(EditLine *el)
{
	static char text[] = "> ";

	(void)el;
	return text;
}

/* libedit's own way to read one character cannot be woken by a signalfd. */
static int
get_char(EditLine *el, wchar_t *out)
{
	struct edit *d = edit_self(el);
	mbstate_t state;
	char c;

	memset(&state, 0, sizeof state);
	for (;;) {
		size_t n;

		if (!edit_byte(d, &c))
			return 0;
		n = mbrtowc(out, &c, 1, &state);
		if (n == (size_t)-2)
			continue;
		if (n == (size_t)-1) {
			memset(&state, 0, sizeof state);
			*out = 0xfffd;
		}
		return 1;
	}
}

static bool
load(struct lib *l)
{
	static const struct { const char *name; size_t at; } all[] = {
		{ "el_init", offsetof(struct lib, init) },
		{ "el_end", offsetof(struct lib, end) },
		{ "el_gets", offsetof(struct lib, gets) },
		{ "el_set", offsetof(struct lib, set) },
		{ "el_line", offsetof(struct lib, line) },
		{ "el_insertstr", offsetof(struct lib, insert) },
		{ "history_init", offsetof(struct lib, history_init) },
		{ "history_end", offsetof(struct lib, history_end) },
		{ "history", offsetof(struct lib, history) },
	};

	l->so = dlopen("libedit.so.2", RTLD_NOW | RTLD_GLOBAL);
	if (l->so == NULL)
		l->so = dlopen("libedit.so.0", RTLD_NOW | RTLD_GLOBAL);
	for (size_t i = 0; l->so != NULL && i < sizeof all / sizeof *all;
	    i++) {
		void *f = dlsym(l->so, all[i].name);

		if (f == NULL)
			return false;
		memcpy((char *)l + all[i].at, &f, sizeof f);
	}
	return l->so != NULL;
}

static void
start(struct edit *d)
{
	struct lib *l = &d->lib;
	HistEvent ev;

	d->el = l->init("hamr-loop", stdin, stderr, stderr);
	if (d->el == NULL)
		return;
	l->set(d->el, EL_CLIENTDATA, d);
	l->set(d->el, EL_PROMPT, prompt_of);
	l->set(d->el, EL_EDITOR, "emacs");
	l->set(d->el, EL_SIGNAL, 0);
	l->set(d->el, EL_GETCFN, get_char);
	l->set(d->el, EL_ADDFN, "hamr-complete", "complete", key_complete);
	l->set(d->el, EL_BIND, "^I", "hamr-complete", NULL);
	l->set(d->el, EL_ADDFN, "hamr-paste", "paste", key_paste);
	l->set(d->el, EL_BIND, "\\e[200~", "hamr-paste", NULL);
	d->hist = l->history_init();
	if (d->hist == NULL)
		return;
	l->history(d->hist, &ev, H_SETSIZE, HISTORY_LINES);
	l->history(d->hist, &ev, H_SETUNIQUE, 1);
	if (d->file != NULL)
		l->history(d->hist, &ev, H_LOAD, d->file);
	l->set(d->el, EL_HIST, l->history, d->hist);
}

struct edit *
edit_new(const char *history, int signals)
{
	struct edit *d = xcalloc(1, sizeof *d);
	const char *term = getenv("TERM");

	d->signals = signals;
	d->job = -1;
	buf_init(&d->ahead, LINE_LIMIT);
	d->file = history != NULL ? xstrdup(history) : NULL;
	if (term != NULL && strcmp(term, "dumb") != 0 && load(&d->lib))
		start(d);
	return d;
}

void
edit_free(struct edit *d)
{
	if (d->hist != NULL)
		d->lib.history_end(d->hist);
	if (d->el != NULL)
		d->lib.end(d->el);
	/* libedit stays loaded: it leaves a handler with the terminal */
	free(d->file);
	buf_release(&d->ahead);
	free(d);
}

/* ---- lines ---- */

static bool
more_waits(int ms)
{
	struct pollfd p = { STDIN_FILENO, POLLIN, 0 };

	return poll(&p, 1, ms) > 0 && (p.revents & POLLIN) != 0;
}

static void
remember(struct edit *d, const char *line)
{
	HistEvent ev;

	if (d->hist == NULL || line[0] == '\0')
		return;
	d->lib.history(d->hist, &ev, H_ENTER, line);
	if (d->file != NULL)
		d->lib.history(d->hist, &ev, H_SAVE, d->file);
}

/* A line of a terminal that edits it itself. */
static bool
plain_line(struct edit *d, struct buf *out)
{
	char c;

	while (edit_byte(d, &c)) {
		if (c == '\n')
			return true;
		buf_addc(out, c);
	}
	return out->len > 0 && !d->stopped;
}

static bool
one_line(struct edit *d, const char *prompt, struct buf *out)
{
	const char *got;
	int n = 0;

	if (d->el == NULL) {
		if (file_write_all(STDERR_FILENO, prompt,
		    strlen(prompt)) < 0)
			return false;
		return plain_line(d, out);
	}
	d->job = job_watch();
	ui_mark_pastes(true);
	got = d->lib.gets(d->el, &n);
	ui_mark_pastes(false);
	job_leave(d->job);
	d->job = -1;
	if (got == NULL || n <= 0 || d->stopped)
		return false;
	buf_add(out, got, (size_t)n - (got[n - 1] == '\n'));
	return true;
}

void
edit_push(struct edit *d, struct buf *b)
{
	if (b->len > 0 && d->el != NULL) {
		buf_adds(&d->ahead, PASTE_BEGIN);
		buf_slice(&d->ahead, buf_view(b));
		buf_adds(&d->ahead, PASTE_END);
	}
	buf_reset(b);
}

char *
edit_line(struct edit *d, const char *prompt, bool *interrupted)
{
	struct buf b = BUF_INIT(LINE_LIMIT);
	bool got;

	d->stopped = false;
	got = one_line(d, prompt, &b);
	while (got && more_waits(PASTE_MS)) {
		buf_addc(&b, '\n');
		got = one_line(d, "", &b) || b.len > 1;
	}
	*interrupted = d->stopped;
	if (d->stopped || (!got && b.len == 0)) {
		buf_release(&b);
		file_write_all(STDERR_FILENO, "\n", 1);
		return NULL;
	}
	buf_add(&b, "", 0);
	if (b.p == NULL)
		return xstrdup("");
	if (strchr(b.p, '\n') == NULL)
		remember(d, b.p);
	return buf_detach(&b);
}
