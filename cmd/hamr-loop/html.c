/* html.c - text and a chart as HTML. */
#include "export.h"
#include "ui.h"

#define WIDTH 900
#define HEIGHT 140

void
html_text(struct buf *out, const char *p, size_t n)
{
	struct buf safe = BUF_INIT(BUF_RECORD_MAX);

	ui_safe(&safe, p, n);	/* no control bytes, no overrides */
	for (size_t i = 0; i < safe.len; i++)
		switch (safe.p[i]) {
		case '&': buf_adds(out, "&amp;"); break;
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		case '\'': buf_adds(out, "&#39;"); break;
		default: buf_addc(out, safe.p[i]);
		}
	buf_release(&safe);
}

static long long
most(const struct chart *c)
{
	long long max = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->tokens[i] > max)
			max = c->tokens[i];
	return max;
}

void
html_chart(const struct chart *c, struct buf *out)
{
	long long max = most(c);
	double step = c->n > 0 ? (double)WIDTH / (double)c->n : WIDTH;

	if (max == 0)
		return;
	buf_fmt(out, "<figure><svg class=\"chart\" viewBox=\"0 0 %d %d\" "
	    "role=\"img\" aria-label=\"tokens of each request\">\n", WIDTH,
	    HEIGHT + 20);
	for (size_t i = 0; i < c->n; i++) {
		double h = (double)c->tokens[i] / (double)max * HEIGHT;
		double x = (double)i * step;

		if (c->compacted[i])
			buf_fmt(out, "<line class=\"epoch\" x1=\"%.1f\" "
			    "y1=\"0\" x2=\"%.1f\" y2=\"%d\"><title>compacted "
			    "before step %zu</title></line>\n", x, x, HEIGHT,
			    i + 1);
		buf_fmt(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		    "height=\"%.1f\"><title>step %zu: %lld tokens</title>"
		    "</rect>\n", x, HEIGHT - h, step > 2 ? step - 1 : step, h,
		    i + 1, c->tokens[i]);
	}
	buf_fmt(out, "<text x=\"0\" y=\"%d\">step 1</text><text x=\"%d\" "
	    "y=\"%d\" text-anchor=\"end\">step %zu</text>\n</svg>"
	    "<figcaption>Tokens of each request, %lld at most; dashed lines: "
	    "compacted</figcaption></figure>\n", HEIGHT + 15, WIDTH,
	    HEIGHT + 15, c->n, max);
}
