/* call_phase.c - may the calls of an assistant message run, and is a message
 * without calls an answer? */
#include <stdlib.h>

#include "base/hash.h"
#include "internal.h"
#include "prose/prose.h"
#include "text/volatile.h"

#define NUDGES_TURN 6		/* most answers refused in a turn */
#define LATE 4			/* times as many before a late refusal */

/* ---- what the rules say about a streak ---- */

uint64_t
streak_outcome_key(const struct streak *e)
{
	/* failures are equal if they are equal when normalized */
	uint64_t h = e->failed ? e->d.norm : e->d.hash;

	return (h << 32 | h >> 32) ^ e->sig.b;
}

/* A refusal is held back while other calls bring news; polls and transient
 * errors may be repeated more often. */
static void
streak_limits(const struct guard *g, const struct traits *t,
    const struct streak *e, struct verdict *v)
{
	const struct policy *p = g->policy;
	unsigned long times = guard_repeat_factor(g, t, e->failed);

	if (times < e->times)
		times = e->times;
	v->warn = p->warn * times;
	v->block = p->block;
	v->halt = p->halt;
	if (g->news > e->news && p->spaced_block > p->block) {
		v->gated = true;
		v->block = p->spaced_block;
		v->halt += p->spaced_block - p->block;
	}
	if (e->transient) {
		v->warn *= t->poll ? 2 : 1;
		times *= 2;
	}
	v->late = t->late && times < LATE;
	if (v->late)
		times = LATE;
	v->block *= times;
	v->halt *= times;
	v->poll = t->poll;
	v->transient = e->transient;
	v->same = e->n;
	v->refused = e->refused;
}

void
streak_judge(struct guard *g, const struct traits *t, const struct streak *e,
    struct verdict *v)
{
	uint64_t pair = streak_outcome_key(e);
	size_t period, laps;

	streak_limits(g, t, e, v);
	v->rule = e->failed ? RULE_RETRY : RULE_REPEAT;
	if (!cycle_find(&g->cycle, &period, &laps) || period < 2)
		return;
	for (size_t i = 0; i < period; i++)
		if (g->cycle.back[i] == pair) {
			v->period = period;
			v->laps = laps;
			v->rule = RULE_CYCLE;
			return;
		}
}

void
error_judge(const struct guard *g, const struct traits *t,
    const struct streak *f, struct verdict *v)
{
	const struct policy *p = g->policy;
	unsigned long pauses = guard_repeat_factor(g, t, true) *
	    (f->transient ? 2 : 1), times = pauses;

	v->warn = p->same_warn;
	v->block = p->same_block;
	if (t->bash || t->network) {	/* often not the tool's own failure */
		v->warn++;
		v->block = 0;
	} else if (g->news > f->news && p->spaced_block > p->block) {
		v->gated = true;
		v->block += p->spaced_block - p->block;
	}
	/* other calls brought something new, so the work goes on */
	if (g->news > f->news)
		times *= 2;
	v->warn *= times;
	v->block *= pauses;
	v->poll = t->poll;
	v->transient = f->transient;
	v->same = f->n;
	v->refused = f->refused;
}

/* ---- verdicts ---- */

/* Refuse the call; v has the rule and the evidence. */
static void
refuse(struct guard *g, struct open_call *o, struct verdict *v,
    enum action action, enum advice a)
{
	v->steps = g->stall.empty;
	char *message = advice(a, v, &(struct facts){
	    .tool = slice_of(o->tool) });
	v->action = action;
	v->message = message;
	if (action == ACT_HALT)
		guard_halt(g, o, &(struct verdict){ .action = ACT_HALT,
		    .rule = v->rule, .count = v->count, .message = message });
	guard_put_call(g, o, v);
	free(message);
}

/* Refuse a tool that fails in the same way whatever its arguments.  Its most
 * frequent error in this epoch among those of different calls decides. */
static bool
refuse_faulty(struct guard *g, struct open_call *o)
{
	struct streak *f = NULL;
	struct verdict v = { .rule = RULE_SAME_ERROR };

	for (unsigned i = 1; i <= g->faults.n; i++) {
		struct streak *e = &g->faults.e[i];

		if (e->sig.a == o->is.tool && e->varied && (f == NULL ||
		    e->n + e->refused > f->n + f->refused))
			f = e;
	}
	if (f == NULL)
		return false;
	error_judge(g, &o->is, f, &v);
	/* a step counts once, however many calls it has */
	v.count = f->n + f->refused + (f->step != o->step);
	v.evidence = f->calls.c;
	v.nevidence = f->calls.n;
	if (v.block == 0 || v.count < v.block)
		return false;
	f->refused += f->step != o->step;
	f->step = o->step;
	f->news = g->news;
	step_raise_weight(&g->step, POINT, false);
	refuse(g, o, &v, ACT_BLOCK, A_SAME_ERROR_BLOCK);
	return true;
}

static void
judge_alone(struct guard *g, struct open_call *o)
{
	struct streak *e = streaks_get(&g->seen, o->is.does);
	unsigned long most = guard_reads(g, true);
	struct verdict v = { .action = ACT_ALLOW, .rule = RULE_REPEAT,
		.count = 1 };

	/* the first repeat after a compaction is free: what the model had
	 * seen has left its window; more lines of an output are not known
	 * yet */
	if (e != NULL && (e->n == 0 || e->epoch != g->epoch ||
	    e->window != g->window || (o->is.cuts && e->last != o->is.sig.b)))
		e = NULL;
	if (e != NULL) {
		traits_update(&o->is, e->state, e->patient, e->failed);
		o->is.poll |= e->live;
		streak_limits(g, &o->is, e, &v);
		v.count += e->n + e->refused;
		v.evidence = e->calls.c;
		v.nevidence = e->calls.n;
	}
	if (g->policy->counts_only) {
		o->action = ACT_ALLOW;
		return;
	}
	if (e != NULL && (v.count >= v.block || v.count >= v.halt)) {
		bool halts = v.count >= v.halt;

		streak_judge(g, &o->is, e, &v);
		enum advice a = v.rule == RULE_CYCLE ? A_CYCLE_BLOCK :
		    v.rule == RULE_RETRY ? A_RETRY_BLOCK : A_REPEAT_BLOCK;
		/* the next sentence in the table is the halt's */
		refuse(g, o, &v, halts ? ACT_HALT : ACT_BLOCK, a + halts);
		if (halts)
			return;
		e->refused++;
		e->news = g->news;
		guard_note_stuck(g, e->n + e->refused, e->times);
		step_raise_weight(&g->step, repeat_weight(o->is.poll,
		    e->transient), false);
		return;
	}
	if (refuse_faulty(g, o))
		return;
	if (o->is.looks && most != 0 && g->reads >= most) {
		/* enough was read in this turn: block, but never halt */
		v = (struct verdict){ .rule = RULE_READS,
			.count = g->reads + 1, .warn = guard_reads(g, false),
			.block = most };
		refuse(g, o, &v, ACT_BLOCK, A_READS_BLOCK);
		return;
	}
	o->action = ACT_ALLOW;
	if (g->sink.allow)
		guard_put_call(g, o, &v);
}

/* ---- a message's calls ---- */

/* Is the identical call earlier in this message, with nothing between that may
 * change files?  Then its result serves both; else this one takes its place. */
static bool
share(struct guard *g, struct map *same, struct open_call *o)
{
	struct slice key = { (const char *)&o->is.sig, sizeof o->is.sig };
	uint64_t *at = map_put(same, key, NULL);
	struct open_call *twin = &g->call[*at - (*at != 0)];
	struct call_ref evidence = { .id = twin->id, .line = twin->line };

	if (*at == 0 || twin->changes != o->changes) {
		*at = (uint64_t)(o - g->call) + 1;
		return false;
	}
	struct verdict v = { .action = ACT_SHARE, .rule = RULE_BATCH,
		.count = ++twin->same + 1, .evidence = &evidence,
		.nevidence = 1, .twin = twin->id };
	char *message = advice(A_SHARE, &v, NULL);
	v.message = message;
	guard_put_call(g, o, &v);
	free(message);
	return true;
}

/* Refuse a call of a message that had to be text. */
static void
refuse_calls(struct guard *g, struct open_call *o)
{
	const struct stall *s = &g->stall;
	struct verdict v = { .rule = s->over ? RULE_STALL : g->text_rule,
		.count = s->over ? s->score / POINT : g->text_count,
		.text = true, .evidence = g->last.c, .nevidence = g->last.n };

	if (v.rule == RULE_STALL) {
		v.evidence = s->calls.c;
		v.nevidence = s->calls.n;
		v.warn = g->policy->stall_warn;
		v.halt = g->policy->stall_limit;
	}
	refuse(g, o, &v, ACT_HALT, A_TEXT_HALT);
}

void
guard_calls(struct guard *g)
{
	bool forced = g->text_only > 0;
	struct map same = { .n = 0 };
	unsigned long changes = 0;

	g->text_only -= forced;
	g->answers.nudged_call = 0;
	g->answers.same = 0;
	for (size_t i = g->step.first; i < g->ncall; i++) {
		struct open_call *o = &g->call[i];

		o->changes = changes;
		if (o->exempt)
			o->action = ACT_ALLOW;
		else if (g->halt.on)	/* holds for every later call */
			guard_put_halted(g, o);
		/* text was asked for, or the stall went on after it */
		else if (!g->policy->counts_only && (forced || g->stall.over))
			refuse_calls(g, o);
		else if (g->step.left == 1 || !share(g, &same, o))
			judge_alone(g, o);
		changes += o->action == ACT_ALLOW && !o->is.reads;
		o->changes = changes;
	}
	map_release(&same);
}

/* ---- a message without calls ---- */

/* What is wrong with the message: what to say, and the rule.  A_NONE: nothing
 * is. */
static enum advice
judge_text(struct guard *g, struct slice text, enum rule *rule)
{
	struct answers *a = &g->answers;
	uint64_t h = hash_bytes(text.p, text.n);
	bool compacted = a->compacted;

	a->same = a->same > 0 && a->text == h ? a->same + 1 : 1;
	a->text = h;
	a->compacted = false;
	*rule = RULE_STATUS_ONLY;
	if (prose_is_status(text))
		return A_STATUS_ONLY;
	guard_count(g, RULE_MONOLOGUE, a->same);
	*rule = RULE_MONOLOGUE;
	if (a->same >= MONOLOGUE)
		return A_MONOLOGUE;
	*rule = RULE_PREMATURE;
	if (a->ran != AFTER_CHANGE && !compacted && prose_claims_pass(text))
		return a->ran == NEVER ? A_PREMATURE_NONE : A_PREMATURE;
	*rule = RULE_PLAN_PROSE;
	int plan = prose_plan(text);
	if (plan > 0)
		guard_count(g, RULE_PLAN_PROSE, (unsigned long)plan);
	return plan >= PLAN ? A_PLAN_PROSE : A_NONE;
}

void
guard_answer(struct guard *g, const struct rec *r)
{
	struct answers *a = &g->answers;
	struct slice content = rec_get(r, "content");
	struct slice finish = rec_get(r, "finish_reason");
	struct verdict v = { .action = ACT_ALLOW, .phase = PHASE_TEXT };
	struct nudge nudge = { .n = 0 };
	enum advice wrong = A_NONE;
	char sig[SHA_HEX], *message = NULL;

	if (g->text_only > 0)
		g->text_only--;
	buf_reset(&g->said);
	buf_reset(&g->text);
	buf_addc(&g->text, '\0');	/* a name would stand before it */
	msg_text(content, &g->text);
	/* a plan, perhaps, if the turn has changed nothing */
	if (g->still == g->steps && content.n <= g->said.max)
		buf_slice(&g->said, slice_from(buf_view(&g->text), 1));
	buf_reserve(&g->text, VOLATILE_MARGIN);
	struct slice text = slice_trim(slice_from(buf_view(&g->text), 1));
	/* a null reason means that the message was cut off */
	if (text.n > 0 && (finish.p == NULL || scan_str_is(finish, "stop")))
		wrong = judge_text(g, text, &v.rule);
	if (a->nudged_call >= NUDGES_CALL || a->nudged_turn >= NUDGES_TURN)
		wrong = A_NONE;
	if (wrong == A_NONE && !g->sink.allow)
		return;
	sign_hex(&g->signer, buf_view(&g->text), sig);
	v.signature = sig;
	if (wrong == A_NONE) {
		v.rule = RULE_STATUS_ONLY;
		v.count = a->nudged_call;
		guard_put(g, NULL, &v);
		return;
	}
	v.action = ACT_WARN;
	v.count = ++a->nudged_call;
	a->nudged_turn++;
	v.message = message = advice(wrong, &v, NULL);
	guard_put(g, NULL, &v);
	nudge_add(&nudge, &v, false);
	nudge_put(&nudge, g->sink.stage);
	free(message);
}
