/* calibrate.c - --calibrate: each rule at each threshold, over many
 * transcripts. */
#include <string.h>

#include "reports.h"

#define STEPS 22

/* Thresholds tried: those of the rules, and some around them. */
static const unsigned long steps[STEPS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256 };

struct row {
	unsigned long reached;	/* how often the counter got there */
	unsigned long transcripts;	/* in how many transcripts */
	uint64_t last;		/* the number of the last of these */
	const char *file;	/* the first firing */
	size_t line;
};

struct calibrate {
	struct row row[RULES][STEPS];
};

/* A rule that has reached its threshold fires with each further count, but for
 * two. */
static bool
comes_again(enum rule rule, unsigned long value, unsigned long threshold)
{
	unsigned long times = value / threshold;

	return (rule != RULE_FUTILE_EDITS && rule != RULE_SAME_ANSWER) ||
	    (value % threshold == 0 && (rule == RULE_FUTILE_EDITS ||
	    (times & (times - 1)) == 0));
}

static void
counted(struct report *p, enum rule rule, unsigned long value, size_t line)
{
	struct calibrate *x = p->self;

	for (size_t i = 0; i < STEPS && steps[i] <= value; i++) {
		struct row *r = &x->row[rule][i];

		if (!comes_again(rule, value, steps[i]))
			continue;
		r->reached++;
		if (r->last == p->usage.transcripts)
			continue;
		r->last = p->usage.transcripts;
		if (r->transcripts++ == 0) {
			r->file = p->name;
			r->line = line;
		}
	}
}

/* ---- the table ---- */

/* What a rule does at threshold n in this configuration. */
static const char *
in_force(const struct policy *p, enum rule rule, unsigned long n)
{
	const struct {
		unsigned long warn, block, halt;
	} limits[RULES] = {
		[RULE_REPEAT] = { p->warn, p->block, p->halt },
		[RULE_RETRY] = { p->warn, p->block, p->halt },
		[RULE_REPEAT_WEAK] = { .warn = p->weak_warn },
		[RULE_SAME_ANSWER] = { .warn = p->answer_warn },
		[RULE_SAME_ERROR] = { p->same_warn, p->same_block, 0 },
		[RULE_STALL] = { p->stall_warn, 0, p->stall_limit },
		[RULE_FUTILE_EDITS] = { p->futile_warn, 0,
		    FUTILE_TEXT * p->futile_warn },
		[RULE_NO_MUTATION] = { .warn = p->explore },
		[RULE_READS] = { p->warn_reads, p->max_reads, 0 },
		[RULE_CALLS] = { .halt = p->soft_calls },
		[RULE_PLAN_PROSE] = { .warn = PLAN },
		[RULE_MONOLOGUE] = { .warn = MONOLOGUE },
		[RULE_REVISIT] = { .warn = 1 },
		[RULE_STATUS_ONLY] = { .warn = 1 },
		[RULE_PREMATURE] = { .warn = 1 },
	};

	if (n == limits[rule].warn)
		return "warn";
	if (n == limits[rule].block)
		return "block";
	return n != limits[rule].halt ? "" : rule == RULE_STALL ||
	    rule == RULE_FUTILE_EDITS || rule == RULE_CALLS ? "text only" :
	    "halt";
}

/* Each rule from its lowest threshold up to where nothing fires any more, and
 * which thresholds are in force. */
static void
end(struct report *p)
{
	/* rules that count a whole turn start where a turn is long */
	static const unsigned char lowest[RULES] = { [RULE_READS] = 8,
		[RULE_CALLS] = 8, [RULE_NO_MUTATION] = 8, [RULE_REVISIT] = 1,
		[RULE_PREMATURE] = 1, [RULE_STATUS_ONLY] = 1 };
	const struct policy *policy = &p->judge->profile.policy;
	struct calibrate *x = p->self;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	enum rule last = RULES;
	struct table t;

	count_put(&b, p->usage.transcripts, "transcript");
	count_put(&b, p->usage.all.calls, "call");
	sheet_line(&p->sheet, PAINT_BOLD, "%s: how often each rule would "
	    "have fired, threshold by threshold", b.p);
	table_init(&t, "lrlrrre",
	    "rule\tfrom\tnow\ttimes\ttranscripts\tshare\tfirst at");
	for (size_t i = 0; i < RULES * (size_t)STEPS; i++) {
		enum rule rule = (enum rule)(i / STEPS);
		const struct row *r = &x->row[rule][i % STEPS];
		unsigned long n = steps[i % STEPS];
		unsigned long from = lowest[rule] != 0 ? lowest[rule] : 2;
		const char *now = in_force(policy, rule, n);

		if (x->row[rule][0].reached == 0 || n < from ||
		    (r->reached == 0 && *now == '\0'))
			continue;
		table_add(&t, PAINT_BOLD, "%s", rule != last ?
		    rule_names[rule] : "");
		last = rule;
		table_add(&t, PAINT_NONE, "%lu", n);
		table_add(&t, strcmp(now, "warn") == 0 ? PAINT_YELLOW :
		    PAINT_RED, "%s", now);
		table_number(&t, r->reached > 0 ? PAINT_NONE : PAINT_DIM,
		    r->reached);
		table_number(&t, PAINT_NONE, r->transcripts);
		table_add(&t, PAINT_DIM, "%llu %%", (unsigned long long)
		    (r->transcripts * 100 / p->usage.transcripts));
		if (r->file != NULL)
			table_add(&t, PAINT_DIM, "%s:%zu", r->file, r->line);
		else
			table_text(&t, PAINT_DIM, SLICE(""));
	}
	table_print(&t, &p->sheet);
	buf_release(&b);
}

/* a refusal would end the counts at the threshold in force */
const struct report_ops report_calibrate = { .counts_only = true,
	.size = sizeof(struct calibrate), .counted = counted, .end = end };
