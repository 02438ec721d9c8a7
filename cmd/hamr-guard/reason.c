/* reason.c - why something was said of a call, in words for people. */
#include <stdlib.h>
#include <string.h>

#include "reason.h"
#include "term.h"

/* What each rule looks for. */
static const char *const table[] = {
	[RULE_REPEAT] = "the same call (tool and arguments) with an unchanged "
	    "outcome, whatever came between, since the last progress",
	[RULE_REPEAT_WEAK] = "the same call with an outcome that differs in "
	    "times, durations, numbers, ids and the like only",
	[RULE_SAME_ANSWER] = "different calls of one tool with the same short "
	    "answer",
	[RULE_RETRY] = "the same call failing again with the same error",
	[RULE_SAME_ERROR] = "one tool failing with one error, whatever its "
	    "arguments",
	[RULE_CYCLE] = "several calls going round with unchanged outcomes",
	[RULE_STALL] = "steps that return nothing new, weighted and added up",
	[RULE_PLACEHOLDER] = "calls that cannot return anything new: no command "
	    "at all, a constant, an empty file",
	[RULE_FUTILE_EDITS] = "edits that leave a failing check as it was",
	[RULE_REVISIT] = "a file that is back in a state of this turn for the "
	    "second time",
	[RULE_SWEEP] = "reading past the end of a file, or lines already "
	    "shown",
	[RULE_NO_MUTATION] = "steps without a file change, in a task that wants "
	    "one",
	[RULE_READS] = "reads in one turn",
	[RULE_CALLS] = "calls in one turn",
	[RULE_BATCH] = "identical calls in one message",
	[RULE_PLAN_PROSE] = "an answer that only announces what comes next",
	[RULE_STATUS_ONLY] = "an answer that is a status and nothing else",
	[RULE_PREMATURE] = "a claim that checks passed though none has run "
	    "since the last change",
	[RULE_MONOLOGUE] = "the same answer again and again",
};

static const char *
rule_about(enum rule r)
{
	return table[r];
}

void
reason_label(const struct reason *p, struct buf *b, const char *name)
{
	buf_adds(b, "  ");
	sheet_paint(p->sheet, b, PAINT_DIM, slice_of(name));
	term_pad(b, REASON_LABEL - strlen(name));
}

/* Text behind a label, wrapped; it is empty then. */
static void
put_row(const struct reason *p, struct buf *b, const char *name,
    struct buf *text)
{
	reason_label(p, b, name);
	term_wrap(b, buf_view(text), REASON_LABEL + 2, REASON_LABEL + 2,
	    REASON_COLUMNS);
	buf_release(text);
}

static void
put_points(struct buf *b, unsigned long sixths)
{
	static const char *const parts[] = { "", " 1/6", " 1/3", " 1/2",
		" 2/3", " 5/6" };

	if (sixths == 0 || sixths >= POINT)
		buf_fmt(b, "%lu%s", sixths / POINT, parts[sixths % POINT]);
	else
		buf_adds(b, parts[sixths % POINT] + 1);
}

static void
put_limits(const struct reason *p, struct buf *b, const struct why *w)
{
	const struct { const char *name; unsigned long n; } row[] = {
		{ "warning", w->warn }, { "block", w->block },
		{ "halt", w->halt } };
	struct buf t = BUF_INIT(BUF_RECORD_MAX);

	for (int i = 0; i < 3; i++)
		if (row[i].n != 0)
			buf_fmt(&t, t.len > 0 ? ", %s at %lu" : "%s at %lu",
			    row[i].name, row[i].n);
	if (t.len == 0)
		return;
	if (w->gated)
		buf_adds(&t, "; block and halt are later, as something new "
		    "came back since the model was last told");
	if (w->poll)
		buf_adds(&t, "; raised for polling");
	if (w->transient)
		buf_adds(&t, "; raised for a temporary error");
	put_row(p, b, "limits", &t);
}

static void
put_evidence(const struct reason *p, struct buf *b, const struct firing *f)
{
	const struct verdict *v = f->v;
	struct buf t = BUF_INIT(BUF_RECORD_MAX);

	if (v->nevidence == 0)
		return;
	for (size_t i = 0; i < v->nevidence; i++) {
		char *id = scan_strdup(slice_of(v->evidence[i]));

		if (i > 0)
			buf_adds(&t, ", ");
		term_put(&t, slice_of(id != NULL ? id : ""), REASON_COLUMNS);
		if (f->why->line != NULL)
			buf_fmt(&t, " (line %zu)", f->why->line[i]);
		free(id);
	}
	put_row(p, b, "rests on", &t);
}

static void
put_counters(const struct reason *p, struct buf *b, const struct firing *f)
{
	const struct why *w = f->why;

	if (p->umpire->profile != NULL)
		return;
	reason_label(p, b, "counters");
	buf_fmt(b, "%lu with this outcome, %lu refused, in epoch %lu of its "
	    "turn\n", w->same, w->refused, w->epoch + 1);
	reason_label(p, b, "");
	if (w->steps == 0)
		buf_adds(b, "the step before returned something new");
	else
		buf_fmt(b, "nothing new for %lu step%s", w->steps,
		    w->steps == 1 ? "" : "s");
	buf_adds(b, "; stall score ");
	put_points(b, w->score);
	buf_fmt(b, " of %lu\n", p->umpire->policy.stall_limit);
	if (w->period > 1) {
		reason_label(p, b, "cycle");
		buf_fmt(b, "period %lu, %lu laps\n", w->period, w->laps);
	}
}

static void
put_allowed(const struct reason *p, struct buf *b, const struct firing *f)
{
	unsigned long warn = f->why->warn;

	reason_label(p, b, "verdict");
	sheet_paint(p->sheet, b, PAINT_GREEN, SLICE("allow"));
	if (f->v->phase == PHASE_TEXT) {
		buf_adds(b, ": it is an answer\n");
		return;
	}
	if (p->umpire->profile != NULL) {
		buf_fmt(b, ": %s lets it run\n", p->umpire->name);
		return;
	}
	buf_fmt(b, ": call %lu of its kind", f->v->count);
	if (warn > f->v->count)
		buf_fmt(b, ", warning at %lu", warn);
	buf_addc(b, '\n');
}

static void
put_twin(struct buf *b, const char *json)
{
	char *id = scan_strdup(slice_of(json));

	buf_adds(b, ", with the result of ");
	term_put(b, slice_of(id != NULL ? id : ""), REASON_COLUMNS);
	free(id);
}

static void
put_said(const struct reason *p, struct buf *b, const struct firing *f)
{
	const struct verdict *v = f->v;
	const struct umpire *u = p->umpire;
	struct buf rule = BUF_INIT(BUF_RECORD_MAX);
	bool note = tally_is_note(v);

	reason_label(p, b, "verdict");
	sheet_paint(p->sheet, b, note ? PAINT_DIM : people_paint(v->action),
	    slice_of(note ? "note" : action_name(v->action)));
	buf_fmt(b, " by ");
	sheet_paint(p->sheet, b, PAINT_BOLD, slice_of(rule_name(v->rule)));
	buf_fmt(b, ", count %lu", v->count);
	if (v->level > 0)
		buf_fmt(b, ", level %lu", v->level);
	if (v->twin != NULL)
		put_twin(b, v->twin);
	buf_addc(b, '\n');
	buf_adds(&rule, u->profile == NULL ? rule_about(v->rule) : u->name);
	if (u->profile != NULL)
		buf_fmt(&rule, ": %s", u->about);
	put_row(p, b, "rule", &rule);
}

static void
put_message(const struct reason *p, struct buf *b, const char *text)
{
	struct buf t = BUF_INIT(BUF_RECORD_MAX);

	if (text == NULL)
		return;
	buf_adds(&t, text);
	put_row(p, b, "told", &t);
}

void
reason_put(const struct reason *p, struct buf *b, const struct firing *f)
{
	if (f->v->action == ACT_ALLOW)
		put_allowed(p, b, f);
	else
		put_said(p, b, f);
	if (f->v->phase != PHASE_TEXT) {
		put_limits(p, b, f->why);
		put_counters(p, b, f);
	}
	put_evidence(p, b, f);
	put_message(p, b, f->v->message);
}
