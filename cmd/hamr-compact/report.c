/* report.c - --report: the tables of chapter 8.5. */
#include <string.h>

#include "report.h"

#define NAME_COLUMNS 16

void
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

void
report_window(long window, char out[48])
{
	if (window % 1024 == 0)
		snprintf(out, 48, "%ld (%ldk)", window, window / 1024);
	else
		snprintf(out, 48, "%ld", window);
}

/* ---- cells ---- */

static void
put_tokens(struct buf *out, double v, int columns)
{
	char text[16];

	report_number(v, text);
	buf_fmt(out, "%*s", columns, text);
}

/* A share, never rounded up to what it is not; '-': nothing to keep. */
static void
put_share(struct buf *out, double percent, int columns)
{
	if (percent < 0)
		buf_fmt(out, "%*s", columns, "-");
	else
		buf_fmt(out, "%*d", columns, (int)(percent + 1e-9));
}

static void
put_costs(struct buf *out, const struct lane *l, long room)
{
	put_tokens(out, lane_mean(l), 6);
	put_tokens(out, (double)l->largest, 6);
	buf_fmt(out, "%5zu", lane_over(l, room));
	put_tokens(out, (double)l->fresh / 64, 6);
	buf_fmt(out, "%6.1f", (double)(long)(lane_reuse(l) * 10 + 1e-9) / 10);
	buf_fmt(out, "%5zu", l->breaks);
}

static void
put_kept(struct buf *out, const struct lane *l)
{
	put_share(out, kept_percent(&l->kept, NEED_TASK), 5);
	put_share(out, kept_percent(&l->kept, NEED_USER), 5);
	put_share(out, kept_percent_last(&l->kept), 5);
	put_share(out, kept_percent(&l->kept, NEED_PATH), 6);
	put_share(out, kept_percent(&l->kept, NEED_ERROR), 4);
	put_share(out, kept_percent_edits(&l->kept), 5);
}

/* ---- tables ---- */

enum part { COSTS = 1, KEPT = 2 };

static void
put_head(struct buf *out, const struct screen *t, int parts)
{
	buf_fmt(out, "%s%-*s", t->colour ? "\033[2m" : "", NAME_COLUMNS, "");
	if (parts & COSTS)
		buf_adds(out, "  mean   max over fresh reuse  brk");
	if (parts & KEPT)
		buf_adds(out, " task  all last  path err edit");
	buf_adds(out, t->colour ? "\033[m\n" : "\n");
}

static void
put_row(struct buf *out, const struct screen *t, const struct lane *l,
    const char *name, long room, int parts)
{
	bool bold = t->colour && l->rule == LANE_OURS;

	buf_fmt(out, "%s%-*s", bold ? "\033[1m" : "", NAME_COLUMNS, name);
	if (parts & COSTS)
		put_costs(out, l, room);
	if (parts & KEPT)
		put_kept(out, l);
	buf_adds(out, bold ? "\033[m\n" : "\n");
}

static void
put_rows(const struct replay *r, const struct screen *t, size_t w, int parts,
    struct buf *out)
{
	long room = seam_room(&r->ours[w].seam);
	char name[NAME_COLUMNS];

	snprintf(name, sizeof name, "hamr %s",
	    seam_strategy(&r->ours[w].seam));
	put_head(out, t, parts);
	put_row(out, t, &r->ours[w], name, room, parts);
	for (int i = 0; i < REPLAY_RULES; i++)
		put_row(out, t, &r->rules[i], lane_name(&r->rules[i]), room,
		    parts);
	put_row(out, t, &r->every[w], lane_name(&r->every[w]), room, parts);
}

static void
put_window(const struct replay *r, const struct screen *t, size_t w,
    struct buf *out)
{
	const struct lane *l = &r->ours[w];
	long room = seam_room(&l->seam);
	char window[48];

	report_window(r->windows[w], window);
	if (room > 0)
		buf_fmt(out, "\nwindow %s, room %ld, %zu epoch%s\n",
		    window, room, l->epochs, l->epochs == 1 ? "" : "s");
	else
		buf_fmt(out, "\nno limit, %zu epoch%s\n", l->epochs,
		    l->epochs == 1 ? "" : "s");
	if (t->width >= 80) {
		put_rows(r, t, w, COSTS | KEPT, out);
	} else {
		put_rows(r, t, w, COSTS, out);
		put_rows(r, t, w, KEPT, out);
	}
	if (l->closed > 0)
		buf_fmt(out, "hamr: no request at %zu of %zu steps: nothing "
		    "fits\n", l->closed, l->n);
}

static void
put_legend(struct buf *out, const struct screen *t)
{
	static const char legend[] =
"mean, max: tokens of a request (--family); over: requests larger than the room\n"
"fresh: tokens behind the prefix shared with the last request and its answer\n"
"reuse: % of bytes in that prefix; brk: requests that do not extend the last\n"
"% still there, word for word: the task; all and the last three messages of\n"
"persons; edited paths; error lines; the text that an edit replaces\n";

	if (t->width >= 80)
		buf_fmt(out, "\n%s%s%s", t->colour ? "\033[2m" : "", legend,
		    t->colour ? "\033[m" : "");
}

void
report_table(const struct replay *r, const struct screen *t, struct buf *out)
{
	char text[16];

	report_number((double)r->plain.sum / 64, text);
	if (r->title != NULL && r->title[0] != '\0') {
		buf_adds(out, "session ");
		screen_text(t, slice_of(r->title), screen_room(t, 8), out);
		buf_addc(out, '\n');
	}
	buf_fmt(out, "%zu requests, %zu messages, %s tokens\n", r->steps,
	    r->messages, text);
	for (size_t w = 0; w < r->nwindows; w++)
		put_window(r, t, w, out);
	put_legend(out, t);
}
