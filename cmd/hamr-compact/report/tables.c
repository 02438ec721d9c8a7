/* tables.c - --report: a simulation as tables, as text charts and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "tables.h"

#define NAME_COLUMNS 16
#define LABEL 7			/* columns of the chart's scale */
#define ROWS_ONE 8		/* of a chart for one window */
#define ROWS_EACH 4		/* of each of several */

#define TITLE_COLUMNS 60	/* of a picture */

struct figure {
	char s[48];
};

/* 1234 as "1.23k": at most five columns. */
static struct figure
figure(double v)
{
	const char *unit = "";
	struct figure f;

	if (v >= 999500) {
		v /= 1000000;
		unit = "M";
	} else if (v >= 999.5) {
		v /= 1000;
		unit = "k";
	}
	snprintf(f.s, sizeof f.s, *unit == '\0' || v >= 99.95 ? "%.0f%s" :
	    v >= 9.995 ? "%.1f%s" : "%.2f%s", v, unit);
	return f;
}

/* "131072 (128k)"; only multiples of 1024 have the second number. */
static struct figure
window_size(long window)
{
	struct figure f;

	if (window % 1024 == 0)
		snprintf(f.s, sizeof f.s, "%ld (%ldk)", window, window / 1024);
	else
		snprintf(f.s, sizeof f.s, "%ld", window);
	return f;
}

static const char *
method_name(const struct method *m)
{
	static const char *const names[] = {
		[METHOD_EVERY_CALL] = "every_call", [METHOD_RAW] = "raw",
		[METHOD_LAST5] = "last-5 masking",
		[METHOD_TURN10] = "10-turn masking",
		[METHOD_DROP] = "drop-oldest" };

	return m->rule == METHOD_OURS ? m->compact.set.strategy->name :
	    names[m->rule];
}

static size_t
method_over(const struct method *m, long room)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += room > 0 && m->steps[i].tokens > room;
	return n;
}

/* How much it kept, in percent; -1: there was nothing to keep. */
static double
method_kept(const struct method *m, enum essential_kind kind)
{
	return m->asked[kind] > 0 ? 100 * m->share[kind] /
	    (double)m->asked[kind] : -1;
}

static double
method_mean(const struct method *m)
{
	return m->requests > 0 ? m->tokens / (double)m->requests : 0;
}

/* In percent. */
static double
method_reuse(const struct method *m)
{
	return m->bytes > 0 ? 100 * m->same / m->bytes : 100;
}

/* Never rounded up. */
static double
reuse_shown(const struct method *m)
{
	return (double)(long)(method_reuse(m) * 10 + 1e-9) / 10;
}

/* ---- tables ---- */

enum part { COSTS = 1, KEPT = 2 };

static void
put_rows(const struct simulation *s, const struct term *t, size_t w,
    int parts, struct buf *out)
{
	static const struct { enum essential_kind kind; int columns; } kept[] =
	    { { ESSENTIAL_TASK, 5 }, { ESSENTIAL_USER, 5 },
		{ ESSENTIAL_NEWEST, 5 }, { ESSENTIAL_PATH, 6 },
		{ ESSENTIAL_ERROR, 4 }, { ESSENTIAL_EDIT, 5 } };
	const struct method *ours = simulation_ours(s, w);
	const struct method *rows[] = { ours, ours + 2, simulation_rule(s, 0),
		simulation_rule(s, 1), simulation_rule(s, 2), ours + 1 };

	buf_fmt(out, "%s%-*s", t->colour ? "\033[2m" : "", NAME_COLUMNS, "");
	if (parts & COSTS)
		buf_adds(out, "  mean   max over fresh reuse  brk");
	if (parts & KEPT)
		buf_adds(out, " task  all last  path err edit");
	buf_adds(out, t->colour ? "\033[m\n" : "\n");
	for (size_t i = 0; i < SIM_RULES + 3; i++) {
		const struct method *m = rows[i];
		bool bold = t->colour && i == 0;

		buf_fmt(out, "%s%s%-*s", bold ? "\033[1m" : "",
		    i == 0 ? "hamr " : "", NAME_COLUMNS - (i == 0 ? 5 : 0),
		    method_name(m));
		if (parts & COSTS)
			buf_fmt(out, "%6s%6s%5zu%6s%6.1f%5zu",
			    figure(method_mean(m)).s,
			    figure((double)m->largest).s,
			    method_over(m, ours->compact.budget.effective),
			    figure((double)m->fresh / 64).s,
			    reuse_shown(m), m->breaks);
		for (size_t k = 0; (parts & KEPT) != 0 && k < 6; k++) {
			double percent = method_kept(m, kept[k].kind);

			/* never rounded up; '-' if there is nothing to keep */
			if (percent < 0)
				buf_fmt(out, "%*s", kept[k].columns, "-");
			else
				buf_fmt(out, "%*d", kept[k].columns,
				    (int)(percent + 1e-9));
		}
		buf_adds(out, bold ? "\033[m\n" : "\n");
	}
}

/* The session's name and its model.  The caller frees it. */
static char *
title_of(const struct simulation *s)
{
	return xasprintf("%s%s%s", s->session != NULL ? s->session : "",
	    s->session != NULL && s->model != NULL ? ", " : "",
	    s->model != NULL ? s->model : "");
}

void
report_tables(const struct simulation *s, const struct term *t,
    struct buf *out)
{
	static const char legend[] =
"mean, max: tokens of a request (--family); over: requests larger than the "
"room\n"
"fresh: tokens behind the prefix shared with the last request and its answer\n"
"reuse: % of bytes in that prefix; brk: requests that do not extend the last\n"
"% still there, word for word: the task; all and the last three messages of\n"
"persons; edited paths; error lines; the text that an edit replaces\n";

	char *title = title_of(s);

	if (*title != '\0') {
		buf_adds(out, "session ");
		term_put(out, slice_of(title), screen_room(t, 8));
		buf_addc(out, '\n');
	}
	free(title);
	buf_fmt(out, "%zu requests, %zu messages, %s tokens\n", s->steps,
	    s->messages, figure((double)s->plain.sum / 64).s);
	for (size_t w = 0; w < s->nwindows; w++) {
		const struct method *m = simulation_ours(s, w);

		if (m->compact.budget.effective > 0)
			buf_fmt(out, "\nwindow %s, room %ld",
			    window_size(s->windows[w]).s,
			    m->compact.budget.effective);
		else
			buf_adds(out, "\nno limit");
		buf_fmt(out, ", %zu epoch%s\n", m->epochs,
		    m->epochs == 1 ? "" : "s");
		put_rows(s, t, w, t->columns >= 80 ? COSTS | KEPT : COSTS, out);
		if (t->columns < 80)
			put_rows(s, t, w, KEPT, out);
		if (m->closed > 0)
			buf_fmt(out, "hamr: no request at %zu of %zu steps: "
			    "nothing fits\n", m->closed, m->n);
	}
	if (t->columns >= 80)
		buf_fmt(out, "\n%s%s%s", t->colour ? "\033[2m" : "", legend,
		    t->colour ? "\033[m" : "");
}

void
report_json(const struct simulation *s, struct buf *out)
{
	static const char *const kinds[] = { [ESSENTIAL_TASK] = "task",
		[ESSENTIAL_USER] = "all", [ESSENTIAL_PATH] = "path",
		[ESSENTIAL_ERROR] = "err", [ESSENTIAL_NEWEST] = "last",
		[ESSENTIAL_EDIT] = "edit" };
	size_t each = s->each + SIM_RULES;

	for (size_t i = 0; i < s->nwindows * each; i++) {
		const struct method *m = simulation_method(s, i / each,
		    i % each);
		long room = simulation_ours(s, i /
		    each)->compact.budget.effective;

		scan_put(out, "{'session':@,'model':@,'window':$,'room':$,"
		    "'method':@",
		    slice_of(s->session != NULL ? s->session : ""),
		    slice_of(s->model != NULL ? s->model : ""),
		    SCAN_INT(s->windows[i / each]), SCAN_INT(room),
		    slice_of(method_name(m)));
		buf_fmt(out, ",\"requests\":%zu,\"closed\":%zu,\"epochs\":%zu,"
		    "\"mean\":%.0f,\"max\":%ld,\"over\":%zu,\"fresh\":%llu,"
		    "\"reuse\":%.2f,\"breaks\":%zu", m->requests, m->closed,
		    m->epochs, method_mean(m), m->largest,
		    method_over(m, room), (unsigned long long)m->fresh / 64,
		    method_reuse(m), m->breaks);
		/* how often it was there, how often it was looked for */
		for (int k = 0; k < ESSENTIAL_KINDS; k++)
			buf_fmt(out, ",\"%s\":[%.3f,%zu]", kinds[k],
			    m->share[k], m->asked[k]);
		buf_adds(out, "}\n");
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
put_bars(const struct method *m, bool utf8, long top, int rows, int row,
    size_t width, struct buf *out)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅",
		"▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ".", ".", ":", ":",
		":", "#", "#" };
	size_t start = out->len;
	struct figure label = { "" };

	if (row == rows - 1)
		label = figure((double)top);
	else if (rows > 4 && row == rows / 2 - 1)
		label = figure((double)top / 2);
	buf_fmt(out, "%*s %s", LABEL - 2, label.s, utf8 ? "│" : "|");
	for (size_t i = 0; i < width; i++) {
		long tokens = column_at(m, i, width).tokens;
		long eighths = top > 0 ? (tokens * rows * 8 + top / 2) / top :
		    0;

		if (tokens > 0 && eighths == 0)
			eighths = 1;
		eighths -= (long)row * 8;
		eighths = eighths < 0 ? 0 : eighths > 8 ? 8 : eighths;
		buf_adds(out, utf8 ? blocks[eighths] : ascii[eighths]);
	}
	while (out->len > start && out->p[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

void
report_charts(const struct simulation *s, const struct term *t, bool utf8,
    struct buf *out)
{
	int rows = s->nwindows == 1 ? ROWS_ONE : ROWS_EACH;
	size_t width = t->columns - LABEL;
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
		if (s->windows[w] > 0)
			buf_fmt(out, "%*s  window %s\n", LABEL - 2, "",
			    window_size(s->windows[w]).s);
		for (int row = rows - 1; row >= 0; row--)
			put_bars(m, utf8, top, rows, row, width, out);
		/* the axis, with epochs (^) and steps where nothing fits (!) */
		buf_fmt(out, "%*s %s", LABEL - 2, "0", utf8 ? "└" : "+");
		for (size_t i = 0; i < width; i++) {
			struct step c = column_at(m, i, width);
			const char *mark = c.closed ? "!" : c.epoch ? "^" :
			    utf8 ? "─" : "-";

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

static void
put_steps(struct buf *out, const char *name, const struct method *m)
{
	buf_fmt(out, ",\"%s\":[", name);
	for (size_t i = 0; i < m->n; i++)
		buf_fmt(out, "%s[%ld,%d]", i > 0 ? "," : "",
		    m->steps[i].tokens, m->steps[i].closed ? 2 :
		    m->steps[i].epoch);
	buf_addc(out, ']');
}

void
report_picture(const struct simulation *s, struct buf *out)
{
	const struct method *raw = simulation_rule(s, 0);
	struct buf title = BUF_INIT(BUF_RECORD_MAX);
	char *name = title_of(s);

	term_put(&title, slice_of(*name != '\0' ? name : "transcript"),
	    TITLE_COLUMNS);
	free(name);
	scan_put(out, "{'title':@,'requests':$,'messages':$,'tokens':@",
	    buf_view(&title), SCAN_INT((long long)s->steps),
	    SCAN_INT((long long)s->messages),
	    slice_of(figure((double)s->plain.sum / 64).s));
	buf_release(&title);
	put_steps(out, "raw", raw);
	for (size_t w = 0; w < s->nwindows; w++) {
		const struct method *m = simulation_ours(s, w);
		long window = s->windows[w], room = m->compact.budget.effective;
		long high = percent_of(room, m->compact.set.strategy->high);
		long top = room > 0 ? room : raw->largest;

		buf_fmt(out, "%s{\"window\":\"%s%s\",\"top\":%ld,"
		    "\"top_text\":\"%s\",\"high\":%ld,\"high_text\":\"%s\","
		    "\"mean\":\"%s\",\"largest\":\"%s\","
		    "\"reuse\":\"%.1f\",\"epochs\":%zu,\"closed\":%zu",
		    w > 0 ? "," : ",\"windows\":[",
		    window > 0 ? "window " : "no limit",
		    window > 0 ? window_size(window).s : "", top,
		    figure((double)top).s, high < room ? high : 0,
		    figure((double)high).s, figure(method_mean(m)).s,
		    figure((double)m->largest).s, reuse_shown(m), m->epochs,
		    m->closed);
		put_steps(out, "steps", m);
		for (size_t i = 0; i < s->each + SIM_RULES; i++) {
			m = simulation_method(s, w, i);
			buf_fmt(out, "%s{\"name\":\"%s\",\"own\":%s,"
			    "\"drops\":%s,\"fresh\":%llu,\"text\":\"%s\","
			    "\"edit\":%.17g}",
			    i > 0 ? "," : ",\"methods\":[", method_name(m),
			    m->rule == METHOD_OURS ? "true" : "false",
			    m->rule == METHOD_DROP ? "true" : "false",
			    (unsigned long long)m->fresh,
			    figure((double)m->fresh / 64).s,
			    method_kept(m, ESSENTIAL_EDIT));
		}
		buf_adds(out, "]}");
	}
	buf_adds(out, "]}");
}
