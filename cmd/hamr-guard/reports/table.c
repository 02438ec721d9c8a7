/* table.c - lines for people: columns aligned by display width, and colour. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "table.h"
#include "term/term.h"

#define INDENT 2
#define GAP 2
#define STRETCH_MIN 12		/* columns a stretching column keeps */
#define STRETCH_MAX 60

/* ---- lines ---- */

void
sheet_paint(const struct sheet *o, struct buf *b, enum paint p,
    struct slice text)
{
	static const char *const codes[] = { [PAINT_DIM] = "2",
		[PAINT_BOLD] = "1", [PAINT_GREEN] = "32",
		[PAINT_YELLOW] = "33", [PAINT_RED] = "31",
		[PAINT_STOP] = "1;37;41", [PAINT_CYAN] = "36",
		[PAINT_BLUE] = "34" };
	bool colour = o->colour && p != PAINT_NONE && text.n > 0;

	if (colour)
		buf_fmt(b, "\033[%sm", codes[p]);
	buf_slice(b, text);
	if (colour)
		buf_adds(b, "\033[0m");
}

void
sheet_line(const struct sheet *o, enum paint p, const char *fmt, ...)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX), wrapped = text, b = text;
	struct slice line;
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&text, fmt, ap);
	va_end(ap);
	struct slice rest = buf_view(&text);
	if (term_width(rest) > o->columns) {
		term_wrap(&wrapped, rest, 0, strspn(text.p, " "), o->columns);
		rest = buf_view(&wrapped);
	}
	do {
		line = rest;
		slice_line(&rest, &line);
		buf_reset(&b);
		sheet_paint(o, &b, p, line);
		rec_put(o->out, buf_view(&b));
	} while (rest.n > 0);
	bufs_release(BUFS(&text, &wrapped, &b));
}

void
count_put(struct buf *b, uint64_t n, const char *one)
{
	buf_fmt(b, "%s%s %s%s", b->len > 0 && b->p[b->len - 1] != ' ' ?
	    ", " : "", num_grouped((int64_t)n).s, one, n == 1 ? "" : "s");
}

/* ---- tables ---- */

void
table_init(struct table *t, const char *align, const char *names)
{
	*t = (struct table){ .align = align, .columns = strlen(align) };
	for (size_t i = 0; i < t->columns; i++) {
		size_t n = strcspn(names, "\t");

		table_text(t, PAINT_DIM, (struct slice){ names, n });
		names += n + (names[n] == '\t');
	}
}

void
table_text(struct table *t, enum paint p, struct slice text)
{
	GROW(t->cell, t->n, t->cap);
	t->cell[t->n++] = (struct cell){ xmemdup0(text.p, text.n), p };
}

void
table_add(struct table *t, enum paint p, const char *fmt, ...)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	table_text(t, p, buf_view(&b));
	buf_release(&b);
}

void
table_number(struct table *t, enum paint p, uint64_t n)
{
	table_add(t, p, "%s", num_grouped((int64_t)n).s);
}

static bool
stretches(char align)
{
	return align == 's' || align == 'e';
}

void
table_print(struct table *t, const struct sheet *o)
{
	size_t width[TABLE_COLUMNS] = { 0 };
	size_t all = INDENT, stretch = t->columns;
	struct buf line = BUF_INIT(BUF_RECORD_MAX), text = line;

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
	if (all > o->columns && stretch < t->columns) {
		size_t over = all - o->columns, w = width[stretch];

		if (w > STRETCH_MIN)
			width[stretch] = w - STRETCH_MIN > over ? w - over :
			    STRETCH_MIN;
	}
	for (size_t i = 0; i + t->columns <= t->n; i += t->columns) {
		const struct cell *c = &t->cell[i];
		size_t end = t->columns;

		while (end > 1 && *c[end - 1].text == '\0')
			end--;
		buf_reset(&line);
		term_pad(&line, INDENT);
		for (size_t k = 0; k < end; k++) {
			struct slice cell = slice_of(c[k].text);
			bool right = t->align[k] == 'r';
			size_t rest = width[k];

			buf_reset(&text);
			rest -= t->align[k] == 'e' ?
			    term_put_end(&text, cell, rest) :
			    term_put(&text, cell, rest);
			term_pad(&line, (k > 0 ? GAP : 0) + (right ? rest : 0));
			sheet_paint(o, &line, c[k].paint, buf_view(&text));
			if (!right && k + 1 < end)
				term_pad(&line, rest);
		}
		rec_put(o->out, buf_view(&line));
	}
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i].text);
	free(t->cell);
	*t = (struct table){ .n = 0 };
	bufs_release(BUFS(&line, &text));
}
