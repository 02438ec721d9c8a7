/* report.c - --report: what fired, where, on what evidence, at what price. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "people.h"
#include "strip.h"
#include "term.h"

#define LINES_SHOWN 6		/* of the evidence */
#define LABEL 12
#define TOOL_COLUMNS 24

struct report {
	struct umpire umpire;
	struct watch watch;
	struct tally tally;
	struct table table;
	struct strip strip;
	unsigned long fired;	/* in this transcript */
	unsigned long quiet;	/* transcripts without */
	struct buf title;	/* of the first of these */
	struct strip steps;
};

/* ---- a row ---- */

static void
add_limit(struct table *t, const struct firing *f)
{
	const struct why *w = f->why;
	unsigned long limit = f->v->action == ACT_HALT ? w->halt :
	    f->v->action == ACT_BLOCK ? w->block : w->warn;

	table_add(t, PAINT_BOLD, "%lu", f->v->count);
	if (limit == 0)
		table_add(t, PAINT_NONE, "%s", "");
	else
		table_add(t, PAINT_DIM, "%lu", limit);
}

static void
put_more(const struct why *w, struct buf *b)
{
	if (w->period > 1)
		buf_fmt(b, "period %lu, %lu laps; ", w->period, w->laps);
	if (w->gated)
		buf_adds(b, "delayed: new results; ");
	if (w->poll)
		buf_adds(b, "polling; ");
	if (w->transient)
		buf_adds(b, "may pass; ");
}

/* The lines where the calls stand that it rests on, the first and the last
 * of them when there are many. */
static void
put_evidence(const struct firing *f, struct buf *b)
{
	size_t n = f->v->nevidence, last = 0;
	bool any = false, many = false;

	put_more(f->why, b);
	for (size_t i = 1; i < n && f->why->line != NULL; i++)
		many |= f->why->line[i] != f->why->line[0];
	if (n > 0 && f->why->line != NULL)
		for (size_t i = 0; i < n; i++) {
			size_t line = f->why->line[i];

			if (line == last || (n > LINES_SHOWN && i > 1 &&
			    i < n - LINES_SHOWN + 3))
				continue;
			buf_fmt(b, any ? ", %zu" : many ? "lines %zu" :
			    "line %zu", line);
			if (n > LINES_SHOWN && i == 1)
				buf_adds(b, ", …");
			any = true;
			last = line;
		}
	if (!any && b->len >= 2)
		b->len -= 2;
}

static void
add_answer(struct table *t, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	msg_text(rec_get(r, "content"), &b);
	buf_adds(&b, "");
	table_add(t, PAINT_DIM, "%s", "(text)");
	table_text(t, PAINT_NONE, buf_view(&b));
	buf_release(&b);
}

static void
add_call(struct table *t, const struct entry *e)
{
	struct buf name = BUF_INIT(BUF_RECORD_MAX);
	char *tool = people_tool(e);

	buf_adds(&name, "");
	term_put(&name, slice_of(tool), TOOL_COLUMNS);
	table_text(t, PAINT_BLUE, buf_view(&name));
	buf_release(&name);
	table_text(t, PAINT_NONE, slice_of(e->args != NULL ? e->args : ""));
	free(tool);
}

static void
heading(struct table *t)
{
	static const char *const names[] = { "line", "step", "verdict", "rule",
		"seen", "limit", "tool", "call", "rests on" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		table_add(t, PAINT_DIM, "%s", names[i]);
}

static void
fired(void *self, const struct firing *f)
{
	struct people *p = self;
	struct report *r = p->self;
	struct ledger *l = &p->ledger;
	struct entry *e = NULL;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (!tally_fired(&r->tally, f) || f->v->action == ACT_ALLOW)
		return;
	if (f->v->call_id != NULL)
		e = ledger_find(l, f->call_line, f->v->call_id);
	if (r->fired++ == 0)
		heading(&r->table);
	if (!tally_is_note(f->v))
		strip_mark(&r->strip, l->here.steps, f->v->action);
	table_add(&r->table, PAINT_BOLD, "%zu", f->call_line != 0 ?
	    f->call_line : f->line);
	table_add(&r->table, PAINT_DIM, "%lu",
	    (unsigned long)l->here.steps);
	table_add(&r->table, tally_is_note(f->v) ? PAINT_DIM :
	    people_paint(f->v->action), "%s", tally_is_note(f->v) ? "note" :
	    action_name(f->v->action));
	table_add(&r->table, PAINT_NONE, "%s", rule_name(f->v->rule));
	add_limit(&r->table, f);
	if (e != NULL)
		add_call(&r->table, e);
	else
		add_answer(&r->table, p->rec);
	buf_adds(&b, "");
	put_evidence(f, &b);
	table_text(&r->table, PAINT_DIM, buf_view(&b));
	buf_release(&b);
}

static void
constrained(void *self, enum rule rule, size_t line)
{
	struct people *p = self;
	struct report *r = p->self;
	size_t n;
	const struct entry *e = ledger_step(&p->ledger, &n);

	tally_constrained(&r->tally);
	if (r->tally.ended)
		return;
	if (r->fired++ == 0)
		heading(&r->table);
	table_add(&r->table, PAINT_BOLD, "%zu", n > 0 ? e->line : line);
	table_add(&r->table, PAINT_DIM, "%lu",
	    (unsigned long)p->ledger.here.steps);
	table_add(&r->table, PAINT_CYAN, "%s", "text only");
	table_add(&r->table, PAINT_NONE, "%s", rule_name(rule));
	for (int i = 0; i < 3; i++)
		table_add(&r->table, PAINT_NONE, "%s", "");
	table_add(&r->table, PAINT_DIM, "%s", "(the next message)");
	table_add(&r->table, PAINT_NONE, "%s", "");
}

/* ---- a transcript ---- */

static void
begin(struct people *p)
{
	struct report *r = p->self = xcalloc(1, sizeof *r);

	r->watch = (struct watch){ .self = p, .fired = fired,
		.constrained = constrained };
	r->tally = (struct tally){ .ledger = &p->ledger, .bit = 1 };
	table_init(&r->table, "rrllrrlsl");
	umpire_init(&r->umpire, p->profile, &p->bench, &r->watch);
}

static void
record(struct people *p, const struct rec *rec)
{
	struct report *r;

	if (p->self == NULL)
		begin(p);
	r = p->self;
	tally_record(&r->tally, rec);
	if (rec->kind == R_ASSISTANT)
		strip_step(&r->strip, r->tally.ended);
	umpire_record(&r->umpire, rec);
}

static void
put_amounts(const struct amounts *a, struct buf *b)
{
	count_put(b, a->turns, "turn");
	buf_adds(b, ", ");
	count_put(b, a->steps, "step");
	buf_adds(b, ", ");
	count_put(b, a->calls, "call");
	buf_adds(b, ", about ");
	count_put(b, tally_tokens(a->tokens), "token");
}

/* A transcript's title and its steps, if there is something to be listed. */
static void
show_head(struct people *p, const struct buf *title, const struct strip *s)
{
	if (p->begun)
		sheet_line(&p->sheet, PAINT_NONE, "%s", "");
	sheet_line(&p->sheet, PAINT_BOLD, "%s", title->p);
	if (s->n > 0)
		strip_print(s, &p->sheet);
	p->begun = true;
}

static void
over(struct people *p)
{
	struct report *r = p->self;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	people_title(p, &b);
	buf_adds(&b, ": ");
	put_amounts(&p->ledger.here, &b);
	if (r->fired > 0) {
		show_head(p, &b, &r->strip);
		table_print(&r->table, &p->sheet);
	} else if (r->quiet++ == 0) {
		/* shown if it remains the only one */
		r->title = b;
		b = BUF_INIT(BUF_RECORD_MAX);
		r->steps = r->strip;
		r->strip = (struct strip){ .n = 0 };
	}
	r->fired = 0;
	strip_clear(&r->strip);
	buf_release(&b);
	umpire_reset(&r->umpire);
	tally_reset(&r->tally);
}

/* ---- totals ---- */

static void
put_said(const struct tally *t, struct buf *b)
{
	bool any = false;

	count_put(b, t->warns, "warning");
	buf_adds(b, ", ");
	count_put(b, t->blocks, "block");
	buf_adds(b, ", ");
	count_put(b, t->halts, "halt");
	if (t->shares > 0) {
		buf_adds(b, ", ");
		number_put(b, t->shares);
		buf_adds(b, " shared");
	}
	if (t->texts > 0) {
		buf_adds(b, ", ");
		number_put(b, t->texts);
		buf_adds(b, " text only");
	}
	if (t->notes > 0) {
		buf_adds(b, ", ");
		count_put(b, t->notes, "note");
	}
	for (int i = 0; i < RULES; i++)
		if (t->rules[i] > 0) {
			buf_fmt(b, any ? ", %s %lu" : " (%s %lu",
			    rule_name((enum rule)i), t->rules[i]);
			any = true;
		}
	if (any)
		buf_addc(b, ')');
}

static void
put_saved(const struct tally *t, const struct amounts *all, struct buf *b)
{
	uint64_t saved = tally_tokens(t->tokens);
	uint64_t of = tally_tokens(all->tokens);

	count_put(b, t->calls, "call");
	buf_adds(b, ", ");
	count_put(b, t->requests, "request");
	buf_adds(b, ", about ");
	count_put(b, saved, "token");
	if (saved > 0 && of > 0)
		buf_fmt(b, " (%llu.%llu %%)",
		    (unsigned long long)(saved * 100 / of),
		    (unsigned long long)(saved * 1000 / of % 10));
}

static void
row(const struct people *p, const char *name, const struct buf *b)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&line, "  ");
	sheet_paint(&p->sheet, &line, PAINT_DIM, slice_of(name));
	term_pad(&line, LABEL - strlen(name));
	if (p->sheet.columns > 0) {
		term_wrap(&line, buf_view(b), 2 + LABEL, 2 + LABEL,
		    p->sheet.columns);
		line.len--;	/* its LF */
	} else {
		buf_slice(&line, buf_view(b));
	}
	rec_put(p->sheet.out, buf_view(&line));
	buf_release(&line);
}

static void
totals(struct people *p, struct report *r)
{
	const struct amounts *all = &p->ledger.all;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (all->transcripts == 1 && r->quiet == 1)
		show_head(p, &r->title, &r->steps);
	if (p->begun)
		sheet_line(&p->sheet, PAINT_NONE, "%s", "");
	count_put(&b, all->transcripts, "transcript");
	buf_fmt(&b, " judged by %s", r->umpire.name);
	if (!conf_bool(p->bench.conf, "loop_guard.enabled"))
		buf_adds(&b, ", but loop_guard.enabled is false");
	sheet_line(&p->sheet, PAINT_BOLD, "%s", b.p);
	buf_reset(&b);
	put_amounts(all, &b);
	row(p, "read", &b);
	buf_reset(&b);
	import_left_put(&p->left, &b);
	if (b.len > 0)
		row(p, "left out", &b);
	buf_reset(&b);
	put_said(&r->tally, &b);
	row(p, "said", &b);
	buf_reset(&b);
	put_saved(&r->tally, all, &b);
	row(p, "would save", &b);
	if (r->quiet > 0) {
		buf_reset(&b);
		if (all->transcripts == 1)
			buf_adds(&b, "nothing fired");
		else
			buf_fmt(&b, "nothing fired in %lu of %llu",
			    r->quiet, (unsigned long long)all->transcripts);
		sheet_line(&p->sheet, PAINT_GREEN, "  %s", b.p);
	}
	buf_release(&b);
}

static void
end(struct people *p)
{
	struct report *r = p->self;

	if (r == NULL) {
		sheet_line(&p->sheet, PAINT_NONE, "%s", "no records");
		return;
	}
	totals(p, r);
	umpire_release(&r->umpire);
	table_release(&r->table);
	strip_clear(&r->strip);
	strip_clear(&r->steps);
	buf_release(&r->title);
	free(r);
	p->self = NULL;
}

const struct view_ops view_report = { .record = record, .over = over,
	.end = end };
