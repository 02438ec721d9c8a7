/* explain.c - --explain CALL: how one call was judged, and why.
 *
 * CALL is its id, or the line number of its message or its result (or of an
 * answer).  If several calls have the id, each is explained.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/advice.h"
#include "reports.h"
#include "term/term.h"

#define NAMES_MAX 8		/* calls named when the wanted one is missing */
#define COLUMNS 72
#define LABEL 11

/* A call of the current step that was asked for, or may be. */
struct target {
	char *id;		/* JSON text; empty: an answer */
	size_t line;
	bool wanted;		/* false: unless its result has the line */
	struct buf head, call, result;
	unsigned long counter[RULES];	/* of its step; 0: did not move */
};

/* Some calls by name. */
struct names {
	struct buf ids;
	size_t n;
	char *last;		/* JSON text */
};

struct explain {
	struct target *t;
	size_t n, cap;
	unsigned long found;
	struct names first, judged;	/* for the error if none is found */
};

/* What each rule saw; {same} is how often the outcome was the same. */
static const char *const rules[] = {
	[RULE_REPEAT] = "The same call returned the same result {same} times, "
	    "and no progress came in between.",
	[RULE_REPEAT_WEAK] = "The same call returned the same result {same} "
	    "times, apart from times, numbers and ids.",
	[RULE_SAME_ANSWER] = "{same} different calls of this tool returned "
	    "the same short answer.",
	[RULE_RETRY] = "The same call failed with the same error {same} "
	    "times, and no progress came in between.",
	[RULE_SAME_ERROR] = "This tool failed with the same error in {same} "
	    "steps, with different arguments.",
	[RULE_CYCLE] = "The same {period} calls were repeated {laps} times "
	    "with the same results; this is one of them.",
	[RULE_STALL] = "The {span} new, which makes a stall score of "
	    "{count}.",
	[RULE_FUTILE_EDITS] = "After {count} changes it still fails as it "
	    "did before.",
	[RULE_REVISIT] = "A file has gone back to an earlier state of this "
	    "turn again, and nothing was learned in between.",
	[RULE_NO_MUTATION] = "{count} steps went by without a file change, in "
	    "a task that needs one.",
	[RULE_READS] = "This is read {count} of the turn.",
	[RULE_CALLS] = "The turn has {count} calls, one of them {same} times "
	    "with the same result.",
	[RULE_BATCH] = "The message has the same call {count} times.",
	[RULE_PLAN_PROSE] = "The message only announces what comes next.",
	[RULE_STATUS_ONLY] = "The message is a status and nothing else.",
	[RULE_PREMATURE] = "The message claims that checks passed, and none "
	    "has run on the files as they are.",
	[RULE_MONOLOGUE] = "The same message came three times or more.",
};
static const char alike[] = "The same call failed {count} times with errors "
    "that differ only in numbers and ids, and no progress came in between.";
/* And what came of it. */
static const char *const outcomes[] = {
	[ACT_SHARE] = "It ran once, and this one shares its result.",
	[ACT_WARN] = "A warning followed.",
	[ACT_BLOCK] = "So the call was not run.",
	[ACT_HALT] = "So the call was not run, and the turn ended.",
};

/* ---- words on a verdict: lines of a label and a text ---- */

static void
put_label(const struct report *p, struct buf *b, const char *name)
{
	buf_adds(b, "  ");
	sheet_paint(&p->sheet, b, PAINT_DIM, slice_of(name));
	term_pad(b, LABEL - strlen(name));
}

/* Append a label and text, wrapped, and release text; nothing if it is
 * empty. */
static void
put_row(const struct report *p, struct buf *b, const char *name,
    struct buf *text)
{
	if (text->len > 0) {
		put_label(p, b, name);
		term_wrap(b, buf_view(text), LABEL + 2, LABEL + 2, COLUMNS);
	}
	buf_release(text);
}

/* A call's id, or another JSON string. */
static void
put_id(struct buf *b, const char *json, size_t columns)
{
	char *id = scan_text(slice_of(json));

	term_put(b, slice_of(id), columns);
	free(id);
}

/* The limits and, if the rules are ours, the counters. */
static void
put_numbers(const struct report *p, struct buf *b, const struct verdict *v)
{
	static const char *const parts[] = { "", " 1/6", " 1/3", " 1/2",
		" 2/3", " 5/6" };
	unsigned long whole = v->score / POINT;
	const char *part = parts[v->score % POINT];
	const struct { const char *name; unsigned long n; } row[] = {
		{ "warning", v->warn }, { "block", v->block },
		{ v->rule == RULE_STALL ? "text only" : "halt", v->halt } };
	struct buf t = BUF_INIT(BUF_RECORD_MAX);

	for (int i = 0; i < 3; i++)
		if (row[i].n != 0)
			buf_fmt(&t, t.len > 0 ? ", %s at %lu" : "%s at %lu",
			    row[i].name, row[i].n);
	if (t.len > 0 && v->gated)
		buf_adds(&t, "; block and halt are later, as something new "
		    "came back since the model was last told");
	if (t.len > 0 && v->late)
		buf_adds(&t, "; block and halt are later, as the repeat may "
		    "be wanted");
	if (t.len > 0 && v->poll)
		buf_adds(&t, "; raised for polling");
	if (t.len > 0 && v->transient)
		buf_adds(&t, "; raised for a temporary error");
	put_row(p, b, "limits", &t);
	if (p->judge->profile.foreign)
		return;
	put_label(p, b, "counters");
	if (v->rule <= RULE_CYCLE)	/* it counts outcomes */
		buf_fmt(b, "%lu with this outcome, %lu refused, in ", v->same,
		    v->refused);
	buf_fmt(b, "epoch %lu of its turn\n", v->epoch + 1);
	put_label(p, b, "");
	buf_fmt(b, "nothing new for %lu step%s; stall score ", v->steps,
	    v->steps == 1 ? "" : "s");
	if (whole > 0 || *part == '\0')
		buf_fmt(b, "%lu%s", whole, part);
	else
		buf_adds(b, part + 1);
	buf_fmt(b, " of %lu\n", p->judge->profile.policy.stall_limit);
	if (v->period > 1) {
		put_label(p, b, "cycle");
		buf_fmt(b, "period %lu, %lu laps\n", v->period, v->laps);
	}
}

static void
put_verdict(const struct report *p, struct buf *b, const struct verdict *v)
{
	const struct profile *judge = &p->judge->profile;
	struct buf t = BUF_INIT(BUF_RECORD_MAX);
	enum paint paint;
	const char *action = report_action(v, &paint);

	put_label(p, b, "verdict");
	sheet_paint(&p->sheet, b, paint, slice_of(action));
	if (v->action == ACT_ALLOW) {
		if (v->phase == PHASE_TEXT)
			buf_adds(b, ": it is an answer");
		else if (judge->foreign)
			buf_fmt(b, ": %s lets it run", judge->kind->name);
		else
			buf_fmt(b, ": call %lu of its kind", v->count);
		if (v->phase != PHASE_TEXT && !judge->foreign &&
		    v->warn > v->count)
			buf_fmt(b, ", warning at %lu", v->warn);
		buf_addc(b, '\n');
		return;
	}
	buf_adds(b, " by ");
	sheet_paint(&p->sheet, b, PAINT_BOLD, slice_of(rule_names[v->rule]));
	buf_fmt(b, ", count %lu", v->count);
	if (v->level > 0)
		buf_fmt(b, ", level %lu", v->level);
	if (v->twin != NULL) {
		buf_adds(b, ", with the result of ");
		put_id(b, v->twin, COLUMNS);
	}
	buf_addc(b, '\n');
	if (judge->foreign) {
		buf_fmt(&t, "%s: %s", judge->kind->name, judge->kind->about);
	} else if (v->text) {
		buf_fmt(&t, "The message had to be text only. %s",
		    outcomes[v->action]);
	} else if (v->action == ACT_HALT && v->halt == 0) {
		buf_adds(&t, "The turn was over before this call. No call "
		    "runs until the next message by a person.");
	} else {
		/* two sentences: what was seen, and what came of it */
		advice_fill(v->rule == RULE_RETRY && v->action == ACT_WARN &&
		    v->same < v->count ? alike : rules[v->rule], v, NULL, &t);
		buf_fmt(&t, " %s", outcomes[v->action]);
	}
	put_row(p, b, judge->foreign ? "rule" : "why", &t);
}

/* ---- firings ---- */

static struct target *
find(struct explain *x, size_t line, const char *id)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->t[i].line == line && strcmp(x->t[i].id, id) == 0)
			return &x->t[i];
	return NULL;
}

/* Add a name for the error if the call is not found. */
static void
name_call(struct names *s, const char *json)
{
	if (s->last != NULL && strcmp(s->last, json) == 0)
		return;
	free(s->last);
	s->last = xstrdup(json);
	if (++s->n > NAMES_MAX)
		return;
	s->ids.max = BUF_RECORD_MAX;
	buf_adds(&s->ids, s->n > 1 ? ", " : "");
	put_id(&s->ids, json, 40);
}

static void
fired(struct report *p, const struct verdict *v, bool over)
{
	struct explain *x = p->self;
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	(void)over;
	if (v->action != ACT_ALLOW && v->call_id != NULL)
		name_call(&x->judged, v->call_id);
	struct target *t = v->call_id != NULL ? find(x, v->call_line,
	    v->call_id) : find(x, v->line, "");
	if (t == NULL)
		return;
	struct buf *b = v->phase == PHASE_RESULT ? &t->result : &t->call;
	put_verdict(p, b, v);
	if (v->phase != PHASE_TEXT)
		put_numbers(p, b, v);
	for (size_t i = 0; i < v->nevidence; i++) {
		if (i > 0)
			buf_adds(&text, ", ");
		put_id(&text, v->evidence[i].id, COLUMNS);
		buf_fmt(&text, " (line %zu)", v->evidence[i].line);
	}
	put_row(p, b, "rests on", &text);
	text = BUF_INIT(BUF_RECORD_MAX);
	buf_adds(&text, v->message != NULL ? v->message : "");
	put_row(p, b, "text", &text);
}

static void
counted(struct report *p, enum rule rule, unsigned long value, size_t line)
{
	struct explain *x = p->self;

	(void)line;
	for (size_t i = 0; i < x->n; i++)
		if (x->t[i].counter[rule] < value)
			x->t[i].counter[rule] = value;
}

static void
constrained(struct report *p, enum rule rule, size_t line)
{
	struct explain *x = p->self;

	(void)rule, (void)line;
	for (size_t i = 0; i < x->n; i++) {
		put_label(p, &x->t[i].result, "then");
		buf_adds(&x->t[i].result, "the next message must be text "
		    "only\n");
	}
}

/* ---- targets ---- */

static struct target *
target_new(struct explain *x, const char *id, size_t line)
{
	GROW(x->t, x->n, x->cap);
	struct target *t = &x->t[x->n++];
	*t = (struct target){ .id = xstrdup(id), .line = line };
	t->head.max = t->call.max = t->result.max = BUF_RECORD_MAX;
	return t;
}

/* "  session.jsonl:12, turn 1, step 3", and more. */
static void
put_place(const struct report *p, struct buf *b, size_t line)
{
	buf_adds(b, "  ");
	term_put(b, slice_of(p->name), SIZE_MAX);
	buf_fmt(b, ":%zu, turn %llu, step %llu", line,
	    (unsigned long long)p->usage.here.turns,
	    (unsigned long long)p->usage.here.steps);
}

/* ---- a step ---- */

static void
show_part(const struct report *p, const char *title, const struct buf *b)
{
	sheet_line(&p->sheet, PAINT_CYAN, "%s", title);
	if (b->len > 0)
		rec_put(p->sheet.out, slice_trim_end(buf_view(b), "\n"));
	else
		sheet_line(&p->sheet, PAINT_NONE, "  no verdict");
}

/* The step is over: print the calls of it that were asked for. */
static void
show(struct report *p)
{
	struct explain *x = p->self;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < x->n; i++) {
		struct target *t = &x->t[i];
		bool answer = *t->id == '\0';

		if (t->wanted) {
			x->found++;
			if (p->begun)
				sheet_line(&p->sheet, PAINT_NONE, "%s", "");
			p->begun = true;
			rec_put(p->sheet.out,
			    slice_trim_end(buf_view(&t->head), "\n"));
			show_part(p, answer ? "as an answer" :
			    "before the call", &t->call);
			if (!answer)
				show_part(p, "after the step", &t->result);
			for (int k = 0; k < RULES; k++)
				if (t->counter[k] > 0)
					buf_fmt(&b, b.len > 0 ? ", %s %lu" :
					    "  %s %lu", rule_names[k],
					    t->counter[k]);
			if (b.len > 0)
				show_part(p, "counters of the step", &b);
			buf_reset(&b);
		}
		free(t->id);
		bufs_release(BUFS(&t->head, &t->call, &t->result));
	}
	buf_release(&b);
	x->n = 0;
}

static void
record(struct report *p, const struct rec *r)
{
	struct explain *x = p->self;
	struct usage *u = &p->usage;
	const struct usage_call *c;
	struct buf text = BUF_INIT(BUF_RECORD_MAX), title = text;
	struct target *t;

	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		show(p);
	for (size_t i = u->first; i < u->n && r->kind == R_ASSISTANT; i++) {
		c = &u->call[i];
		bool wanted = scan_str_is(slice_of(c->id), p->call) ||
		    (p->line != 0 && c->line == p->line);
		name_call(&x->first, c->id);
		if (!wanted && p->line == 0)
			continue;
		t = target_new(x, c->id, c->line);
		t->wanted = wanted;
		buf_reset(&title);
		put_id(&title, c->id, COLUMNS);
		sheet_paint(&p->sheet, &t->head, PAINT_BOLD, buf_view(&title));
		put_place(p, &t->head, c->line);
		buf_fmt(&t->head, ", call %llu\n",
		    (unsigned long long)c->number);
		put_label(p, &t->head, "call");
		put_id(&t->head, c->name, 40);
		buf_adds(&t->head, "  ");
		term_put(&t->head, slice_of(c->args), COLUMNS);
		buf_addc(&t->head, '\n');
	}
	buf_release(&title);
	c = u->result_of;
	if (r->kind == R_TOOL && c != NULL &&
	    (t = find(x, c->line, c->id)) != NULL) {
		t->wanted |= r->no == p->line;
		msg_text(rec_get(r, "content"), &text);
		put_label(p, &t->head, "result");
		buf_fmt(&t->head, "line %zu, ", r->no);
		count_put(&t->head, text.len, "byte");
		buf_adds(&t->head, scan_true(rec_get(r, "is_error")) ?
		    ", failed\n" : "\n");
		buf_release(&text);
	}
	if (r->kind != R_ASSISTANT || u->n > u->first || r->no != p->line)
		return;
	/* an answer, which has no calls: by its line */
	t = target_new(x, "", r->no);
	t->wanted = true;
	msg_text(rec_get(r, "content"), &text);
	sheet_paint(&p->sheet, &t->head, PAINT_BOLD, SLICE("an answer"));
	put_place(p, &t->head, r->no);
	buf_addc(&t->head, '\n');
	put_label(p, &t->head, "text");
	term_put(&t->head, buf_view(&text), COLUMNS);
	buf_addc(&t->head, '\n');
	buf_release(&text);
}

static void
end(struct report *p)
{
	struct explain *x = p->self;
	bool any = x->judged.n > 0, missing = x->found == 0 &&
	    !p->stage->failed;
	const struct names *s = any ? &x->judged : &x->first;

	if (missing)
		stage_status(p->stage, ST_NO);
	if (missing && x->first.n == 0)
		err_say("--explain %s: the transcript has no calls", p->call);
	else if (missing)
		err_say("--explain %s: no such call among %llu; %s %s%s; give "
		    "an id, or the line of a call's message or result",
		    p->call, (unsigned long long)p->usage.all.calls,
		    any ? "there are verdicts on" : "there are", s->ids.p,
		    s->n > NAMES_MAX ? " and others" : "");
	FREE(x->t, x->first.last, x->judged.last);
	bufs_release(BUFS(&x->first.ids, &x->judged.ids));
}

const struct report_ops report_explain = { .allow = true,
	.size = sizeof(struct explain), .record = record, .fired = fired,
	.counted = counted, .constrained = constrained, .over = show,
	.end = end };
