/* step.c - the last result of a step has come: what is to be said of it. */
#include <stdlib.h>

#include "guard.h"

COLD static void
say_warn(struct guard *g, const struct open_call *c, struct verdict *v,
    struct why *why, enum word w, struct facts *f, struct nudge *nudge)
{
	char *tool = scan_strdup(slice_of(c->name)), *message;

	f->tool = slice_of(tool != NULL ? tool : "");
	f->steps = g->stall.steps;
	message = guard_words(w, f);
	v->action = ACT_WARN;
	v->phase = PHASE_RESULT;
	v->message = message;
	tell(g, c, v, why);
	nudge_add(nudge, v->rule, message);
	free(message);
	free(tool);
}

/* ---- what is due on a call ---- */

/* Of a row of calls, the last n but the call itself. */
static void
evidence(struct verdict *v, struct why *w, const struct ids *ids,
    unsigned long n, bool itself)
{
	size_t have = ids->n, skip;

	if (itself && have > 0)
		have--;
	skip = have > n ? have - n : 0;
	v->evidence = ids->id + skip;
	v->nevidence = have - skip;
	w->line = ids->line + skip;
}

COLD static void
warn_streak(struct guard *g, struct open_call *c,
    const struct word_due *due, struct nudge *nudge)
{
	const struct policy *p = g->policy;
	struct seen *e = seen_get(&g->seen, c->about.sig);
	struct facts f = { .count = due->count };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct why why = { .warn = 0 };
	enum word w = W_REPEAT_WARN;

	if (e == NULL)
		return;		/* pushed out since */
	if (v.rule != RULE_REPEAT_WEAK)
		v.rule = streak_rule(g, e, &f);
	evidence(&v, &why, &e->ids, due->count - 1, true);
	streak_why(g, &c->about, e, &why);
	why.period = f.period;
	why.laps = f.laps;
	if (v.rule == RULE_REPEAT_WEAK) {
		why.warn = p->weak_warn * (c->about.poll ? p->poll : 1);
		why.block = why.halt = 0;
		why.same = e->weak;
	}
	e->told = g->news;
	f.history = &e->ids;
	if (v.rule == RULE_CYCLE) {
		w = W_CYCLE_WARN;
	} else if (c->about.poll) {
		w = W_REPEAT_POLL;
		f.laps = due->count - why.warn;
	} else if (v.rule == RULE_RETRY && e->transient) {
		w = W_RETRY_WAIT;
		f.laps = due->count - why.warn;
	} else if (v.rule == RULE_RETRY) {
		w = due->count > p->retries ? W_RETRY_WARN : W_RETRY_HINT;
	} else if (v.rule == RULE_REPEAT_WEAK) {
		w = W_WEAK_WARN;
	}
	say_warn(g, c, &v, &why, w, &f, nudge);
}

COLD static void
warn_fault(struct guard *g, struct open_call *c, const struct word_due *due,
    struct nudge *nudge)
{
	struct seen *f = seen_get(&g->faults, (struct sig){ c->about.tool,
	    due->about });
	struct facts facts = { .count = due->count };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct limits l;
	struct why why;

	if (f == NULL || f->n == 0)
		return;		/* it has worked since */
	l = fault_limits(g, &c->about, f);
	why = (struct why){ .warn = l.warn, .block = l.block,
		.poll = c->about.poll, .transient = f->transient };
	facts.history = &f->ids;
	why.same = f->n;
	why.refused = f->refused;
	evidence(&v, &why, &f->ids, due->count - 1, true);
	f->told = g->news;
	say_warn(g, c, &v, &why, W_SAME_ERROR_WARN, &facts, nudge);
}

COLD static void
warn_answer(struct guard *g, struct open_call *c,
    const struct word_due *due, struct nudge *nudge)
{
	const struct seen *e = seen_get(&g->same, (struct sig){
	    c->about.tool, due->about });
	struct facts f = { .count = due->count };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct why why = { .warn = g->policy->answer_warn *
		(c->about.poll ? g->policy->poll : 1), .same = due->count };

	if (e != NULL)
		evidence(&v, &why, &e->ids, IDS_MAX, true);
	say_warn(g, c, &v, &why, W_SAME_ANSWER, &f, nudge);
}

COLD static void
warn_futile(struct guard *g, struct open_call *c,
    const struct word_due *due, struct nudge *nudge)
{
	const struct seen *e = seen_get(&g->seen, c->about.sig);
	struct facts f = { .count = due->count };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct why why = { .warn = g->policy->futile_warn };

	if (e != NULL && e->checks != NULL)
		evidence(&v, &why, e->checks, IDS_MAX, true);
	say_warn(g, c, &v, &why, g->step.futile != 0 ? W_FUTILE_TEXT :
	    W_FUTILE_WARN, &f, nudge);
}

COLD static void
warn_revisit(struct guard *g, struct open_call *c,
    const struct word_due *due, struct nudge *nudge)
{
	const struct ids *by = files_maker(&g->files, due->about);
	struct facts f = { .count = due->count };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct why why = { .warn = 1 };

	if (by != NULL)
		evidence(&v, &why, by, IDS_MAX, false);
	say_warn(g, c, &v, &why, W_REVISIT_WARN, &f, nudge);
}

COLD static void
warn_reads(struct guard *g, struct open_call *c, const struct word_due *due,
    struct nudge *nudge)
{
	struct facts f = { .count = due->count,
		.limit = guard_reads(g, true) };
	struct verdict v = { .count = due->count, .rule = due->rule };
	struct why why = { .warn = guard_reads(g, false),
		.block = f.limit };

	say_warn(g, c, &v, &why, f.limit != 0 ? W_READS_WARN :
	    W_READS_WARN_ONLY, &f, nudge);
}

static void
warn_call(struct guard *g, struct open_call *c, struct nudge *nudge)
{
	for (size_t i = 0; i < c->ndue; i++)
		switch (c->due[i].rule) {
		case RULE_SAME_ERROR:
			warn_fault(g, c, &c->due[i], nudge);
			break;
		case RULE_SAME_ANSWER:
			warn_answer(g, c, &c->due[i], nudge);
			break;
		case RULE_FUTILE_EDITS:
			warn_futile(g, c, &c->due[i], nudge);
			break;
		case RULE_REVISIT:
			warn_revisit(g, c, &c->due[i], nudge);
			break;
		case RULE_READS:
			warn_reads(g, c, &c->due[i], nudge);
			break;
		default:
			warn_streak(g, c, &c->due[i], nudge);
		}
}

/* ---- what is due on the step ---- */

COLD static void
ask_for_text(struct guard *g, enum rule rule, unsigned long count)
{
	if (g->text_only > 0)
		return;
	g->text_only = 1;
	g->text_rule = rule;
	g->text_count = count;
	say_constrain(g->stage, rule, g->text_only);
	if (g->watch.constrained != NULL)
		g->watch.constrained(g->watch.self, rule, g->line);
}

static enum word
stall_word(const struct guard *g)
{
	if (g->step.idle)
		return W_STALL_IDLE;
	return g->step.sweep && 2 * g->stall.sweeps >= g->stall.ids.n ?
	    W_STALL_SWEEP : W_STALL_WARN;
}

COLD static void
say_stall(struct guard *g, struct nudge *nudge, bool limit)
{
	const struct policy *p = g->policy;
	struct stall *s = &g->stall;
	struct facts f = { .count = s->score / POINT };
	struct verdict v = { .rule = RULE_STALL, .count = s->score / POINT };
	struct why why = { .warn = p->stall_warn, .halt = p->stall_limit };

	evidence(&v, &why, &s->ids, IDS_MAX, false);
	say_warn(g, &g->call[g->ncall - 1], &v, &why, limit ? W_STALL_TEXT :
	    stall_word(g), &f, nudge);
	if (limit && s->asked) {
		s->over = true;
	} else if (limit) {
		s->asked = true;
		ask_for_text(g, RULE_STALL, v.count);
	}
}

static void
warn_stall(struct guard *g, struct nudge *nudge)
{
	const struct policy *p = g->policy;
	unsigned long score = g->stall.score;
	bool limit = score >= p->stall_limit * POINT;

	/* of a refused or repeated call enough was said */
	if (limit || (score >= p->stall_warn * POINT && !g->step.blocked &&
	    nudge->n == 0))
		say_stall(g, nudge, limit);
}

static void
add_up(struct guard *g)
{
	const struct open_call *c = &g->call[g->ncall - 1];
	struct stall *s = &g->stall;

	if (g->step.news)
		return;
	s->steps++;
	if (g->step.weight == 0)
		return;
	s->score += (unsigned long)g->step.weight;
	s->sweeps += g->step.sweep;
	ids_add(&s->ids, c->id, c->line, c->step);
	tell_count(g, RULE_STALL, s->score / POINT);
}

COLD static void
say_calls(struct guard *g, struct nudge *nudge)
{
	const struct policy *p = g->policy;
	struct facts f = { .count = g->calls };
	struct verdict v = { .rule = RULE_CALLS, .count = g->calls };
	struct why why = { .warn = p->soft_calls, .same = g->stuck };

	g->calls_asked = true;
	evidence(&v, &why, &g->last, IDS_MAX, false);
	say_warn(g, &g->call[g->ncall - 1], &v, &why, W_CALLS_TEXT, &f,
	    nudge);
	ask_for_text(g, RULE_CALLS, v.count);
}

/* Many calls, and one of them over and over: time to say what is known. */
static void
warn_calls(struct guard *g, struct nudge *nudge)
{
	const struct policy *p = g->policy;

	tell_count(g, RULE_CALLS, g->calls);
	if (p->soft_calls != 0 && g->calls >= p->soft_calls &&
	    g->stuck >= p->stuck && g->text_only == 0 &&
	    (!g->calls_asked || g->step.stuck))
		say_calls(g, nudge);
}

COLD static void
say_still(struct guard *g, struct nudge *nudge, unsigned long over)
{
	static const enum word words[] = { W_STILL_1, W_STILL_2, W_STILL_3 };
	unsigned long first = g->policy->explore;
	struct facts f = { .count = g->still };
	struct verdict v = { .rule = RULE_NO_MUTATION, .count = g->still };
	struct why why = { .warn = first, .same = g->still };

	v.level = over < 2 ? over + 1 : 3;
	evidence(&v, &why, &g->last, IDS_MAX, false);
	say_warn(g, &g->call[g->ncall - 1], &v, &why, words[v.level - 1], &f,
	    nudge);
}

/* 8, 9, 10 steps and nothing was changed; then again as long as that. */
static void
warn_still(struct guard *g, struct nudge *nudge)
{
	unsigned long first = g->policy->explore, over;

	if ((!g->task && !g->contract) || first == 0)
		return;
	tell_count(g, RULE_NO_MUTATION, g->still);
	if (g->still < first)
		return;
	over = g->still - first;
	if (over <= 2 || (over - 2) % first == 0)
		say_still(g, nudge, over);
}

void
step_end(struct guard *g)
{
	const struct open_call *c = &g->call[g->ncall - 1];
	struct nudge nudge = { .n = 0 };

	g->still = g->step.changed ? 0 : g->still + 1;
	ids_add(&g->last, c->id, c->line, c->step);
	add_up(g);
	for (size_t i = g->step.first; i < g->ncall; i++)
		warn_call(g, &g->call[i], &nudge);
	if (!g->step.news && g->step.weight > 0 && !g->step.halted)
		warn_stall(g, &nudge);
	if (g->step.futile != 0 && !g->step.halted)
		ask_for_text(g, RULE_FUTILE_EDITS, g->step.futile);
	if (!g->step.halted) {
		warn_calls(g, &nudge);
		warn_still(g, &nudge);
	}
	nudge_say(&nudge, g->stage);
}
