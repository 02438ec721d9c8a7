/* calls.c - the call phase: may the calls of an assistant message run? */
#include <stdlib.h>

#include "guard.h"
#include "mem.h"

/* ---- a call taken in ---- */

static char *
json_text(struct slice v)
{
	return v.p != NULL ? xmemdup0(v.p, v.n) : xstrdup("\"\"");
}

/* The decoded name as [loop_guard] tools has it; yours. */
static char *
tool_name(const struct policy *p, struct slice json)
{
	char *s = scan_strdup(json), *to;
	struct slice name;

	if (s == NULL)
		return xstrdup("");
	name = policy_tool(p, slice_of(s));
	if (name.p == s)
		return s;
	to = xmemdup0(name.p, name.n);
	free(s);
	return to;
}

static bool
is_listed(struct slice name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(name, list[i]))
			return true;
	return false;
}

static void
take_in(struct guard *g, const struct call *c)
{
	const struct policy *p = g->policy;
	struct open_call *o;
	char *tool;

	g->call = xgrow(g->call, g->ncall, &g->capcall, sizeof *g->call);
	o = &g->call[g->ncall];
	*o = (struct open_call){ .id = json_text(c->id),
		.name = json_text(c->name), .line = g->line, .turn = g->turn,
		.step = g->steps };
	tool = tool_name(p, slice_of(o->name));
	/* an object may stand in place of its text */
	sign_call(&g->sign, slice_of(tool), c->given, &o->about);
	/* what has no name is no call that could run */
	o->exempt = c->name.p == NULL ||
	    is_listed(slice_of(tool), p->exempt, p->nexempt);
	if (is_listed(slice_of(tool), p->poll_tools, p->npoll))
		o->about.poll = true;
	free(tool);
	pairing_call(&g->pairing, c->id, g->ncall++);
}

/* ---- verdicts ---- */

static void
say(struct guard *g, struct open_call *o, struct verdict *v, struct why *w)
{
	o->said = v->action;
	v->phase = PHASE_CALL;
	g->step.blocked |= v->action == ACT_BLOCK;
	g->step.halted |= v->action == ACT_HALT;
	tell(g, o, v, w);
}

/* A halt goes on for every later call. */
COLD static void
say_halted(struct guard *g, struct open_call *o)
{
	struct why w = { .line = &g->halt.line };
	struct verdict v = { .action = ACT_HALT, .rule = g->halt.rule,
		.count = g->halt.count, .evidence = &g->halt.id,
		.nevidence = 1, .message = g->halt.message };

	say(g, o, &v, &w);
}

COLD static void
halt_begin(struct guard *g, struct open_call *o, struct verdict *v,
    struct why *w, char *message)
{
	g->halt = (struct halt){ true, v->rule, v->count, xstrdup(o->id),
		o->line, message };
	v->action = ACT_HALT;
	v->message = message;
	say(g, o, v, w);
}

/* Text was asked for, or the stall went on after it. */
COLD static void
halt_stalled(struct guard *g, struct open_call *o)
{
	const struct stall *s = &g->stall;
	struct facts f = { .steps = s->steps };
	struct why w = { .warn = g->policy->stall_warn,
		.halt = g->policy->stall_limit, .line = s->ids.line };
	struct verdict v = { .rule = s->over ? RULE_STALL : g->text_rule,
		.count = s->over ? s->score / POINT : g->text_count,
		.evidence = s->ids.id, .nevidence = s->ids.n };

	halt_begin(g, o, &v, &w, guard_words(W_TEXT_HALT, &f));
}

COLD static void
say_share(struct guard *g, struct open_call *o, struct open_call *twin)
{
	char *message = guard_words(W_SHARE, &(struct facts){ .count = 0 });
	struct why w = { .line = &twin->line };
	struct verdict v = { .action = ACT_SHARE, .rule = RULE_BATCH,
		.count = ++twin->same + 1, .evidence = &twin->id,
		.nevidence = 1, .twin = twin->id, .message = message };

	say(g, o, &v, &w);
	free(message);
}

/* ---- refusals ---- */

COLD static void
say_block(struct guard *g, struct open_call *o, struct verdict *v,
    struct why *w, enum word word, struct facts *f)
{
	char *tool = tool_name(g->policy, slice_of(o->name)), *message;

	f->tool = slice_of(tool);
	f->steps = g->stall.steps;
	message = guard_words(word, f);
	v->action = ACT_BLOCK;
	v->message = message;
	say(g, o, v, w);
	free(message);
	free(tool);
}

COLD static void
refuse(struct guard *g, struct open_call *o, struct seen *e,
    unsigned long count, bool halts)
{
	struct facts f = { .count = count };
	struct why w = { .line = e->ids.line };
	struct verdict v = { .count = count, .evidence = e->ids.id,
		.nevidence = e->ids.n };

	v.rule = streak_rule(g, e, &f);
	streak_why(g, &o->about, e, &w);
	w.period = f.period;
	w.laps = f.laps;
	if (halts) {
		f.steps = g->stall.steps;
		halt_begin(g, o, &v, &w, guard_words(v.rule == RULE_CYCLE ?
		    W_CYCLE_HALT : v.rule == RULE_RETRY ? W_RETRY_HALT :
		    W_REPEAT_HALT, &f));
		return;
	}
	say_block(g, o, &v, &w, v.rule == RULE_CYCLE ? W_CYCLE_BLOCK :
	    v.rule == RULE_RETRY ? W_RETRY_BLOCK : W_REPEAT_BLOCK, &f);
	e->refused++;
	e->told = g->news;
	guard_stuck(g, e->n + e->refused, e->poll);
	step_weigh(&g->step, guard_weight(o->about.poll, e->transient));
}

/* A tool that failed in one way whatever it was given. */
COLD static bool
refuse_fault(struct guard *g, struct open_call *o, struct seen *f)
{
	struct limits l = fault_limits(g, &o->about, f);
	struct facts facts = { .count = 1ul + f->n + f->refused };
	struct why w = { .warn = l.warn, .block = l.block, .gated = l.gated,
		.poll = o->about.poll, .transient = f->transient,
		.same = f->n, .refused = f->refused, .line = f->ids.line };
	struct verdict v = { .rule = RULE_SAME_ERROR, .count = facts.count,
		.evidence = f->ids.id, .nevidence = f->ids.n };

	if (l.block == 0 || v.count < l.block)
		return false;
	f->refused++;
	f->told = g->news;
	step_weigh(&g->step, POINT);
	say_block(g, o, &v, &w, W_SAME_ERROR_BLOCK, &facts);
	return true;
}

static bool
refuse_faulty(struct guard *g, struct open_call *o)
{
	struct seen *f = fault_worst(g, &o->about);

	return f != NULL && refuse_fault(g, o, f);
}

/* Enough was read in this turn: one line, and it climbs no ladder. */
COLD static void
say_many_reads(struct guard *g, struct open_call *o, unsigned long most)
{
	struct facts f = { .count = g->reads };
	struct why w = { .warn = guard_reads(g, false), .block = most };
	struct verdict v = { .rule = RULE_READS, .count = g->reads + 1 };

	say_block(g, o, &v, &w, W_READS_BLOCK, &f);
}

static bool
refuse_read(struct guard *g, struct open_call *o)
{
	unsigned long most = guard_reads(g, true);

	if (!o->about.looks || most == 0 || g->reads < most)
		return false;
	say_many_reads(g, o, most);
	return true;
}

/* Nearly all calls; told only where that is asked for. */
COLD static void
say_allowed(struct guard *g, struct open_call *o, const struct seen *e)
{
	struct verdict v = { .action = ACT_ALLOW, .rule = RULE_REPEAT,
		.count = 1 };
	struct why w = { .warn = 0 };

	if (e != NULL) {
		v.count += e->n + e->refused;
		v.evidence = e->ids.id;
		v.nevidence = e->ids.n;
		w.line = e->ids.line;
		streak_why(g, &o->about, e, &w);
	}
	say(g, o, &v, &w);
}

static void
judge_alone(struct guard *g, struct open_call *o)
{
	struct seen *e = seen_get(&g->seen, o->about.sig);

	/* the first repeat after a compaction is free: what the model had
	 * seen has left its window */
	if (e != NULL && (e->n == 0 || e->epoch != g->epoch ||
	    e->window != g->window))
		e = NULL;
	if (e != NULL) {
		struct limits l = streak_limits(g, &o->about, e);
		unsigned long count = 1ul + e->n + e->refused;

		if (count >= l.block || count >= l.halt) {
			refuse(g, o, e, count, count >= l.halt);
			return;
		}
	}
	if (refuse_faulty(g, o) || refuse_read(g, o))
		return;
	o->said = ACT_ALLOW;
	if (g->policy->allow)
		say_allowed(g, o, e);
}

/* ---- a message's calls ---- */

static struct slice
sig_key(const struct sig *s)
{
	return (struct slice){ (const char *)s, sizeof *s };
}

/* The identical call earlier in this message, with nothing between that may
 * change files; else this one takes its place.  An only call has no map. */
static struct open_call *
twin_of(struct guard *g, struct map *same, struct open_call *o,
    unsigned long changes)
{
	uint64_t *at;

	if (same == NULL)
		return NULL;
	at = map_put(same, sig_key(&o->about.sig), NULL);
	if (*at != 0 && g->call[*at - 1].changes == changes)
		return &g->call[*at - 1];
	*at = (uint64_t)(o - g->call) + 1;
	return NULL;
}

static void
judge(struct guard *g, struct open_call *o, struct map *same, bool forced,
    unsigned long *changes)
{
	struct open_call *twin;

	if (o->exempt)
		o->said = ACT_ALLOW;
	else if (g->halt.on)
		say_halted(g, o);
	else if (forced || g->stall.over)
		halt_stalled(g, o);
	else if ((twin = twin_of(g, same, o, *changes)) != NULL)
		say_share(g, o, twin);
	else
		judge_alone(g, o);
	if (o->said == ACT_ALLOW && !o->about.reads)
		++*changes;
	o->changes = *changes;
}

void
guard_calls(struct guard *g, struct slice calls)
{
	bool forced = g->text_only > 0;
	size_t first = g->ncall;
	struct map same = { .n = 0 };
	unsigned long changes = 0;
	struct call c;
	struct walk w;

	g->text_only -= forced;
	g->answers.nudged_call = 0;
	g->answers.same = 0;
	g->steps++;
	sign_step(&g->sign);
	walk_in(&w, calls);
	while (msg_next_call(&w, &c))
		take_in(g, &c);
	g->step.left = g->ncall - first;
	for (size_t i = first; i < g->ncall; i++)
		judge(g, &g->call[i], g->step.left > 1 ? &same : NULL, forced,
		    &changes);
	map_release(&same);
}
