/* ui_ask.c - a person is asked whether a call may run: the keys.
 *
 * A key answers only by itself, in an empty message, when no other came for
 * QUIET_MS: what is typed or pasted while a question appears is text, and goes
 * into the message that is being typed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "term.h"
#include "ui_in.h"

#define QUIET_MS 500
#define ESC_MS 50		/* a lone ESC is the key, after that */
#define ESC '\033'

/* What the next key is for. */
enum state {
	KEYS,			/* the question, or the message */
	SURE,			/* Enter: always */
	REASON			/* the reason of a no */
};

struct asking {
	struct ui *u;
	struct ui_question q;
	const char *args;	/* of the call, or NULL */
	int stop;
	struct buf *lines;	/* messages sent */
	enum state state;
	bool handed;		/* a message waits, and keys answer */
	struct buf message;	/* it, while a reason is typed */
	long long quiet_from;	/* ms of the last key */
	struct buf row;		/* as it stands on the screen */
	bool done;
	struct ui_allow a;
};

/* ---- the row where it is answered ---- */

static void
row_text(const struct asking *k, struct buf *b)
{
	const struct ui *u = k->u;
	char *always;
	size_t room;

	if (k->state == SURE) {
		always = ui_question_always(&k->q);
		buf_adds(b, "always allow: ");
		term_escape(b, slice_of(always));
		buf_adds(b, "  (Enter)");
		free(always);
		return;
	}
	if (k->state == REASON)
		buf_adds(b, "no, because: ");
	else if (u->typed.len > 0 && !k->handed)
		buf_adds(b, "(Tab: to the question) > ");
	else
		buf_fmt(b, "allow this %s? ", k->q.name);
	if (k->state == KEYS && k->handed)
		return;
	room = ui_columns() - 1;
	ui_status_typed(u, room > b->len ? room - b->len : 1, b);
}

/* Take the row off the screen; one that took several stays, as on a terminal
 * that cannot take it back. */
static void
leave_row(struct asking *k)
{
	if (k->row.len == 0)
		return;
	if (k->u->dumb || term_width(buf_view(&k->row)) >= ui_columns()) {
		file_write_all(STDERR_FILENO, "\n", 1);
		k->u->status.shown = false;
	}
	ui_status_hide(k->u);
	buf_reset(&k->row);
}

static void
draw(struct asking *k)
{
	struct buf b = BUF_INIT(1 << 20);
	size_t had = k->row.len;

	row_text(k, &b);
	for (size_t i = 0; i < b.len; i++)
		if (b.p[i] == '\n' || b.p[i] == '\t')
			b.p[i] = ' ';
	if (!k->u->dumb || b.len < had ||
	    memcmp(b.p, buf_view(&k->row).p, had) != 0) {
		leave_row(k);
		had = 0;
	}
	ui_status_hide(k->u);
	file_write_all(STDERR_FILENO, b.p + had, b.len - had);
	k->u->status.shown = !k->u->dumb;
	buf_reset(&k->row);
	buf_slice(&k->row, buf_view(&b));
	buf_release(&b);
}

/* ---- what keys do ---- */

static void
ask_again(struct asking *k, const char *said)
{
	struct buf b = BUF_INIT(1 << 12);

	if (said != NULL) {
		buf_fmt(&b, "%s\n", said);
		ui_emit(k->u, b.p, b.len);
		buf_release(&b);
	}
	ui_question_show(k->u, &k->q, k->args != NULL);
	k->quiet_from = file_now_ms();
}

static void
view(struct asking *k)
{
	struct buf text = BUF_INIT((size_t)512 << 20);
	bool shown;

	ui_question_text(&k->q, &text);
	if (text.len > 0 && text.p[text.len - 1] != '\n')
		buf_addc(&text, '\n');
	leave_row(k);
	ui_keys_off(k->u);
	shown = ui_program_page(&text);
	if (!shown)
		file_write_all(STDERR_FILENO, text.p, text.len);
	ui_keys_on(k->u);
	buf_release(&text);
	ask_again(k, NULL);
}

static void
edit(struct asking *k)
{
	const char *why = NULL;

	leave_row(k);
	ui_keys_off(k->u);
	k->a.args = ui_program_edit(k->args, k->q.command != NULL, &why);
	ui_keys_on(k->u);
	if (k->a.args == NULL)
		ask_again(k, why);
	else
		k->a.yes = k->done = true;
}

/* The message being typed waits while a reason is. */
static void
begin_reason(struct asking *k)
{
	k->message = k->u->typed;
	k->u->typed = (struct buf){ 0 };
	k->state = REASON;
}

static void
end_reason(struct asking *k)
{
	buf_release(&k->u->typed);
	k->u->typed = k->message;
	k->message = (struct buf){ 0 };
	k->state = KEYS;
}

/* False: it answers nothing. */
static bool
answer(struct asking *k, char c)
{
	switch (c) {
	case 'y':
		k->a.yes = k->done = true;
		return true;
	case 'n':
		k->done = true;
		return true;
	case 'r':
		begin_reason(k);
		return true;
	case 'v':
		view(k);
		return true;
	case 'a':
		if (k->q.command == NULL && k->q.path == NULL)
			return false;
		k->state = SURE;
		return true;
	case 'e':
		if (k->args == NULL)
			return false;
		edit(k);
		return true;
	default:
		return false;
	}
}

static void
escape(struct asking *k, bool quiet)
{
	if (k->state == REASON)
		end_reason(k);
	else if (k->state == SURE)
		k->state = KEYS;
	else if (k->u->typed.len > 0 && !k->handed)
		buf_reset(&k->u->typed);
	else if (quiet)
		k->a.stop = k->done = true;
}

/* Enter, and nothing else, makes it always. */
static void
sure(struct asking *k, const char *p, size_t n)
{
	char *key;

	k->state = KEYS;
	if (n == 1 && (*p == '\n' || *p == '\r')) {
		key = ui_question_key(&k->q);
		*map_put(&k->u->always, slice_of(key), NULL) = 1;
		free(key);
		k->a.yes = k->a.session = k->done = true;
		return;
	}
	ui_keys(k->u, "a", 1, k->lines);	/* it began a message */
	ui_keys(k->u, p, n, k->lines);
}

/* An empty one is a plain no. */
static void
reason(struct asking *k, const char *p, size_t n)
{
	struct buf line = BUF_INIT(1 << 20);

	if (n == 1 && (*p == '\n' || *p == '\r') && k->u->typed.len == 0)
		k->done = true;
	else
		ui_keys(k->u, p, n, &line);
	if (line.len > 0) {
		k->a.reason = xstrdup(line.p);
		k->done = true;
	}
	buf_release(&line);
	if (k->done)
		end_reason(k);
}

/* A key, or several bytes that came at once: these are no key of ours. */
static void
take(struct asking *k, const char *p, size_t n)
{
	struct ui *u = k->u;
	long long now = file_now_ms();
	bool alone = n == 1 && u->nseq == 0 && !u->pasting;
	bool quiet = now - k->quiet_from >= QUIET_MS;

	k->quiet_from = now;
	if (alone && *p == ESC)
		escape(k, quiet);
	else if (k->state == REASON)
		reason(k, p, n);
	else if (k->state == SURE)
		sure(k, p, n);
	else if (alone && *p == '\t')
		k->handed = u->typed.len > 0 && !k->handed;
	else if (!alone || (u->typed.len > 0 && !k->handed) || !quiet ||
	    !answer(k, *p)) {
		k->handed = false;
		ui_keys(u, p, n, k->lines);
	}
	if (u->typed.len == 0)
		k->handed = false;
}

/* ---- the terminal ---- */

static bool
waits(int fd, int ms)
{
	struct pollfd p = { fd, POLLIN, 0 };

	return poll(&p, 1, ms) > 0;
}

/* What was typed before the question stood there. */
static void
take_early(struct asking *k)
{
	char part[4096];
	ssize_t n;

	while (waits(STDIN_FILENO, 0) &&
	    (n = read(STDIN_FILENO, part, sizeof part)) > 0)
		ui_keys_early(k->u, part, (size_t)n);
}

static void
read_keys(struct asking *k)
{
	char part[4096];
	ssize_t n = read(STDIN_FILENO, part, sizeof part), more = 0;

	if (n <= 0) {			/* nobody is there any more */
		k->a.stop = k->done = true;
		return;
	}
	/* the rest of what begins with ESC is there by then */
	if (n == 1 && part[0] == ESC && waits(STDIN_FILENO, ESC_MS))
		more = read(STDIN_FILENO, part + 1, sizeof part - 1);
	take(k, part, (size_t)(n + (more > 0 ? more : 0)));
}

static void
wait_for_answer(struct asking *k)
{
	while (!k->done) {
		struct pollfd p[3] = { { STDIN_FILENO, POLLIN, 0 },
			{ k->stop, POLLIN, 0 }, { k->u->job, POLLIN, 0 } };

		draw(k);
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents != 0)
			k->a.stop = k->done = true;
		else if (p[2].revents != 0)
			ui_job(k->u);
		else if (p[0].revents != 0)
			read_keys(k);
	}
}

/* The keys are the terminal's to give before anything is shown: what is typed
 * from here on can be told from what was typed before. */
static void
put_question(struct asking *k)
{
	bool raw = k->u->raw;

	ui_break(k->u);
	ui_status_hide(k->u);
	ui_keys_on(k->u);
	ui_question_show(k->u, &k->q, k->args != NULL);
	take_early(k);
	k->quiet_from = file_now_ms();
	wait_for_answer(k);
	leave_row(k);
	if (k->state == REASON)
		end_reason(k);
	if (!raw)
		ui_keys_off(k->u);
	ui_status_draw(k->u);
	buf_release(&k->row);
}

struct ui_allow
ui_ask(struct ui *u, const struct rec *ask, int stop, struct buf *lines)
{
	uint64_t *at = map_get(&u->calls, rec_get(ask, "tool_call_id"));
	struct asking k = { .u = u, .stop = stop, .lines = lines,
		.args = at != NULL && *at != 0 ? u->seen[*at - 1].args : NULL,
		.row = BUF_INIT(1 << 20) };
	char *key;

	ui_question_read(&k.q, ask);
	key = ui_question_key(&k.q);
	if (key != NULL && map_get(&u->always, slice_of(key)) != NULL)
		k.a.yes = k.a.session = true;
	else if (u->tty_err && isatty(STDIN_FILENO) == 1)
		put_question(&k);
	free(key);
	ui_question_release(&k.q);
	return k.a;
}

void
ui_ask_anew(struct ui *u)
{
	map_release(&u->always);
}
