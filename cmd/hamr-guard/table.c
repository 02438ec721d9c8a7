/* table.c - lines for people: columns aligned by display width, and colour. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "table.h"
#include "term.h"

#define INDENT 2
#define GAP 2
#define STRETCH_MIN 12		/* columns a stretching column keeps */
#define STRETCH_MAX 60

static const char *const codes[] = { [PAINT_DIM] = "\033[2m",
	[PAINT_BOLD] = "\033[1m", [PAINT_GREEN] = "\033[32m",
	[PAINT_YELLOW] = "\033[33m", [PAINT_RED] = "\033[31m",
	[PAINT_STOP] = "\033[1;37;41m", [PAINT_CYAN] = "\033[36m",
	[PAINT_BLUE] = "\033[34m" };

void
sheet_init(struct sheet *o, struct rec_out *out)
{
	struct term t = term_of(STDOUT_FILENO);

	*o = (struct sheet){ .out = out, .colour = t.colour };
	if (t.tty)
		o->columns = t.columns;
}

void
sheet_paint(const struct sheet *o, struct buf *b, enum paint p,
    struct slice text)
{
	bool colour = o->colour && p != PAINT_NONE;

	if (colour)
		buf_adds(b, codes[p]);
	buf_slice(b, text);
	if (colour)
		buf_adds(b, "\033[0m");
}

static void
put_line(const struct sheet *o, enum paint p, struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&b, "");
	if (text.n > 0)
		sheet_paint(o, &b, p, text);
	rec_put(o->out, buf_view(&b));
	buf_release(&b);
}

void
sheet_line(const struct sheet *o, enum paint p, const char *fmt, ...)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), wrapped = text;
	struct slice line;
	va_list ap;
	size_t at = 0;

	va_start(ap, fmt);
	buf_vfmt(&text, fmt, ap);
	va_end(ap);
	line = buf_view(&text);
	if (o->columns == 0 || term_width(line) <= o->columns) {
		put_line(o, p, line);
	} else {
		term_wrap(&wrapped, line, 0, strspn(text.p, " "), o->columns);
		for (size_t n; at < wrapped.len; at += n + 1) {
			n = strcspn(wrapped.p + at, "\n");
			put_line(o, p, (struct slice){ wrapped.p + at, n });
		}
	}
	buf_release(&text);
	buf_release(&wrapped);
}

void
sheet_lines(const struct sheet *o, const struct buf *b)
{
	const char *p = b->p, *end = b->p + b->len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			nl = end;
		rec_put(o->out, (struct slice){ p, (size_t)(nl - p) });
		p = nl + 1;
	}
}

/* ---- tables ---- */

void
table_init(struct table *t, const char *align)
{
	*t = (struct table){ .align = align, .columns = strlen(align) };
}

void
table_text(struct table *t, enum paint p, struct slice text)
{
	t->cell = xgrow(t->cell, t->n, &t->cap, sizeof *t->cell);
	t->cell[t->n++] = (struct cell){ xmemdup0(text.p, text.n), p };
}

void
table_add(struct table *t, enum paint p, const char *fmt, ...)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	va_list ap;

	buf_adds(&b, "");
	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	table_text(t, p, buf_view(&b));
	buf_release(&b);
}

static bool
stretches(char align)
{
	return align == 's' || align == 'e';
}

static void
measure(const struct table *t, const struct sheet *o, size_t *width)
{
	size_t all = INDENT, stretch = t->columns;

	for (size_t i = 0; i < t->n; i++) {
		size_t w = term_width(slice_of(t->cell[i].text));
		size_t k = i % t->columns;

		if (stretches(t->align[k]) && w > STRETCH_MAX)
			w = STRETCH_MAX;
		if (w > width[k])
			width[k] = w;
	}
	for (size_t k = 0; k < t->columns; k++) {
		all += width[k] + (k > 0 ? GAP : 0);
		if (stretches(t->align[k]))
			stretch = k;
	}
	if (o->columns > 0 && all > o->columns && stretch < t->columns) {
		size_t over = all - o->columns, w = width[stretch];

		if (w > STRETCH_MIN)
			width[stretch] = w - STRETCH_MIN > over ? w - over :
			    STRETCH_MIN;
	}
}

static void
print_cell(const struct sheet *o, struct buf *line, const struct cell *c,
    char align, size_t width, bool last)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t used;

	buf_adds(&text, "");
	used = align == 'e' ? term_put_end(&text, slice_of(c->text), width) :
	    term_put(&text, slice_of(c->text), width);
	if (align == 'r')
		term_pad(line, width - used);
	if (text.len > 0)
		sheet_paint(o, line, c->paint, buf_view(&text));
	if (align != 'r' && !last)
		term_pad(line, width - used);
	buf_release(&text);
}

static void
print_row(const struct table *t, const struct sheet *o, const size_t *width,
    const struct cell *c)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	size_t end = t->columns;

	while (end > 1 && *c[end - 1].text == '\0')
		end--;
	term_pad(&line, INDENT);
	for (size_t k = 0; k < end; k++) {
		if (k > 0)
			term_pad(&line, GAP);
		print_cell(o, &line, &c[k], t->align[k], width[k],
		    k + 1 == end);
	}
	rec_put(o->out, buf_view(&line));
	buf_release(&line);
}

void
table_print(struct table *t, const struct sheet *o)
{
	size_t width[TABLE_COLUMNS] = { 0 };

	measure(t, o, width);
	for (size_t i = 0; i + t->columns <= t->n; i += t->columns)
		print_row(t, o, width, &t->cell[i]);
	table_release(t);
}

void
table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i].text);
	free(t->cell);
	t->cell = NULL;
	t->n = t->cap = 0;
}

/* ---- numbers ---- */

void
number_put(struct buf *b, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf_addc(b, ',');
		buf_addc(b, digits[i]);
	}
}

void
count_put(struct buf *b, uint64_t n, const char *one)
{
	number_put(b, n);
	buf_fmt(b, " %s%s", one, n == 1 ? "" : "s");
}
