/* ui.c - what a person and a program see of a run. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "file.h"
#include "mem.h"
#include "msg.h"
#include "ui.h"
#include "utf8.h"

#define LINE_MAX_SHOWN 100	/* bytes of a call's arguments on its line */

void
ui_init(struct ui *u, bool json, bool quiet)
{
	const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");

	*u = (struct ui){ .json = json, .quiet = quiet };
	u->tty_out = isatty(STDOUT_FILENO) == 1;
	u->tty_err = isatty(STDERR_FILENO) == 1;
	u->color = u->tty_err && (plain == NULL || plain[0] == '\0') &&
	    term != NULL && strcmp(term, "dumb") != 0;
	buf_init(&u->out, 4 * BUF_RECORD_MAX);
}

void
ui_release(struct ui *u)
{
	for (size_t i = 0; i < u->nwhat; i++)
		free(u->what[i]);
	free(u->what);
	map_release(&u->calls);
	buf_release(&u->out);
}

/* ---- text from a model or a tool, made harmless ---- */

static unsigned long
code_point(const unsigned char *p, size_t k)
{
	if (k == 1)
		return p[0];
	if (k == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	if (k == 3)
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		    (p[2] & 0x3fu);
	return (p[0] & 0x07ul) << 18 | (p[1] & 0x3ful) << 12 |
	    (p[2] & 0x3ful) << 6 | (p[3] & 0x3ful);
}

static bool
is_harmless(unsigned long c)
{
	if (c == '\n' || c == '\t')
		return true;
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;		/* C0, DEL, C1 */
	if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	    c == 0x200e || c == 0x200f || c == 0x061c)
		return false;		/* bidirectional controls */
	return !(c >= 0xe0000 && c <= 0xe007f);	/* invisible tags */
}

void
ui_safe(struct buf *out, const char *p, size_t n)
{
	while (n > 0) {
		size_t k = utf8_len((const unsigned char *)p, n);
		unsigned long c = k != 0 ?
		    code_point((const unsigned char *)p, k) :
		    (unsigned char)*p;

		if (k != 0 && is_harmless(c))
			buf_add(out, p, k);
		else if (c < 0x100)
			buf_fmt(out, "\\x%02lx", c);
		else
			buf_fmt(out, "\\u{%lx}", c);
		p += k != 0 ? k : 1;
		n -= k != 0 ? k : 1;
	}
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

static void
json_line(struct ui *u, const struct rec *r)
{
	buf_slice(&u->out, r->line);
	buf_addc(&u->out, '\n');
	ui_pump(u);
}

void
ui_answer(struct ui *u, const char *text)
{
	size_t n = strlen(text);

	if (u->json || n == 0)
		return;
	if (u->tty_out)
		ui_safe(&u->out, text, n);
	else
		buf_add(&u->out, text, n);
	if (text[n - 1] != '\n')
		buf_addc(&u->out, '\n');
	ui_flush(u);
}

/* ---- stderr ---- */

static void
emit(const char *p, size_t n)
{
	if (file_write_all(STDERR_FILENO, p, n) < 0)
		return;		/* nobody left to tell */
}

static bool
silent(const struct ui *u)
{
	return u->quiet || u->json;
}

void
ui_note(struct ui *u, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(4 * BUF_RECORD_MAX);
	va_list ap;

	if (silent(u))
		return;
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	if (u->color)
		buf_adds(&b, "\033[2m");
	ui_safe(&b, buf_view(&raw).p, raw.len);
	buf_adds(&b, u->color ? "\033[0m\n" : "\n");
	emit(b.p, b.len);
	buf_release(&raw);
	buf_release(&b);
}

/* The one argument that tells a call from its neighbours. */
static void
short_args(struct slice args, struct buf *out)
{
	static const char *const telling[] = { "command", "path", "query",
		"file_path", "fact" };
	struct buf text = BUF_INIT(BUF_RECORD_MAX), v = BUF_INIT(1 << 20);
	struct scan s = { 0 };
	struct slice got = { NULL, 0 };
	size_t n;

	scan_str(args, &text);
	if (scan_record(&s, buf_view(&text).p, text.len) == 0)
		for (size_t i = 0; got.p == NULL && i < 5; i++) {
			struct slice whole = buf_view(&text);

			got = scan_get(whole, telling[i]);
		}
	if (scan_str(got, &v)) {
		n = utf8_cut(v.p, v.len, LINE_MAX_SHOWN);
		for (size_t i = 0; i < n; i++)
			if (v.p[i] == '\n')
				v.p[i] = ' ';
		buf_add(out, v.p, n);
		if (n < v.len)
			buf_adds(out, "...");
	}
	buf_release(&text);
	buf_release(&v);
	scan_release(&s);
}

static void
remember_calls(struct ui *u, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct walk w;
	struct call c;

	if (scan_kind(calls) != SCAN_ARRAY)
		return;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c)) {
		struct buf b = BUF_INIT(1 << 20);

		scan_str(c.name, &b);
		buf_addc(&b, ' ');
		short_args(c.args, &b);
		u->what = xgrow(u->what, u->nwhat, &u->capwhat,
		    sizeof *u->what);
		u->what[u->nwhat++] = buf_detach(&b);
		*map_put(&u->calls, c.id.p != NULL ? c.id : SLICE(""), NULL) =
		    u->nwhat;
	}
}

static void
show_result(struct ui *u, const struct rec *r)
{
	struct slice id = rec_get(r, "tool_call_id");
	struct buf first = BUF_INIT(BUF_RECORD_MAX);
	uint64_t *at = map_get(&u->calls, id);
	int64_t ms = 0;
	size_t n;

	msg_text(rec_get(r, "content"), &first);
	n = strcspn(buf_view(&first).p, "\n");
	n = utf8_cut(buf_view(&first).p, n, LINE_MAX_SHOWN);
	scan_int(msg_meta(r, "ms"), &ms);
	ui_note(u, "  %s -> %.*s (%lld.%02lld s)",
	    at != NULL && *at != 0 ? u->what[*at - 1] : "?", (int)n,
	    buf_view(&first).p, (long long)ms / 1000,
	    (long long)ms / 10 % 100);
	buf_release(&first);
}

static void
show_text(struct ui *u, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	/* the last answer goes to stdout; what comes with calls only here */
	if (msg_count_calls(rec_get(r, "tool_calls")) > 0 &&
	    msg_text(rec_get(r, "content"), &b) && b.len > 0)
		ui_note(u, "%s", b.p);
	buf_release(&b);
}

void
ui_committed(struct ui *u, const struct rec *r)
{
	char *a, *b;

	if (u->json) {
		json_line(u, r);
		return;
	}
	if (u->quiet)
		return;
	switch (r->kind) {
	case R_ASSISTANT:
		show_text(u, r);
		remember_calls(u, r);
		break;
	case R_TOOL:
		show_result(u, r);
		break;
	case R_VERDICT:
	case R_ERROR:
		a = rec_strdup(r, r->kind == R_VERDICT ? "action" : "code");
		b = rec_strdup(r, r->kind == R_VERDICT ? "rule" : "message");
		ui_note(u, "  %s %s: %s", r->kind == R_VERDICT ? "guard" :
		    "error", a != NULL ? a : "?", b != NULL ? b : "");
		free(a);
		free(b);
		break;
	default:
		break;
	}
}

void
ui_passing(struct ui *u, const struct rec *r)
{
	char *text;

	if (u->json) {
		json_line(u, r);
		return;
	}
	if (r->kind != R_PROGRESS)
		return;
	text = rec_strdup(r, "message");
	if (text == NULL)
		text = rec_strdup(r, "text");
	if (text != NULL)
		ui_note(u, "  %s", text);
	free(text);
}

/* ---- asking a person ---- */

/* A line from the terminal that begins with y. */
static bool
says_yes(int tty, int stop)
{
	struct pollfd p[2] = { { tty, POLLIN, 0 }, { stop, POLLIN, 0 } };
	char line[64];
	ssize_t n;

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents != 0 || p[0].revents == 0)
		return false;
	n = read(tty, line, sizeof line);
	return n > 0 && (line[0] == 'y' || line[0] == 'Y');
}

bool
ui_ask(struct ui *u, const struct rec *ask, int stop)
{
	static const char *const shown[] = { "diff", "command",
		"arguments", "name" };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool yes = false;
	int tty;

	/* somebody must be there to see it and to answer */
	tty = u->tty_err && isatty(STDIN_FILENO) == 1 ?
	    open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1;
	if (tty < 0)
		return false;
	for (size_t i = 0; i < 4; i++) {
		char *text = rec_strdup(ask, shown[i]);

		if (text != NULL && i == 3)
			buf_adds(&b, "allow this ");
		if (text != NULL)
			ui_safe(&b, text, strlen(text));
		if (text != NULL && i < 3)
			buf_addc(&b, '\n');
		free(text);
	}
	buf_adds(&b, "? [y/n] ");
	if (file_write_all(tty, b.p, b.len) == 0)
		yes = says_yes(tty, stop);
	close(tty);
	buf_release(&b);
	return yes;
}
