/* compare.c - --compare: one row per profile, over the same transcripts. */
#include <stdint.h>
#include <string.h>

#include "base/num.h"
#include "reports.h"
#include "term/term.h"

#define FILE_COLUMNS 28		/* of a file's name in a row */

static void
add_judge(struct table *t, const struct report *p, const struct judge *j)
{
	const struct savings *y = &j->savings;
	uint64_t all = p->usage.all.tokens, tokens = tokens_of(y->tokens);
	bool several = p->stage->nfiles > 1;
	struct buf first = BUF_INIT(BUF_RECORD_MAX);
	const char *slash = j->file != NULL ? strrchr(j->file, '/') : NULL;

	table_add(t, PAINT_BOLD, "%s", j->profile.kind->name);
	for (enum action k = ACT_WARN; k <= ACT_HALT; k++)
		table_number(t, y->said[k] > 0 ? action_paints[k] : PAINT_DIM,
		    y->said[k]);
	if (y->first.line != 0) {
		buf_fmt(&first, "%s %s, ", action_names[y->first.action],
		    rule_names[y->first.rule]);
		if (several)
			term_put(&first, slice_of(slash != NULL ? slash + 1 :
			    j->file), FILE_COLUMNS);
		buf_fmt(&first, several ? ":%zu" : "line %zu", y->first.line);
		if (y->first.call > 0)
			buf_fmt(&first, ", call %s",
			    num_grouped((int64_t)y->first.call).s);
		table_text(t, PAINT_NONE, buf_view(&first));
	} else {
		table_add(t, PAINT_DIM, "never");
	}
	buf_release(&first);
	table_number(t, y->calls > 0 ? PAINT_GREEN : PAINT_DIM, y->calls);
	table_number(t, tokens > 0 ? PAINT_GREEN : PAINT_DIM, tokens);
	if (y->tokens > 0)
		table_add(t, PAINT_DIM, "%llu %%", (unsigned long long)
		    (y->tokens * 100 / (all > 0 ? all : 1)));
	else
		table_text(t, PAINT_DIM, SLICE(""));
}

static void
end(struct report *p)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	unsigned long notes = 0;
	struct table t;

	if (p->stage->nfiles == 1) {
		term_put(&b, slice_of(p->stage->files[0]), SIZE_MAX);
		buf_adds(&b, ": ");
	}
	if (p->usage.transcripts > 1)
		count_put(&b, p->usage.transcripts, "transcript");
	amounts_put(&p->usage.all, &b);
	sheet_line(&p->sheet, PAINT_BOLD, "%s", b.p);
	table_init(&t, "lrrrsrrr", "profile\twarnings\tblocks\thalts\t"
	    "first firing\tcalls\ttokens\t");
	for (size_t i = 0; i < PROFILES; i++) {
		add_judge(&t, p, &p->judge[i]);
		notes += p->judge[i].savings.notes;
	}
	table_print(&t, &p->sheet);
	sheet_line(&p->sheet, PAINT_DIM, "  calls and tokens: what each "
	    "profile would have saved, or, if they were needed, lost");
	if (notes > 0)
		sheet_line(&p->sheet, PAINT_DIM, "  not counted as warnings: "
		    "%lu note%s of hamr (a read from its cache) and nanobot "
		    "(an error with its history)", notes,
		    notes == 1 ? "" : "s");
	buf_release(&b);
}

const struct report_ops report_compare = { .all = true, .end = end };
