/* html.c - what a page is made of: its head, text, a diff, a chart. */
#include <string.h>

#include "export.h"
#include "term.h"
#include "ui.h"

#define WIDTH 900
#define HEIGHT 140

static const char head[] =
"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
"style-src 'unsafe-inline'; img-src data:\">\n"
"<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
":root{color-scheme:light dark;--line:#8885;--soft:#8881;--bad:#c33;"
"--good:#293;--warn:#b70}\n"
"body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
"padding:0 1rem}\n"
"h1{font-size:1.3rem}dl{display:grid;grid-template-columns:max-content 1fr;"
"gap:.1rem 1rem}dt{opacity:.7}dd{margin:0}\n"
"pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);"
"padding:.6rem;margin:.4rem 0;font-size:13px;max-height:30rem;overflow:auto}\n"
"section{border-left:3px solid var(--line);padding-left:1rem;margin:1rem 0}\n"
"section.person{border-color:#47c}section.assistant{border-color:#777}\n"
"section.nudge{border-color:var(--warn)}h2{font-size:.85rem;opacity:.7;"
"margin:0}\n"
"details{margin:.3rem 0}summary{cursor:pointer;font-family:monospace;"
"overflow-wrap:anywhere}\n"
".error>summary{color:var(--bad)}.event{font-size:.9rem;margin:.4rem 0;"
"opacity:.85}\n"
".verdict{background:color-mix(in srgb,var(--warn) 20%,transparent);"
"padding:.3rem .6rem;margin:.4rem 0}\n"
".halt,.block{background:color-mix(in srgb,var(--bad) 20%,transparent)}\n"
".add{color:var(--good)}.del{color:var(--bad)}\n"
".chart{width:100%;background:var(--soft)}.chart rect{fill:#47c}"
".chart text{font-size:12px;fill:currentColor}"
".chart .epoch{stroke:var(--bad);stroke-dasharray:4 3}\n"
"figure{margin:1rem 0}figcaption{font-size:.85rem;opacity:.7}\n"
"</style>\n";

void
html_head(struct buf *out)
{
	buf_adds(out, head);
}

void
html_text(struct buf *out, const char *p, size_t n)
{
	struct buf safe = BUF_INIT(BUF_RECORD_MAX);

	term_escape(&safe, (struct slice){ p, n });
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

void
html_diff(struct buf *out, struct slice v)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *at;

	if (!scan_str(v, &b) || b.len == 0) {
		buf_release(&b);
		return;
	}
	buf_adds(out, "<pre>");
	for (at = b.p; *at != '\0'; ) {
		size_t n = strcspn(at, "\n");
		const char *class = *at == '+' ? "add" : *at == '-' ? "del" :
		    NULL;

		n += at[n] == '\n';
		if (class != NULL)
			buf_fmt(out, "<span class=\"%s\">", class);
		html_text(out, at, n);
		buf_adds(out, class != NULL ? "</span>" : "");
		at += n;
	}
	buf_adds(out, "</pre>\n");
	buf_release(&b);
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
