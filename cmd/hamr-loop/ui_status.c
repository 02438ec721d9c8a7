/* ui_status.c - the one line at the bottom that says where a run stands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "term.h"
#include "ui_in.h"
#include "utf8.h"

#define GAUGE 10		/* cells */
#define TICK_MS 1000

void
ui_begin(struct ui *u, long long window)
{
	u->status = (struct ui_status){ .on = true, .begun = file_now_ms(),
		.window = window };
	u->streamed = false;
	ui_status_draw(u);
}

void
ui_rest(struct ui *u)
{
	ui_break(u);
	ui_status_hide(u);
	u->status.on = false;
}

void
ui_status_take(struct ui *u, const struct rec *r)
{
	struct ui_status *s = &u->status;
	struct slice cost = rec_get(r, "cost");
	int64_t in = 0, out = 0;

	if (r->kind == R_ASSISTANT)
		s->steps++;
	if (r->kind == R_START || r->kind == R_ASSISTANT || r->kind == R_TOOL)
		s->acting = r->kind == R_START;
	if (r->kind == R_LIMIT && rec_int(r, "context_tokens", &in) && in > 0 &&
	    (s->window == 0 || in < s->window))
		s->window = in;
	if (r->kind == R_USER || r->kind == R_TOOL || r->kind == R_ERROR)
		u->streamed = false;
	if (r->kind != R_USAGE)
		return;
	rec_int(r, "prompt_tokens", &in);
	rec_int(r, "completion_tokens", &out);
	s->tokens = in + out;
	if (scan_kind(cost) == SCAN_NUMBER)
		s->cost += strtod(cost.p, NULL);
}

void
ui_status_doing(struct ui *u, const char *what)
{
	size_t n = utf8_cut(what, strlen(what), sizeof u->status.doing - 1);

	memcpy(u->status.doing, what, n);
	u->status.doing[n] = '\0';
	if (!u->midline) {
		ui_status_hide(u);
		ui_status_draw(u);
	}
}

void
ui_status_hide(struct ui *u)
{
	if (!u->status.shown)
		return;
	u->status.shown = false;
	file_write_all(STDERR_FILENO, "\r\033[K", 4);
}

static void
thousands(struct buf *b, long long n)
{
	if (n < 1000)
		buf_fmt(b, "%lld", n);
	else
		buf_fmt(b, "%.1fk", (double)n / 1000);
}

static void
line_of(const struct ui *u, struct buf *b)
{
	const struct ui_status *s = &u->status;
	long long sec = (file_now_ms() - s->begun) / 1000;

	buf_fmt(b, "step %ld", s->steps + !s->acting);
	if (s->tokens > 0) {
		buf_adds(b, " | ");
		thousands(b, s->tokens);
		if (s->window > 0) {
			buf_adds(b, " of ");
			thousands(b, s->window);
			buf_adds(b, " [");
			for (int i = 0; i < GAUGE; i++)
				buf_addc(b, s->tokens * GAUGE >
				    s->window * i ? '#' : '-');
			buf_addc(b, ']');
		}
	}
	if (s->cost > 0)
		buf_fmt(b, " | $%.4f", s->cost);
	buf_fmt(b, " | %lld:%02lld", sec / 60, sec % 60);
	if (s->doing[0] != '\0') {
		buf_adds(b, " | ");
		term_escape(b, slice_of(s->doing));
	}
}

void
ui_status_typed(const struct ui *u, size_t columns, struct buf *out)
{
	struct buf safe = BUF_INIT((size_t)1 << 20);
	const char *p;
	size_t n;

	term_escape(&safe, buf_view(&u->typed));
	p = buf_view(&safe).p;
	n = safe.len;
	while (n > 0 && term_fits((struct slice){ p, n }, columns) < n) {
		size_t k = utf8_len((const unsigned char *)p, n);

		p += k != 0 ? k : 1;
		n -= k != 0 ? k : 1;
	}
	buf_add(out, p, n);
	buf_release(&safe);
}

void
ui_status_draw(struct ui *u)
{
	struct buf b = BUF_INIT((size_t)1 << 16), line =
	    BUF_INIT((size_t)1 << 17);
	size_t n;

	if (!u->live || !u->status.on || u->midline)
		return;
	line_of(u, &b);
	if (u->typed.len > 0) {
		buf_reset(&b);
		buf_fmt(&b, "step %ld > ", u->status.steps +
		    !u->status.acting);
		ui_status_typed(u, ui_columns() - 2 - b.len, &b);
	}
	for (size_t i = 0; i < b.len; i++)
		if (b.p[i] == '\n' || b.p[i] == '\t')
			b.p[i] = ' ';
	n = term_fits(buf_view(&b), ui_columns() - 1);
	buf_fmt(&line, "%s%.*s%s", u->color ? "\033[2m" : "", (int)n, b.p,
	    u->color ? "\033[0m" : "");
	u->status.shown = true;
	u->status.drawn = file_now_ms();
	file_write_all(STDERR_FILENO, line.p, line.len);
	buf_release(&b);
	buf_release(&line);
}

int
ui_tick(struct ui *u)
{
	long long left;

	if (!u->live || !u->status.on)
		return -1;
	left = u->status.drawn + TICK_MS - file_now_ms();
	if (left <= 0) {
		ui_status_hide(u);
		ui_status_draw(u);
		left = TICK_MS;
	}
	return (int)left;
}

/* ---- everything else that is written ---- */

void
ui_emit(struct ui *u, const char *p, size_t n)
{
	ui_status_hide(u);
	if (file_write_all(STDERR_FILENO, p, n) < 0)
		return;		/* nobody left to tell */
	if (!u->midline)
		ui_status_draw(u);
}

void
ui_break(struct ui *u)
{
	if (!u->midline)
		return;
	u->midline = false;
	ui_emit(u, "\n", 1);
}
