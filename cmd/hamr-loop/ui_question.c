/* ui_question.c - what a person is asked: the call, its size, all of it or as
 * much as the screen holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mem.h"
#include "term.h"
#include "ui_in.h"

#define TEXT_MAX ((size_t)512 << 20)
#define ROWS_BESIDE 8		/* for the call, the keys, the answer */
#define ROWS_LEAST 4

void
ui_question_read(struct ui_question *q, const struct rec *ask)
{
	*q = (struct ui_question){ .name = rec_strdup(ask, "name"),
		.path = rec_strdup(ask, "path"),
		.diff = rec_strdup(ask, "diff"),
		.command = rec_strdup(ask, "command"),
		.args = rec_strdup(ask, "arguments"),
		.why = rec_strdup(ask, "why"),
		.made = scan_true(rec_get(ask, "new")) };
	if (!rec_int(ask, "lines", &q->lines))
		q->lines = -1;
	if (q->name == NULL)
		q->name = xstrdup("call");
}

void
ui_question_release(struct ui_question *q)
{
	free(q->name);
	free(q->path);
	free(q->diff);
	free(q->command);
	free(q->args);
	free(q->why);
}

char *
ui_question_always(const struct ui_question *q)
{
	return q->command != NULL ? xstrdup(q->command) : q->path != NULL ?
	    xasprintf("edit and write %s", q->path) : NULL;
}

char *
ui_question_key(const struct ui_question *q)
{
	return q->command != NULL ? xasprintf("command %s", q->command) :
	    q->path != NULL ? xasprintf("path %s", q->path) : NULL;
}

/* All of what would be done, one of these. */
static const char *
body(const struct ui_question *q)
{
	return q->diff != NULL ? q->diff : q->command != NULL ? q->command :
	    q->args != NULL ? q->args : "";
}

void
ui_question_text(const struct ui_question *q, struct buf *out)
{
	term_escape(out, slice_of(body(q)));
}

/* 3,012 */
static void
add_number(struct buf *b, long long n)
{
	if (n >= 1000) {
		add_number(b, n / 1000);
		buf_fmt(b, ",%03lld", n % 1000);
	} else {
		buf_fmt(b, "%lld", n);
	}
}

static void
add_lines(struct buf *b, long long n)
{
	add_number(b, n);
	buf_adds(b, n == 1 ? " line" : " lines");
}

static void
add_head(const struct ui *u, const struct ui_question *q, struct buf *b)
{
	buf_adds(b, u->color ? "\033[1m" : "");
	term_put(b, slice_of(q->name), SIZE_MAX);
	if (q->path != NULL) {
		buf_addc(b, ' ');
		term_put(b, slice_of(q->path), SIZE_MAX);
	}
	buf_adds(b, u->color ? "\033[0m" : "");
	if (q->lines >= 0) {
		buf_adds(b, "  ");
		add_lines(b, q->lines);
	}
	buf_adds(b, q->made ? ", new" : "");
	if (q->why != NULL) {
		buf_adds(b, u->color ? "\033[2m  (" : "  (");
		term_put(b, slice_of(q->why), SIZE_MAX);
		buf_adds(b, u->color ? ")\033[0m" : ")");
	}
	buf_addc(b, '\n');
}

static size_t
screen_rows(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 ?
	    w.ws_row : 24;
}

/* Rows a line of safe text takes; a tab at its widest. */
static size_t
rows_of(struct slice line, size_t columns)
{
	size_t w = term_width(line);

	for (size_t i = 0; i < line.n; i++)
		w += line.p[i] == '\t' ? 7 : 0;
	return w == 0 ? 1 : (w + columns - 1) / columns;
}

static void
add_line(const struct ui *u, const struct ui_question *q, struct slice line,
    struct buf *b)
{
	const char *on = q->diff == NULL || !u->color ? "" :
	    slice_starts(line, "+") ? "\033[32m" :
	    slice_starts(line, "-") ? "\033[31m" : "\033[2m";

	buf_adds(b, on);
	buf_slice(b, line);
	buf_adds(b, *on != '\0' ? "\033[0m\n" : "\n");
}

/* As many of its lines as there is room for; of one that is longer than that,
 * its beginning. */
static void
add_body(const struct ui *u, struct ui_question *q, struct buf *b)
{
	size_t rows = screen_rows(), columns = ui_columns();
	struct buf text = BUF_INIT(TEXT_MAX);
	struct slice rest;

	rows = rows > ROWS_BESIDE + ROWS_LEAST ? rows - ROWS_BESIDE :
	    ROWS_LEAST;
	ui_question_text(q, &text);
	rest = buf_view(&text);
	q->hidden = 0;
	while (rest.n > 0) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		struct slice line = { rest.p, lf != NULL ?
		    (size_t)(lf - rest.p) : rest.n };
		size_t takes = rows_of(line, columns);

		rest.p += line.n + (lf != NULL);
		rest.n -= line.n + (lf != NULL);
		if (takes > rows) {
			line.n = term_fits(line, rows * columns);
			q->hidden++;
			takes = rows;
		}
		rows -= takes;
		if (takes > 0)
			add_line(u, q, line, b);
	}
	buf_release(&text);
}

static void
add_keys(const struct ui *u, const struct ui_question *q, bool can_edit,
    struct buf *b)
{
	struct buf keys = BUF_INIT(1 << 12);

	buf_adds(&keys, "y yes");
	if (q->hidden > 0) {
		buf_adds(&keys, ", with ");
		add_lines(&keys, (long long)q->hidden);
		buf_adds(&keys, " not shown;  v view all");
	} else {
		buf_adds(&keys, ";  v view");
	}
	if (q->command != NULL || q->path != NULL)
		buf_adds(&keys, ";  a always in this session");
	buf_adds(&keys, ";  n no;  r no, for a reason");
	buf_adds(&keys, can_edit ? ";  e edit first" : "");
	buf_adds(&keys, ";  Esc no, and stop");
	buf_adds(b, u->color ? "\033[2m" : "");
	term_wrap(b, buf_view(&keys), 0, 0, ui_columns());
	b->len--;
	buf_adds(b, u->color ? "\033[0m\n" : "\n");
	buf_release(&keys);
}

void
ui_question_show(struct ui *u, struct ui_question *q, bool can_edit)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	add_head(u, q, &b);
	add_body(u, q, &b);
	add_keys(u, q, can_edit, &b);
	ui_break(u);
	ui_emit(u, b.p, b.len);
	ui_status_hide(u);
	buf_release(&b);
}
