/* report.c - --report: what fired, where, on what evidence, at what price. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "reports.h"
#include "term/term.h"

#define LINES_SHOWN 6		/* of the evidence */
#define LABEL 12
#define TOOL_COLUMNS 24
#define CELLS 72		/* of a transcript's steps */
#define EDGE 4			/* blanks and brackets around them */

struct tables {
	struct table table;
	struct buf steps;	/* a letter of grades for each step */
	unsigned long fired;	/* rows of this transcript */
	unsigned long quiet;	/* transcripts where nothing fired */
	bool over;		/* steps are of a finished transcript */
};

/* ---- a row ---- */

/* The lines of the calls that it rests on; of many, the first and the last
 * ones. */
static void
put_evidence(const struct policy *p, const struct verdict *v, struct buf *b)
{
	const struct call_ref *e = v->evidence;
	size_t n = v->nevidence, last = 0;
	bool any = false, many = false;

	if (v->period > 1)
		buf_fmt(b, "period %lu, %lu laps; ", v->period, v->laps);
	/* it would have been refused: warn and block are multiplied alike */
	if (v->gated && v->count * p->warn >= p->block * v->warn)
		buf_adds(b, "delayed: new results; ");
	if (v->poll)
		buf_adds(b, "polling; ");
	if (v->transient)
		buf_adds(b, "may pass; ");
	for (size_t i = 1; i < n; i++)
		many |= e[i].line != e[0].line;
	for (size_t i = 0; i < n; i++) {
		if (e[i].line == last || (n > LINES_SHOWN && i > 1 &&
		    i < n - LINES_SHOWN + 3))
			continue;
		buf_fmt(b, any ? ", %zu" : many ? "lines %zu" : "line %zu",
		    e[i].line);
		if (n > LINES_SHOWN && i == 1)
			buf_adds(b, ", …");
		any = true;
		last = e[i].line;
	}
	if (!any && b->len >= 2)
		b->len -= 2;
}

/* Line, step, verdict and rule. */
static void
add_row(struct report *p, size_t line, enum paint paint, const char *verdict,
    enum rule rule)
{
	struct tables *x = p->self;
	struct table *t = &x->table;

	if (x->fired++ == 0)
		table_init(t, "rrllrrlsl", "line\tstep\tverdict\trule\tseen\t"
		    "limit\ttool\tcall\trests on");
	table_add(t, PAINT_BOLD, "%zu", line);
	table_add(t, PAINT_DIM, "%lu", (unsigned long)p->usage.here.steps);
	table_add(t, paint, "%s", verdict);
	table_add(t, PAINT_NONE, "%s", rule_names[rule]);
}

/* ---- a transcript ---- */

/* A transcript at a glance, from left to right.  A dash is a step; s, w, b and
 * H are steps with a shared call, a warning, a block and a halt; a dot is a
 * step that would not have happened.  Where several steps share a cell, the
 * gravest is shown. */
static const char grades[] = ".-swbH";

/* The graver one of two letters. */
static char
graver(char a, char b)
{
	return strchr(grades, a) > strchr(grades, b) ? a : b;
}

static void
fired(struct report *p, const struct verdict *v, bool over)
{
	struct tables *x = p->self;
	static const char letters[] = { [ACT_SHARE] = 's', [ACT_WARN] = 'w',
		[ACT_BLOCK] = 'b', [ACT_HALT] = 'H' };
	struct table *t = &x->table;
	size_t step = p->usage.here.steps;
	unsigned long limit = v->action == ACT_HALT ? v->halt :
	    v->action == ACT_BLOCK ? v->block : v->warn;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	enum paint paint;
	const char *action = report_action(v, &paint);

	if (over || v->action == ACT_ALLOW)
		return;
	if (!v->note && step > 0 && step <= x->steps.len)
		x->steps.p[step - 1] = graver(letters[v->action],
		    x->steps.p[step - 1]);
	add_row(p, v->call_line != 0 ? v->call_line : v->line, paint, action,
	    v->rule);
	table_add(t, PAINT_BOLD, "%lu", v->count);
	if (limit == 0)
		table_text(t, PAINT_NONE, SLICE(""));
	else
		table_add(t, PAINT_DIM, "%lu", limit);
	const struct usage_call *c = v->call_id == NULL ? NULL :
	    usage_find(&p->usage, v->call_line, v->call_id);
	if (c != NULL) {
		char *tool = scan_strdup(slice_of(c->name));
		term_put(&b, slice_of(tool), TOOL_COLUMNS);
		table_text(t, PAINT_BLUE, buf_view(&b));
		table_text(t, PAINT_NONE, slice_of(c->args));
		free(tool);
	} else {
		msg_text(rec_get(p->rec, "content"), &b);
		table_add(t, PAINT_DIM, "(text)");
		table_text(t, PAINT_NONE, buf_view(&b));
	}
	buf_reset(&b);
	put_evidence(&p->judge->profile.policy, v, &b);
	table_text(t, PAINT_DIM, buf_view(&b));
	buf_release(&b);
}

static void
constrained(struct report *p, enum rule rule, size_t line)
{
	struct tables *x = p->self;
	struct usage *u = &p->usage;

	if (u->n > u->first)
		line = u->call[u->first].line;
	add_row(p, line, PAINT_CYAN, "text only", rule);
	for (int i = 0; i < 3; i++)
		table_text(&x->table, PAINT_NONE, SLICE(""));
	table_add(&x->table, PAINT_DIM, "(the next message)");
	table_text(&x->table, PAINT_NONE, SLICE(""));
}

static void
record(struct report *p, const struct rec *rec)
{
	struct tables *x = p->self;

	x->steps.max = BUF_RECORD_MAX;
	if (x->over)
		buf_reset(&x->steps);
	x->over = false;
	if (rec->kind == R_ASSISTANT)
		buf_addc(&x->steps, p->judge->savings.ended ? '.' : '-');
}

/* The transcript's title, with its lines if the file has several, and its
 * steps. */
static void
show_head(struct report *p, const struct amounts *a)
{
	static const enum paint paints[] = { PAINT_DIM, PAINT_GREEN,
		PAINT_CYAN, PAINT_YELLOW, PAINT_RED, PAINT_STOP };
	const struct buf *steps = &((struct tables *)p->self)->steps;
	size_t cells = num_min(CELLS, steps->len), from = 0;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	term_put(&b, slice_of(p->name != NULL ? p->name : "stdin"), SIZE_MAX);
	if (p->of_file > 1 && p->usage.first_line < p->usage.last_line)
		buf_fmt(&b, ", lines %zu to %zu", p->usage.first_line,
		    p->usage.last_line);
	else if (p->of_file > 1)
		buf_fmt(&b, ", line %zu", p->usage.first_line);
	buf_adds(&b, ": ");
	amounts_put(a, &b);
	if (p->begun)
		sheet_line(&p->sheet, PAINT_NONE, "%s", "");
	sheet_line(&p->sheet, PAINT_BOLD, "%s", b.p);
	buf_reset(&b);
	if (p->sheet.columns > EDGE)
		cells = num_min(cells, p->sheet.columns - EDGE);
	for (size_t i = 0; i < cells; i++) {
		size_t to = (i + 1) * steps->len / cells;
		char most = '.';

		for (; from < to; from++)
			most = graver(most, steps->p[from]);
		buf_adds(&b, i == 0 ? "  [" : "");
		sheet_paint(&p->sheet, &b, paints[strchr(grades, most) -
		    grades], (struct slice){ &most, 1 });
	}
	if (cells > 0) {
		buf_addc(&b, ']');
		rec_put(p->sheet.out, buf_view(&b));
	}
	p->begun = true;
	buf_release(&b);
}

static void
over(struct report *p)
{
	struct tables *x = p->self;

	if (x->fired > 0) {
		show_head(p, &p->usage.here);
		table_print(&x->table, &p->sheet);
	} else {
		x->quiet++;
	}
	x->fired = 0;
	x->over = true;
}

/* ---- totals ---- */

static void
put_verdicts(const struct savings *t, struct buf *b)
{
	const struct {
		unsigned long n;
		const char *what;
	} more[] = { { t->said[ACT_SHARE], " shared" },
		{ t->texts, " text only" },
		{ t->notes, t->notes == 1 ? " note" : " notes" } };
	bool any = false;

	count_put(b, t->said[ACT_WARN], "warning");
	count_put(b, t->said[ACT_BLOCK], "block");
	count_put(b, t->said[ACT_HALT], "halt");
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		if (more[i].n > 0)
			buf_fmt(b, ", %s%s",
			    num_grouped((int64_t)more[i].n).s, more[i].what);
	for (int i = 0; i < RULES; i++)
		if (t->rules[i] > 0) {
			buf_fmt(b, any ? ", %s %lu" : " (%s %lu",
			    rule_names[i], t->rules[i]);
			any = true;
		}
	if (any)
		buf_addc(b, ')');
}

/* Print a label and a text, and empty it; nothing if it is empty. */
static void
row(const struct report *p, const char *name, struct buf *b)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	if (b->len == 0)
		return;
	buf_adds(&line, "  ");
	sheet_paint(&p->sheet, &line, PAINT_DIM, slice_of(name));
	term_pad(&line, LABEL - strlen(name));
	term_wrap(&line, buf_view(b), 2 + LABEL, 2 + LABEL, p->sheet.columns);
	rec_put(p->sheet.out, slice_trim_end(buf_view(&line), "\n"));
	buf_release(&line);
	buf_reset(b);
}

static void
end(struct report *p)
{
	struct tables *x = p->self;
	const struct savings *t = &p->judge->savings;
	uint64_t saved = tokens_of(t->tokens);
	uint64_t of = tokens_of(p->usage.all.tokens);
	unsigned long long n = p->usage.transcripts;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (n == 1 && x->quiet == 1)
		show_head(p, &p->usage.all);
	if (p->begun)
		sheet_line(&p->sheet, PAINT_NONE, "%s", "");
	count_put(&b, n, "transcript");
	buf_fmt(&b, " judged by %s", p->judge->profile.kind->name);
	if (!conf_bool(p->env.conf, "loop_guard.enabled"))
		buf_adds(&b, ", but loop_guard.enabled is false");
	sheet_line(&p->sheet, PAINT_BOLD, "%s", b.p);
	buf_reset(&b);
	amounts_put(&p->usage.all, &b);
	row(p, "read", &b);
	import_left_put(&p->left, &b);
	row(p, "left out", &b);
	put_verdicts(t, &b);
	row(p, "said", &b);
	count_put(&b, t->calls, "call");
	count_put(&b, t->requests, "request");
	buf_adds(&b, ", about ");
	count_put(&b, saved, "token");
	if (saved > 0 && of > 0)
		buf_fmt(&b, " (%llu.%llu %%)",
		    (unsigned long long)(saved * 100 / of),
		    (unsigned long long)(saved * 1000 / of % 10));
	row(p, "would save", &b);
	if (x->quiet > 0 && n == 1)
		sheet_line(&p->sheet, PAINT_GREEN, "  nothing fired");
	else if (x->quiet > 0)
		sheet_line(&p->sheet, PAINT_GREEN,
		    "  nothing fired in %lu of %llu", x->quiet, n);
	bufs_release(BUFS(&b, &x->steps));
}

const struct report_ops report_verdicts = { .size = sizeof(struct tables),
	.record = record, .fired = fired, .constrained = constrained,
	.over = over, .end = end };
