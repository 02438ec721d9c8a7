/* tables.c - --report: a simulation as tables and charts of characters, as
 * lines of JSON, and as a picture. */
#include <string.h>

#include "tables.h"

#define NAME_COLUMNS 16
#define LABEL 7			/* columns of the chart's scale */
#define ROWS_ONE 8		/* of a chart for one window */
#define ROWS_EACH 4		/* of each of several */

#define WIDTH 960		/* of the picture */
#define LEFT 64			/* of a plot */
#define PLOT 872		/* its width */
#define HIGH 130		/* its height */
#define HEAD 44			/* a picture's title */
#define FRONTIER (HIGH + 64)	/* the second plot of a window */
#define PANEL (HIGH + 58)	/* a plot with its words */
#define TITLE_COLUMNS 60

/* 1234 as "1.23k": at most five columns. */
static void
report_number(double v, char out[16])
{
	const char *unit = "";

	if (v >= 999500) {
		v /= 1000000;
		unit = "M";
	} else if (v >= 999.5) {
		v /= 1000;
		unit = "k";
	}
	snprintf(out, 16, *unit == '\0' || v >= 99.95 ? "%.0f%s" :
	    v >= 9.995 ? "%.1f%s" : "%.2f%s", v, unit);
}

/* "131072 (128k)"; only whole thousands of 1024 are given twice. */
static void
report_window(long window, char out[48])
{
	if (window % 1024 == 0)
		snprintf(out, 48, "%ld (%ldk)", window, window / 1024);
	else
		snprintf(out, 48, "%ld", window);
}

/* ---- tables ---- */

static void
put_tokens(struct buf *out, double v)
{
	char text[16];

	report_number(v, text);
	buf_fmt(out, "%6s", text);
}

enum part { COSTS = 1, KEPT = 2 };

static void
put_row(struct buf *out, const struct screen *t, const struct method *m,
    const char *name, long room, int parts)
{
	static const struct { enum essential_kind kind; int columns; } kept[] =
	    { { ESSENTIAL_TASK, 5 }, { ESSENTIAL_USER, 5 },
		{ ESSENTIAL_NEWEST, 5 }, { ESSENTIAL_PATH, 6 },
		{ ESSENTIAL_ERROR, 4 }, { ESSENTIAL_EDIT, 5 } };
	bool bold = t->colour && m->rule == METHOD_OURS;

	buf_fmt(out, "%s%-*s", bold ? "\033[1m" : "", NAME_COLUMNS, name);
	if (parts & COSTS) {
		put_tokens(out, method_mean(m));
		put_tokens(out, (double)m->largest);
		buf_fmt(out, "%5zu", method_over(m, room));
		put_tokens(out, (double)m->fresh / 64);
		buf_fmt(out, "%6.1f",
		    (double)(long)(method_reuse(m) * 10 + 1e-9) / 10);
		buf_fmt(out, "%5zu", m->breaks);
	}
	for (size_t i = 0; (parts & KEPT) != 0 && i < 6; i++) {
		double percent = retention_percent(&m->retained,
		    kept[i].kind);

		/* never rounded up; '-' if there is nothing to keep */
		if (percent < 0)
			buf_fmt(out, "%*s", kept[i].columns, "-");
		else
			buf_fmt(out, "%*d", kept[i].columns,
			    (int)(percent + 1e-9));
	}
	buf_adds(out, bold ? "\033[m\n" : "\n");
}

static void
put_rows(const struct simulation *s, const struct screen *t, size_t w,
    int parts, struct buf *out)
{
	const struct method *ours = simulation_ours(s, w);
	long room = ours->compact.budget.effective;
	char name[NAME_COLUMNS];

	buf_fmt(out, "%s%-*s", t->colour ? "\033[2m" : "", NAME_COLUMNS, "");
	if (parts & COSTS)
		buf_adds(out, "  mean   max over fresh reuse  brk");
	if (parts & KEPT)
		buf_adds(out, " task  all last  path err edit");
	buf_adds(out, t->colour ? "\033[m\n" : "\n");
	snprintf(name, sizeof name, "hamr %s", method_name(ours));
	put_row(out, t, ours, name, room, parts);
	put_row(out, t, ours + 2, method_name(ours + 2), room, parts);
	for (size_t i = 0; i < SIM_RULES; i++)
		put_row(out, t, simulation_rule(s, i),
		    method_name(simulation_rule(s, i)), room, parts);
	put_row(out, t, ours + 1, method_name(ours + 1), room, parts);
}

void
report_tables(const struct simulation *s, const struct screen *t,
    struct buf *out)
{
	static const char legend[] =
"mean, max: tokens of a request (--family); over: requests larger than the "
"room\n"
"fresh: tokens behind the prefix shared with the last request and its answer\n"
"reuse: % of bytes in that prefix; brk: requests that do not extend the last\n"
"% still there, word for word: the task; all and the last three messages of\n"
"persons; edited paths; error lines; the text that an edit replaces\n";
	char text[16], window[48];

	report_number((double)s->plain.sum / 64, text);
	if (s->title != NULL && s->title[0] != '\0') {
		buf_adds(out, "session ");
		screen_text(t, slice_of(s->title), screen_room(t, 8), out);
		buf_addc(out, '\n');
	}
	buf_fmt(out, "%zu requests, %zu messages, %s tokens\n", s->steps,
	    s->messages, text);
	for (size_t w = 0; w < s->nwindows; w++) {
		const struct method *m = simulation_ours(s, w);

		report_window(s->windows[w], window);
		if (m->compact.budget.effective > 0)
			buf_fmt(out, "\nwindow %s, room %ld", window,
			    m->compact.budget.effective);
		else
			buf_adds(out, "\nno limit");
		buf_fmt(out, ", %zu epoch%s\n", m->epochs,
		    m->epochs == 1 ? "" : "s");
		put_rows(s, t, w, t->width >= 80 ? COSTS | KEPT : COSTS, out);
		if (t->width < 80)
			put_rows(s, t, w, KEPT, out);
		if (m->closed > 0)
			buf_fmt(out, "hamr: no request at %zu of %zu steps: "
			    "nothing fits\n", m->closed, m->n);
	}
	if (t->width >= 80)
		buf_fmt(out, "\n%s%s%s", t->colour ? "\033[2m" : "", legend,
		    t->colour ? "\033[m" : "");
}

/* ---- lines of JSON ---- */

static void
put_json(const struct simulation *s, const struct method *m, long window,
    long room, struct buf *out)
{
	static const char *const kinds[] = { [ESSENTIAL_TASK] = "task",
		[ESSENTIAL_USER] = "all", [ESSENTIAL_PATH] = "path",
		[ESSENTIAL_ERROR] = "err", [ESSENTIAL_NEWEST] = "last",
		[ESSENTIAL_EDIT] = "edit" };

	buf_adds(out, "{\"session\":");
	scan_quote(out, s->title != NULL ? s->title : "",
	    s->title != NULL ? strlen(s->title) : 0);
	buf_fmt(out, ",\"window\":%ld,\"room\":%ld,\"method\":\"%s\"",
	    window, room, method_name(m));
	buf_fmt(out, ",\"requests\":%zu,\"closed\":%zu,\"epochs\":%zu,"
	    "\"mean\":%.0f,\"max\":%ld,\"over\":%zu,\"fresh\":%llu,"
	    "\"reuse\":%.2f,\"breaks\":%zu", m->requests, m->closed,
	    m->epochs, method_mean(m), m->largest, method_over(m, room),
	    (unsigned long long)m->fresh / 64, method_reuse(m), m->breaks);
	/* of what was asked for so often, so much was there */
	for (int k = 0; k < ESSENTIAL_KINDS; k++)
		buf_fmt(out, ",\"%s\":[%.3f,%zu]", kinds[k],
		    m->retained.share[k], m->retained.asked[k]);
	buf_adds(out, "}\n");
}

void
report_json(const struct simulation *s, struct buf *out)
{
	for (size_t w = 0; w < s->nwindows; w++) {
		const struct method *m = simulation_ours(s, w);
		long room = m->compact.budget.effective;

		for (size_t i = 0; i < s->each; i++)
			put_json(s, m + i, s->windows[w], room, out);
		for (size_t i = 0; i < SIM_RULES; i++)
			put_json(s, simulation_rule(s, i), s->windows[w],
			    room, out);
	}
}

/* ---- charts ---- */

/* What one column stands for: the largest of its requests. */
static struct step
column_at(const struct method *m, size_t i, size_t width)
{
	size_t from = m->n > width ? i * m->n / width : i;
	size_t to = m->n > width ? (i + 1) * m->n / width : i + 1;
	struct step c = { 0 };

	for (size_t k = from; k < to; k++) {
		if (m->steps[k].tokens > c.tokens)
			c.tokens = m->steps[k].tokens;
		c.epoch |= m->steps[k].epoch;
		c.closed |= m->steps[k].closed;
	}
	return c;
}

static void
put_bars(const struct method *m, const struct screen *t, long top, int rows,
    int row, size_t width, struct buf *out)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅",
		"▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ".", ".", ":", ":",
		":", "#", "#" };
	size_t start = out->len;
	char label[16] = "";

	if (row == rows - 1)
		report_number((double)top, label);
	else if (rows > 4 && row == rows / 2 - 1)
		report_number((double)top / 2, label);
	buf_fmt(out, "%*s %s", LABEL - 2, label, t->utf8 ? "│" : "|");
	for (size_t i = 0; i < width; i++) {
		long tokens = column_at(m, i, width).tokens;
		long eighths = top > 0 ? (tokens * rows * 8 + top / 2) / top :
		    0;

		if (tokens > 0 && eighths == 0)
			eighths = 1;
		eighths -= (long)row * 8;
		eighths = eighths < 0 ? 0 : eighths > 8 ? 8 : eighths;
		buf_adds(out, t->utf8 ? blocks[eighths] : ascii[eighths]);
	}
	while (out->len > start && out->p[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

void
report_charts(const struct simulation *s, const struct screen *t,
    struct buf *out)
{
	int rows = s->nwindows == 1 ? ROWS_ONE : ROWS_EACH;
	size_t width = (size_t)t->width - LABEL;
	char text[48];

	if (s->steps == 0)
		return;
	if (width > s->steps)
		width = s->steps;
	buf_adds(out,
	    "\nrequest size over the steps, ^ epoch, ! nothing fits\n");
	for (size_t w = 0; w < s->nwindows; w++) {
		const struct method *m = simulation_ours(s, w);
		long room = m->compact.budget.effective;
		long top = room > 0 ? room : m->largest;

		buf_adds(out, "\n");
		report_window(s->windows[w], text);
		if (s->windows[w] > 0)
			buf_fmt(out, "%*s  window %s\n", LABEL - 2, "", text);
		for (int row = rows - 1; row >= 0; row--)
			put_bars(m, t, top, rows, row, width, out);
		/* the floor, with epochs (^) and steps where nothing fitted
		 * (!) */
		buf_fmt(out, "%*s %s", LABEL - 2, "0", t->utf8 ? "└" : "+");
		for (size_t i = 0; i < width; i++) {
			struct step c = column_at(m, i, width);
			const char *mark = c.closed ? "!" : c.epoch ? "^" :
			    t->utf8 ? "─" : "-";

			if (t->colour && (c.closed || c.epoch))
				buf_fmt(out, "\033[%sm%s\033[m", c.closed ?
				    "31" : "33", mark);
			else
				buf_adds(out, mark);
		}
		buf_addc(out, '\n');
	}
	snprintf(text, sizeof text, "%zu", s->steps);
	buf_fmt(out, "%*s1", LABEL, "");
	if (width > strlen(text) + 1)
		buf_fmt(out, "%*s", (int)width - 1, text);
	buf_addc(out, '\n');
}

/* ---- the picture ---- */

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
	const struct method *all[SIM_OWN + SIM_STRATEGIES + SIM_RULES];
	double most = 1, least;	/* fresh at the right; support at the foot */
	long top = y + 22, label = y + 6;
	size_t n = 0;

	for (size_t i = 0; i < s->each + SIM_RULES; i++) {
		size_t k = n++;
		const struct method *m = i < s->each ? simulation_ours(s, w) + i
		    : simulation_rule(s, i - s->each);

		if ((m->rule == METHOD_OURS || m->rule == METHOD_DROP) &&
		    (double)m->fresh > most)
			most = (double)m->fresh;
		for (; k > 0 && edits_of(all[k - 1]) < edits_of(m); k--)
			all[k] = all[k - 1];
		all[k] = m;
	}
	if (n == 0)
		return;
	long tens = (long)edits_of(all[n - 1]) / 10;
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
	static const struct screen any = { .width = WIDTH, .utf8 = true };
	struct buf title = BUF_INIT(BUF_RECORD_MAX);
	char text[16];

	open_text(out, 16, *y + 24, "h");
	screen_text(&any, slice_of(s->title != NULL && s->title[0] != '\0' ?
	    s->title : "transcript"), TITLE_COLUMNS, &title);
	for (size_t i = 0; i < title.len; i++)
		switch (title.p[i]) {
		case '&': buf_adds(out, "&amp;"); break;
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		case '\'': buf_adds(out, "&#39;"); break;
		default: buf_addc(out, title.p[i]);
		}
	buf_release(&title);
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
