/* calibrate.c - --calibrate: each rule at each threshold, over many
 * transcripts. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "people.h"

#define STEPS 22

/* Thresholds tried: where rules have theirs, and some about them. */
static const unsigned long steps[STEPS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256 };

struct row {
	unsigned long reached;	/* how often the counter had come there */
	unsigned long transcripts;	/* in how many */
	uint64_t last;		/* the last of these */
	char *file;		/* the first firing at the highest threshold */
	size_t line;
};

struct calibrate {
	struct umpire umpire;
	struct watch watch;
	struct row row[RULES][STEPS];
};

static void
counted(void *self, enum rule rule, unsigned long value, size_t line)
{
	struct people *p = self;
	struct calibrate *c = p->self;

	for (size_t i = 0; i < STEPS && steps[i] <= value; i++) {
		struct row *r = &c->row[rule][i];

		r->reached++;
		if (r->last == p->ledger.all.transcripts)
			continue;
		r->last = p->ledger.all.transcripts;
		if (r->transcripts++ == 0) {
			r->file = xstrdup(p->name);
			r->line = line;
		}
	}
}

static void
record(struct people *p, const struct rec *r)
{
	struct calibrate *c = p->self;

	if (c == NULL) {
		c = p->self = xcalloc(1, sizeof *c);
		c->watch = (struct watch){ .self = p, .counted = counted };
		umpire_init(&c->umpire, p->profile, &p->bench, &c->watch);
	}
	umpire_record(&c->umpire, r);
}

static void
over(struct people *p)
{
	umpire_reset(&((struct calibrate *)p->self)->umpire);
}

/* ---- the table ---- */

/* The limits of a rule as they are configured, 0 where it has none. */
struct limits_of {
	unsigned long warn, block, halt;
};

static struct limits_of
limits_of(const struct policy *p, enum rule rule)
{
	switch (rule) {
	case RULE_REPEAT:
	case RULE_RETRY:
		return (struct limits_of){ p->warn, p->block, p->halt };
	case RULE_REPEAT_WEAK:
		return (struct limits_of){ .warn = p->weak_warn };
	case RULE_SAME_ANSWER:
		return (struct limits_of){ .warn = p->answer_warn };
	case RULE_SAME_ERROR:
		return (struct limits_of){ p->same_warn, p->same_block, 0 };
	case RULE_STALL:
		return (struct limits_of){ p->stall_warn, 0,
		    p->stall_limit };
	case RULE_FUTILE_EDITS:
		return (struct limits_of){ p->futile_warn, 0,
		    3 * p->futile_warn };
	case RULE_NO_MUTATION:
		return (struct limits_of){ .warn = p->explore };
	case RULE_READS:
		return (struct limits_of){ p->warn_reads, p->max_reads, 0 };
	case RULE_CALLS:
		return (struct limits_of){ .warn = p->soft_calls };
	case RULE_PLAN_PROSE: return (struct limits_of){ .warn = 2 };
	case RULE_MONOLOGUE: return (struct limits_of){ .warn = 3 };
	default: return (struct limits_of){ .warn = 1 };
	}
}

static const char *
in_force(const struct policy *p, enum rule rule, unsigned long n)
{
	struct limits_of l = limits_of(p, rule);

	if (n == l.warn)
		return "warn";
	if (n == l.block)
		return "block";
	return n != l.halt ? "" : rule == RULE_STALL ||
	    rule == RULE_FUTILE_EDITS ? "text only" : "halt";
}

/* Rules that count whole turns begin where a turn is long. */
static unsigned long
lowest(enum rule rule)
{
	switch (rule) {
	case RULE_READS:
	case RULE_CALLS:
	case RULE_NO_MUTATION: return 8;
	case RULE_REVISIT:
	case RULE_PREMATURE:
	case RULE_STATUS_ONLY: return 1;
	default: return 2;
	}
}

static void
heading(struct table *t)
{
	static const char *const names[] = { "rule", "from", "now", "times",
		"transcripts", "share", "first at" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		table_add(t, PAINT_DIM, "%s", names[i]);
}

static void
add_row(struct table *t, const struct people *p, enum rule rule, size_t i,
    bool first)
{
	const struct calibrate *c = p->self;
	const struct row *r = &c->row[rule][i];
	const char *now = in_force(&c->umpire.policy, rule, steps[i]);
	uint64_t all = p->ledger.all.transcripts;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	table_add(t, PAINT_BOLD, "%s", first ? rule_name(rule) : "");
	table_add(t, PAINT_NONE, "%lu", steps[i]);
	table_add(t, strcmp(now, "warn") == 0 ? PAINT_YELLOW : PAINT_RED,
	    "%s", now);
	number_put(&b, r->reached);
	table_text(t, r->reached > 0 ? PAINT_NONE : PAINT_DIM, buf_view(&b));
	buf_reset(&b);
	number_put(&b, r->transcripts);
	table_text(t, PAINT_NONE, buf_view(&b));
	table_add(t, PAINT_DIM, "%llu %%", (unsigned long long)
	    (all > 0 ? r->transcripts * 100 / all : 0));
	if (r->file != NULL)
		table_add(t, PAINT_DIM, "%s:%zu", r->file, r->line);
	else
		table_add(t, PAINT_DIM, "%s", "");
	buf_release(&b);
}

/* From the lowest to where nothing fires any more, and what is in force. */
static void
add_rule(struct table *t, const struct people *p, enum rule rule)
{
	const struct calibrate *c = p->self;
	bool first = true;

	if (c->row[rule][0].reached == 0)
		return;
	for (size_t i = 0; i < STEPS; i++) {
		if (steps[i] < lowest(rule) || (c->row[rule][i].reached == 0 &&
		    *in_force(&c->umpire.policy, rule, steps[i]) == '\0'))
			continue;
		add_row(t, p, rule, i, first);
		first = false;
	}
}

static void
end(struct people *p)
{
	struct calibrate *c = p->self;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct table t;

	if (c == NULL) {
		sheet_line(&p->sheet, PAINT_NONE, "%s", "no records");
		return;
	}
	count_put(&b, p->ledger.all.transcripts, "transcript");
	buf_adds(&b, ", ");
	count_put(&b, p->ledger.all.calls, "call");
	sheet_line(&p->sheet, PAINT_BOLD, "%s: how often each rule would "
	    "have fired, threshold by threshold", b.p);
	table_init(&t, "lrlrrre");
	heading(&t);
	for (int r = 0; r < RULES; r++)
		add_rule(&t, p, (enum rule)r);
	table_print(&t, &p->sheet);
	for (size_t i = 0; i < RULES * (size_t)STEPS; i++)
		free(c->row[i / STEPS][i % STEPS].file);
	umpire_release(&c->umpire);
	free(c);
	p->self = NULL;
	buf_release(&b);
}

const struct view_ops view_calibrate = { .record = record, .over = over,
	.end = end };
