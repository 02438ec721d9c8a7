/* svg.c - the report as one picture that needs nothing else: no script, no
 * font, no link; what comes from a transcript is escaped.
 */
#include <string.h>

#include "report.h"

#define WIDTH 960
#define LEFT 64			/* of the plot */
#define PLOT 872		/* its width */
#define HIGH 130		/* its height */
#define HEAD 44			/* a picture's title */
#define PANEL (HIGH + 58)	/* a plot with its words */
#define TITLE_COLUMNS 60

/* ---- words ---- */

static void
put_escaped(struct buf *out, struct slice text)
{
	static const struct screen any = { .width = WIDTH, .utf8 = true };
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);

	screen_text(&any, text, TITLE_COLUMNS, &clean);
	for (size_t i = 0; i < clean.len; i++)
		switch (clean.p[i]) {
		case '&': buf_adds(out, "&amp;"); break;
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		case '\'': buf_adds(out, "&#39;"); break;
		default: buf_addc(out, clean.p[i]);
		}
	buf_release(&clean);
}

static void
open_text(struct buf *out, long x, long y, const char *class)
{
	buf_fmt(out, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">", x, y, class);
}

static void
put_figure(struct buf *out, const char *before, double v)
{
	char text[16];

	report_number(v, text);
	buf_fmt(out, "%s%s", before, text);
}

static void
put_share(struct buf *out, const char *before, double percent)
{
	if (percent >= 0)
		buf_fmt(out, "%s%d %%", before, (int)(percent + 1e-9));
}

static void
put_words(const struct replay *r, size_t w, long y, struct buf *out)
{
	const struct lane *l = &r->ours[w];
	char window[48];

	report_window(r->windows[w], window);
	open_text(out, LEFT, y, "b");
	if (r->windows[w] > 0)
		buf_fmt(out, "window %s", window);
	else
		buf_adds(out, "no limit");
	buf_adds(out, "</text>\n");
	open_text(out, LEFT + 160, y, "w");
	buf_fmt(out, "%s: ", seam_strategy(&l->seam));
	put_figure(out, "mean ", lane_mean(l));
	put_figure(out, ", largest ", (double)l->largest);
	put_figure(out, ", fresh ", (double)l->fresh / 64);
	buf_fmt(out, ", reuse %.1f %%, %zu epochs", (double)(long)
	    (lane_reuse(l) * 10 + 1e-9) / 10, l->epochs);
	put_share(out, ", edit support ", kept_percent_edits(&l->kept));
	if (l->closed > 0)
		buf_fmt(out, ", no request at %zu steps", l->closed);
	buf_adds(out, "</text>\n");
}

/* ---- the plot ---- */

struct plot {
	const struct lane *l;
	long top, y;		/* tokens at the top; y of the top */
};

static long
x_of(const struct plot *p, size_t i)
{
	return LEFT + (long)((double)PLOT * ((double)i + 0.5) /
	    (double)p->l->n);
}

static long
y_of(const struct plot *p, long tokens)
{
	if (tokens > p->top)
		tokens = p->top;
	return p->y + HIGH - (p->top > 0 ? (long)((double)HIGH *
	    (double)tokens / (double)p->top) : 0);
}

/* A line through all requests; where there is none it breaks. */
static void
put_curve(const struct plot *p, const struct lane *l, const char *class,
    struct buf *out)
{
	bool pen = false;

	buf_fmt(out, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < l->n; i++) {
		if (l->steps[i].tokens > 0)
			buf_fmt(out, "%s%ld %ld", pen ? "L" : "M", x_of(p, i),
			    y_of(p, l->steps[i].tokens));
		pen = l->steps[i].tokens > 0;
	}
	buf_adds(out, "\"/>\n");
}

static void
put_area(const struct plot *p, struct buf *out)
{
	buf_fmt(out, "<path class=\"area\" d=\"M%ld %ld", x_of(p, 0),
	    p->y + HIGH);
	for (size_t i = 0; i < p->l->n; i++)
		buf_fmt(out, "L%ld %ld", x_of(p, i),
		    y_of(p, p->l->steps[i].tokens));
	buf_fmt(out, "L%ld %ldZ\"/>\n", x_of(p, p->l->n - 1), p->y + HIGH);
}

static void
put_marks(const struct plot *p, struct buf *out)
{
	for (size_t i = 0; i < p->l->n; i++) {
		const struct step *s = &p->l->steps[i];

		if (!s->epoch && !s->closed)
			continue;
		buf_fmt(out, "<line class=\"%s\" x1=\"%ld\" x2=\"%ld\" "
		    "y1=\"%ld\" y2=\"%ld\"><title>step %zu: %s</title></line>"
		    "\n", s->closed ? "closed" : "epoch", x_of(p, i),
		    x_of(p, i), p->y, p->y + HIGH + 4, i + 1, s->closed ?
		    "nothing fits" : "epoch");
	}
}

static void
put_level(const struct plot *p, long tokens, const char *class,
    struct buf *out)
{
	long y = y_of(p, tokens);

	buf_fmt(out, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%ld\" "
	    "y2=\"%ld\"/>\n", class, LEFT, LEFT + PLOT, y, y);
	open_text(out, LEFT - 6, y + 4, "n");
	put_figure(out, "", (double)tokens);
	buf_adds(out, "</text>\n");
}

static void
put_panel(const struct replay *r, size_t w, long y, struct buf *out)
{
	const struct lane *l = &r->ours[w];
	long room = seam_room(&l->seam), high = seam_high(&l->seam);
	struct plot p = { l, room > 0 ? room : r->rules[0].largest, y + 22 };

	put_words(r, w, y + 12, out);
	put_level(&p, 0, "axis", out);
	put_level(&p, p.top, "room", out);
	if (room > 0 && high > 0 && high < room)
		put_level(&p, high, "mark", out);
	if (l->n == 0)
		return;
	put_area(&p, out);
	put_curve(&p, &r->rules[0], "raw", out);
	put_curve(&p, l, "ours", out);
	put_marks(&p, out);
	open_text(out, LEFT, p.y + HIGH + 16, "w");
	buf_adds(out, "step 1</text>\n");
	open_text(out, LEFT + PLOT, p.y + HIGH + 16, "n");
	buf_fmt(out, "%zu</text>\n", l->n);
}

void
svg_picture(const struct replay *r, long *y, struct buf *out)
{
	char text[16];

	open_text(out, 16, *y + 24, "h");
	if (r->title != NULL && r->title[0] != '\0')
		put_escaped(out, slice_of(r->title));
	else
		buf_adds(out, "transcript");
	report_number((double)r->plain.sum / 64, text);
	buf_fmt(out, ": %zu requests, %zu messages, %s tokens</text>\n",
	    r->steps, r->messages, text);
	*y += HEAD;
	for (size_t w = 0; w < r->nwindows; w++) {
		put_panel(r, w, *y, out);
		*y += PANEL;
	}
}

void
svg_document(struct slice pictures, long height, struct buf *out)
{
	static const char style[] =
"text{font:12px sans-serif;fill:#222}.h{font-size:15px;font-weight:bold}\n"
".b{font-weight:bold}.n{text-anchor:end}.area{fill:#4a7fb5;opacity:.25}\n"
".ours{fill:none;stroke:#245a94;stroke-width:1.5}\n"
".raw{fill:none;stroke:#999;stroke-dasharray:2 2}.axis{stroke:#666}\n"
".room{stroke:#b33}.mark{stroke:#c90;stroke-dasharray:6 4}\n"
".epoch{stroke:#2a8a3e}.closed{stroke:#d00;stroke-width:2}\n";

	buf_fmt(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%ld\" viewBox=\"0 0 %d %ld\" role=\"img\">\n"
	    "<title>request size over the steps</title>\n<style>%s</style>\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	    WIDTH, height + 28, WIDTH, height + 28, style);
	buf_slice(out, pictures);
	open_text(out, LEFT, height + 14, "w");
	buf_adds(out, "blue: the requests; dotted: everything said so far; "
	    "green: epochs; red: the room there is; orange: the high mark"
	    "</text>\n</svg>\n");
}
