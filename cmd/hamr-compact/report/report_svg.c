/* report_svg.c - --report=svg: a simulation as one picture. */
#include <string.h>

#include "report_svg.h"
#include "report_text.h"

#define WIDTH 960
#define LEFT 64			/* of the plot */
#define PLOT 872		/* its width */
#define HIGH 130		/* its height */
#define HEAD 44			/* a picture's title */
#define FRONTIER (HIGH + 64)	/* the second plot of a window */
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

static double
edits_of(const struct method *m)
{
	return retention_percent(&m->retained, ESSENTIAL_EDIT);
}

static void
put_words(const struct simulation *s, size_t w, long y, struct buf *out)
{
	const struct method *m = simulation_ours(s, w);
	char window[48];

	report_window(s->windows[w], window);
	open_text(out, LEFT, y, "b");
	if (s->windows[w] > 0)
		buf_fmt(out, "window %s", window);
	else
		buf_adds(out, "no limit");
	buf_adds(out, "</text>\n");
	open_text(out, LEFT + 160, y, "w");
	buf_fmt(out, "%s: ", method_name(m));
	put_figure(out, "mean ", method_mean(m));
	put_figure(out, ", largest ", (double)m->largest);
	put_figure(out, ", fresh ", (double)m->fresh / 64);
	buf_fmt(out, ", reuse %.1f %%, %zu epochs", (double)(long)
	    (method_reuse(m) * 10 + 1e-9) / 10, m->epochs);
	if (edits_of(m) >= 0)
		buf_fmt(out, ", edit support %d %%", (int)(edits_of(m) + 1e-9));
	if (m->closed > 0)
		buf_fmt(out, ", no request at %zu steps", m->closed);
	buf_adds(out, "</text>\n");
}

/* ---- the plot ---- */

struct plot {
	const struct method *m;
	long top, y;		/* tokens at the top; y of the top */
};

static long
x_of(const struct plot *p, size_t i)
{
	return LEFT + (long)((double)PLOT * ((double)i + 0.5) /
	    (double)p->m->n);
}

static long
y_of(const struct plot *p, long tokens)
{
	if (tokens > p->top)
		tokens = p->top;
	return p->y + HIGH - (p->top > 0 ? (long)((double)HIGH *
	    (double)tokens / (double)p->top) : 0);
}

/* A line through all requests, with gaps where there was none. */
static void
put_curve(const struct plot *p, const struct method *m, const char *class,
    struct buf *out)
{
	bool pen = false;

	buf_fmt(out, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < m->n; i++) {
		if (m->steps[i].tokens > 0)
			buf_fmt(out, "%s%ld %ld", pen ? "L" : "M", x_of(p, i),
			    y_of(p, m->steps[i].tokens));
		pen = m->steps[i].tokens > 0;
	}
	buf_adds(out, "\"/>\n");
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
put_panel(const struct simulation *s, size_t w, long y, struct buf *out)
{
	const struct method *m = simulation_ours(s, w);
	const struct method *raw = simulation_rule(s, 0);
	long room = m->compact.budget.effective;
	long high = percent_of(room, m->compact.set.strategy->high);
	struct plot p = { m, room > 0 ? room : raw->largest, y + 22 };

	put_words(s, w, y + 12, out);
	put_level(&p, 0, "axis", out);
	put_level(&p, p.top, "room", out);
	if (room > 0 && high > 0 && high < room)
		put_level(&p, high, "mark", out);
	if (m->n == 0)
		return;
	buf_fmt(out, "<path class=\"area\" d=\"M%ld %ld", x_of(&p, 0),
	    p.y + HIGH);
	for (size_t i = 0; i < m->n; i++)
		buf_fmt(out, "L%ld %ld", x_of(&p, i),
		    y_of(&p, m->steps[i].tokens));
	buf_fmt(out, "L%ld %ldZ\"/>\n", x_of(&p, m->n - 1), p.y + HIGH);
	put_curve(&p, raw, "raw", out);
	put_curve(&p, m, "ours", out);
	for (size_t i = 0; i < m->n; i++) {
		const struct step *step = &m->steps[i];

		if (!step->epoch && !step->closed)
			continue;
		buf_fmt(out, "<line class=\"%s\" x1=\"%ld\" x2=\"%ld\" "
		    "y1=\"%ld\" y2=\"%ld\"><title>step %zu: %s</title></line>"
		    "\n", step->closed ? "closed" : "epoch", x_of(&p, i),
		    x_of(&p, i), p.y, p.y + HIGH + 4, i + 1, step->closed ?
		    "nothing fits" : "epoch");
	}
	open_text(out, LEFT, p.y + HIGH + 16, "w");
	buf_adds(out, "step 1</text>\n");
	open_text(out, LEFT + PLOT, p.y + HIGH + 16, "n");
	buf_fmt(out, "%zu</text>\n", m->n);
}

/* ---- fresh tokens against edit support ---- */

/* Every strategy at window w and the rules, the best support first. */
static void
put_frontier(const struct simulation *s, size_t w, long y, struct buf *out)
{
	const struct method *all[SIM_OWN + SIM_STRATEGIES + SIM_RULES], *m;
	double most = 1, least;	/* fresh at the right; support at the foot */
	long top = y + 22, label = y + 6, tens;
	size_t n = 0;

	for (size_t i = 0; i < s->each + SIM_RULES; i++) {
		size_t k = n++;

		m = i < s->each ? simulation_ours(s, w) + i :
		    simulation_rule(s, i - s->each);
		if ((m->rule == METHOD_OURS || m->rule == METHOD_DROP) &&
		    (double)m->fresh > most)
			most = (double)m->fresh;
		for (; k > 0 && edits_of(all[k - 1]) < edits_of(m); k--)
			all[k] = all[k - 1];
		all[k] = m;
	}
	if (n == 0)
		return;
	tens = (long)edits_of(all[n - 1]) / 10;
	least = (double)(10 * (tens > 9 ? 9 : tens));
	open_text(out, LEFT, y + 12, "w");
	buf_fmt(out, "edit support (up, %.0f to 100 %%) against fresh tokens "
	    "(right)</text>\n", least);
	buf_fmt(out, "<path class=\"raw\" d=\"M%d %ldV%ldH%d\"/>\n", LEFT,
	    top, top + HIGH, LEFT + PLOT);
	for (size_t i = 0; i < n; i++) {
		/* what is further right is shown at the edge */
		double right = (double)all[i]->fresh / most;
		long x = LEFT + (long)(PLOT * 0.8 * (right < 1 ? right : 1));
		long at = top + (long)(HIGH * (100 - edits_of(all[i])) /
		    (100 - least));
		bool ours = all[i]->rule == METHOD_OURS;

		/* each name stands below the last one */
		label = at + 4 < label + 12 ? label + 12 : at + 4;
		buf_fmt(out, "<path class=\"%s\" d=\"M%ld %ldh8M%ld %ldv8\"/>"
		    "\n", ours ? "own" : "rule", x - 4, at, x, at - 4);
		open_text(out, x + 8, label, ours ? "b" : "w");
		buf_adds(out, method_name(all[i]));
		put_figure(out, ": ", (double)all[i]->fresh / 64);
		buf_fmt(out, ", %d %%</text>\n",
		    (int)(edits_of(all[i]) + 1e-9));
	}
}

void
svg_picture(const struct simulation *s, long *y, struct buf *out)
{
	char text[16];

	open_text(out, 16, *y + 24, "h");
	if (s->title != NULL && s->title[0] != '\0')
		put_escaped(out, slice_of(s->title));
	else
		buf_adds(out, "transcript");
	report_number((double)s->plain.sum / 64, text);
	buf_fmt(out, ": %zu requests, %zu messages, %s tokens</text>\n",
	    s->steps, s->messages, text);
	*y += HEAD;
	for (size_t w = 0; w < s->nwindows; w++) {
		put_panel(s, w, *y, out);
		*y += PANEL;
		if (edits_of(simulation_ours(s, w)) < 0)
			continue;	/* there was none to support */
		put_frontier(s, w, *y, out);
		*y += FRONTIER;
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
".own{stroke:#245a94;stroke-width:2}.rule{stroke:#b33;stroke-width:2}\n"
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
