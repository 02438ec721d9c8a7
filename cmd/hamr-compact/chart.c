/* chart.c - the size of the requests over the steps, drawn with characters. */
#include <string.h>

#include "report.h"

#define LABEL 7			/* columns of the scale */
#define ROWS_ONE 8		/* of a chart for one window */
#define ROWS_EACH 4		/* of each of several */

/* What one column stands for. */
struct column {
	long tokens;		/* the largest request */
	bool epoch, closed;
};

static struct column
column_at(const struct lane *l, size_t i, size_t width)
{
	size_t from = l->n > width ? i * l->n / width : i;
	size_t to = l->n > width ? (i + 1) * l->n / width : i + 1;
	struct column c = { 0 };

	for (size_t k = from; k < to; k++) {
		if (l->steps[k].tokens > c.tokens)
			c.tokens = l->steps[k].tokens;
		c.epoch |= l->steps[k].epoch;
		c.closed |= l->steps[k].closed;
	}
	return c;
}

/* How full a cell is, in 1/8, of a column this high. */
static int
fill(long tokens, long top, int rows, int row)
{
	long eighths = top > 0 ? (tokens * rows * 8 + top / 2) / top : 0;

	if (tokens > 0 && eighths == 0)
		eighths = 1;
	eighths -= (long)row * 8;
	return eighths < 0 ? 0 : eighths > 8 ? 8 : (int)eighths;
}

static const char *
cell(const struct screen *t, int eighths)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅",
		"▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ".", ".", ":", ":",
		":", "#", "#" };

	return t->utf8 ? blocks[eighths] : ascii[eighths];
}

/* Blanks at the end of a line say nothing. */
static void
end_line(struct buf *out, size_t start)
{
	while (out->len > start && out->p[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

static void
put_line(const struct lane *l, const struct screen *t, long top, int rows,
    int row, size_t width, struct buf *out)
{
	size_t start = out->len;
	char label[16] = "";

	if (row == rows - 1)
		report_number((double)top, label);
	else if (rows > 4 && row == rows / 2 - 1)
		report_number((double)top / 2, label);
	buf_fmt(out, "%*s %s", LABEL - 2, label, t->utf8 ? "│" : "|");
	for (size_t i = 0; i < width; i++)
		buf_adds(out, cell(t, fill(column_at(l, i, width).tokens, top,
		    rows, row)));
	end_line(out, start);
}

/* The floor, with epochs (^) and steps where nothing fitted (!). */
static void
put_floor(const struct lane *l, const struct screen *t, size_t width,
    struct buf *out)
{
	buf_fmt(out, "%*s %s", LABEL - 2, "0", t->utf8 ? "└" : "+");
	for (size_t i = 0; i < width; i++) {
		struct column c = column_at(l, i, width);
		const char *mark = c.closed ? "!" : c.epoch ? "^" :
		    t->utf8 ? "─" : "-";

		if (t->colour && (c.closed || c.epoch))
			buf_fmt(out, "\033[%sm%s\033[m", c.closed ? "31" :
			    "33", mark);
		else
			buf_adds(out, mark);
	}
	buf_addc(out, '\n');
}

static void
put_chart(const struct replay *r, const struct screen *t, size_t w, int rows,
    struct buf *out)
{
	const struct lane *l = &r->ours[w];
	size_t width = (size_t)t->width - LABEL;
	long room = seam_room(&l->seam), top = room > 0 ? room : l->largest;
	char window[48];

	if (width > l->n)
		width = l->n;
	buf_adds(out, "\n");
	report_window(r->windows[w], window);
	if (r->windows[w] > 0)
		buf_fmt(out, "%*s  window %s\n", LABEL - 2, "", window);
	for (int row = rows - 1; row >= 0; row--)
		put_line(l, t, top, rows, row, width, out);
	put_floor(l, t, width, out);
}

void
report_chart(const struct replay *r, const struct screen *t, struct buf *out)
{
	char last[32];
	size_t width;

	if (r->steps == 0)
		return;
	buf_adds(out, "\nrequest size over the steps, ^ epoch, ! nothing fits\n");
	for (size_t w = 0; w < r->nwindows; w++)
		put_chart(r, t, w, r->nwindows == 1 ? ROWS_ONE : ROWS_EACH,
		    out);
	width = (size_t)t->width - LABEL < r->steps ?
	    (size_t)t->width - LABEL : r->steps;
	snprintf(last, sizeof last, "%zu", r->steps);
	buf_fmt(out, "%*s1", LABEL, "");
	if (width > strlen(last) + 1)
		buf_fmt(out, "%*s", (int)width - 1, last);
	buf_addc(out, '\n');
}
