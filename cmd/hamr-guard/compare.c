/* compare.c - --compare: one row per profile, over the same transcripts. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "people.h"
#include "term.h"

#define FILE_COLUMNS 28		/* of a name in a row */

struct side {
	struct umpire umpire;
	struct watch watch;
	struct tally tally;
	char *file;		/* of its first firing */
};

struct compare {
	struct side side[UMPIRES];
};

static void
fired(void *self, const struct firing *f)
{
	tally_fired(&((struct side *)self)->tally, f);
}

static void
constrained(void *self, enum rule rule, size_t line)
{
	(void)rule;
	(void)line;
	tally_constrained(&((struct side *)self)->tally);
}

static void
begin(struct people *p)
{
	struct compare *c = p->self = xcalloc(1, sizeof *c);
	struct bench bench = p->bench;

	bench.status = false;	/* whose would it be? */
	for (unsigned i = 0; i < UMPIRES; i++) {
		struct side *s = &c->side[i];

		s->watch = (struct watch){ .self = s, .fired = fired,
			.constrained = constrained };
		s->tally = (struct tally){ .ledger = &p->ledger,
			.bit = 1u << i };
		umpire_init(&s->umpire, umpire_name(i), &bench, &s->watch);
	}
}

static void
record(struct people *p, const struct rec *r)
{
	struct compare *c;

	if (p->self == NULL)
		begin(p);
	c = p->self;
	for (size_t i = 0; i < UMPIRES; i++)
		tally_record(&c->side[i].tally, r);
	for (size_t i = 0; i < UMPIRES; i++) {
		struct side *s = &c->side[i];

		umpire_record(&s->umpire, r);
		if (s->file == NULL && s->tally.first.line != 0)
			s->file = xstrdup(p->name);
	}
}

static void
over(struct people *p)
{
	struct compare *c = p->self;

	for (size_t i = 0; i < UMPIRES; i++) {
		umpire_reset(&c->side[i].umpire);
		tally_reset(&c->side[i].tally);
	}
}

/* ---- the table ---- */

static void
heading(struct table *t)
{
	static const char *const names[] = { "profile", "warnings", "blocks",
		"halts", "first firing", "calls", "tokens", "" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		table_add(t, PAINT_DIM, "%s", names[i]);
}

static void
add_number(struct table *t, enum paint p, uint64_t n)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	number_put(&b, n);
	table_text(t, n > 0 ? p : PAINT_DIM, buf_view(&b));
	buf_release(&b);
}

static void
add_first(struct table *t, const struct people *p, const struct side *s)
{
	const struct first *f = &s->tally.first;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *slash;

	if (f->line == 0) {
		table_add(t, PAINT_DIM, "%s", "never");
		return;
	}
	buf_fmt(&b, "%s %s, ", action_name(f->action), rule_name(f->rule));
	slash = strrchr(s->file, '/');
	if (p->stage->nfiles > 1)
		term_put(&b, slice_of(slash != NULL ? slash + 1 : s->file),
		    FILE_COLUMNS);
	buf_fmt(&b, p->stage->nfiles > 1 ? ":%zu" : "line %zu", f->line);
	if (f->call > 0) {
		buf_adds(&b, ", call ");
		number_put(&b, f->call);
	}
	table_text(t, PAINT_NONE, buf_view(&b));
	buf_release(&b);
}

static void
add_side(struct table *t, const struct people *p, const struct side *s)
{
	const struct tally *y = &s->tally;
	uint64_t all = p->ledger.all.tokens;

	table_add(t, PAINT_BOLD, "%s", s->umpire.name);
	add_number(t, PAINT_YELLOW, y->warns);
	add_number(t, PAINT_RED, y->blocks);
	add_number(t, PAINT_STOP, y->halts);
	add_first(t, p, s);
	add_number(t, PAINT_GREEN, y->calls);
	add_number(t, PAINT_GREEN, tally_tokens(y->tokens));
	if (y->tokens > 0)
		table_add(t, PAINT_DIM, "%llu %%", (unsigned long long)
		    (y->tokens * 100 / (all > 0 ? all : 1)));
	else
		table_add(t, PAINT_DIM, "%s", "");
}

static void
title(const struct people *p)
{
	const struct amounts *a = &p->ledger.all;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (p->stage->nfiles == 1)
		buf_fmt(&b, "%s: ", p->stage->files[0]);
	if (a->transcripts > 1) {
		count_put(&b, a->transcripts, "transcript");
		buf_adds(&b, ", ");
	}
	count_put(&b, a->turns, "turn");
	buf_adds(&b, ", ");
	count_put(&b, a->steps, "step");
	buf_adds(&b, ", ");
	count_put(&b, a->calls, "call");
	buf_adds(&b, ", about ");
	count_put(&b, tally_tokens(a->tokens), "token");
	sheet_line(&p->sheet, PAINT_BOLD, "%s", b.p);
	buf_release(&b);
}

static void
footnotes(const struct people *p, const struct compare *c)
{
	unsigned long notes = 0;

	for (size_t i = 0; i < UMPIRES; i++)
		notes += c->side[i].tally.notes;
	sheet_line(&p->sheet, PAINT_DIM, "  calls and tokens: what each profile "
	    "would have saved, or, if they were needed, lost");
	if (notes > 0)
		sheet_line(&p->sheet, PAINT_DIM, "  not counted as warnings: "
		    "%lu note%s of hamr (a read from its cache) and nanobot "
		    "(an error with its history)", notes,
		    notes == 1 ? "" : "s");
}

static void
end(struct people *p)
{
	struct compare *c = p->self;
	struct table t;

	if (c == NULL) {
		sheet_line(&p->sheet, PAINT_NONE, "%s", "no records");
		return;
	}
	title(p);
	table_init(&t, "lrrrsrrr");
	heading(&t);
	for (size_t i = 0; i < UMPIRES; i++) {
		add_side(&t, p, &c->side[i]);
		umpire_release(&c->side[i].umpire);
		free(c->side[i].file);
	}
	table_print(&t, &p->sheet);
	footnotes(p, c);
	free(c);
	p->self = NULL;
}

const struct view_ops view_compare = { .record = record, .over = over,
	.end = end };
