/* calls.c - the call phase: may the calls of an assistant message run? */
#include <stdlib.h>

#include "mem.h"
#include "guard.h"

/* ---- a call taken in ---- */

static char *
json_text(struct slice v)
{
	return v.p != NULL ? xmemdup0(v.p, v.n) : xstrdup("\"\"");
}

static bool
is_listed(struct slice name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(name, list[i]))
			return true;
	return false;
}

static struct open_call *
take_in(struct guard *g, const struct call *c)
{
	const struct policy *p = g->policy;
	struct open_call *o;
	char *tool;

	g->call = xgrow(g->call, g->ncall, &g->capcall, sizeof *g->call);
	o = &g->call[g->ncall];
	*o = (struct open_call){ .id = json_text(c->id), .turn = g->turn,
		.name = json_text(c->name) };
	tool = guard_tool(o);
	/* an object may stand in place of its text */
	sign_call(&g->sign, slice_of(tool), c->given, &o->about);
	/* what has no name is no call that could run */
	o->exempt = c->name.p == NULL ||
	    is_listed(slice_of(tool), p->exempt, p->nexempt);
	if (is_listed(slice_of(tool), p->poll_tools, p->npoll))
		o->about.poll = true;
	free(tool);
	pairing_call(&g->pairing, c->id, g->ncall++);
	return o;
}

/* ---- verdicts ---- */

static void
say(struct guard *g, struct open_call *o, struct verdict *v)
{
	o->said = v->action;
	v->call_id = o->id;
	v->name = o->name;
	v->phase = PHASE_CALL;
	v->signature = o->about.sig;
	if (v->action == ACT_BLOCK || v->action == ACT_HALT) {
		if (v->action == ACT_BLOCK)
			g->step.blocked = true;
		else
			g->step.halted = true;
		if (g->policy->status)
			stage_status(g->stage, ST_NO);
	}
	if (v->action != ACT_ALLOW || g->policy->allow)
		say_verdict(g->stage, v);
}

/* A halt goes on for every later call. */
static void
say_halted(struct guard *g, struct open_call *o)
{
	struct verdict v = { .action = ACT_HALT, .rule = g->halt.rule,
		.count = g->halt.count, .evidence = &g->halt.id,
		.nevidence = 1, .message = g->halt.message };

	say(g, o, &v);
}

static void
halt_begin(struct guard *g, struct open_call *o, struct verdict *v,
    char *message)
{
	g->halt = (struct halt){ true, v->rule, v->count, xstrdup(o->id),
		message };
	v->action = ACT_HALT;
	v->message = message;
	say(g, o, v);
}

static void
halt_stalled(struct guard *g, struct open_call *o)
{
	struct facts f = { .steps = g->stall.steps };
	struct verdict v = { .rule = RULE_STALL,
		.count = g->stall.score / POINT, .evidence = g->stall.id,
		.nevidence = g->stall.nid };

	halt_begin(g, o, &v, guard_words(W_STALL_HALT, &f));
}

static void
say_share(struct guard *g, struct open_call *o, struct open_call *twin)
{
	char *message = guard_words(W_SHARE, &(struct facts){ .count = 0 });
	struct verdict v = { .action = ACT_SHARE, .rule = RULE_BATCH,
		.count = ++twin->same + 1, .evidence = &twin->id,
		.nevidence = 1, .twin = twin->id, .message = message };

	say(g, o, &v);
	free(message);
}

/* ---- the streak ---- */

struct limits {
	unsigned long block, halt;
};

/* A refusal is held back while new things come, checks that wait for
 * something may be repeated longer, errors that may pass too. */
static struct limits
limits_of(const struct guard *g, const struct open_call *o,
    const struct seen *e)
{
	const struct policy *p = g->policy;
	struct limits l = { p->block, p->halt };
	unsigned long times = 1;

	if (g->news > e->told && p->fresh_block > p->block) {
		l.block = p->fresh_block;
		l.halt += p->fresh_block - p->block;
	}
	if (o->about.poll)
		times *= p->poll;
	if (e->transient)
		times *= 2;
	l.block *= times;
	l.halt *= times;
	return l;
}

static void
refuse(struct guard *g, struct open_call *o, struct seen *e,
    unsigned long count, bool halts)
{
	char *tool = guard_tool(o), *message;
	struct facts f = { .tool = slice_of(tool), .count = count,
		.steps = g->stall.steps };
	struct verdict v = { .action = ACT_BLOCK, .count = count,
		.rule = guard_name_streak(g, e, &f), .evidence = e->id,
		.nevidence = e->nid };
	bool cycle = v.rule == RULE_CYCLE;

	if (halts) {
		halt_begin(g, o, &v, guard_words(cycle ? W_CYCLE_HALT :
		    W_REPEAT_HALT, &f));
	} else {
		message = guard_words(cycle ? W_CYCLE_BLOCK : W_REPEAT_BLOCK,
		    &f);
		v.message = message;
		say(g, o, &v);
		free(message);
		e->blocked++;
		e->told = g->news;
		step_weigh(&g->step, guard_weight(o->about.poll,
		    e->transient));
	}
	free(tool);
}

static void
judge_streak(struct guard *g, struct open_call *o)
{
	struct seen *e = seen_get(&g->seen, o->about.sig);
	struct verdict v = { .action = ACT_ALLOW, .rule = RULE_REPEAT,
		.count = 1 };

	/* the first repeat after a compaction is free: what the model had
	 * seen has left its window */
	if (e != NULL && e->epoch == g->epoch && e->window == g->window) {
		struct limits l = limits_of(g, o, e);

		v.count += e->n + e->blocked;
		v.evidence = e->id;
		v.nevidence = e->nid;
		if (v.count >= l.block || v.count >= l.halt) {
			refuse(g, o, e, v.count, v.count >= l.halt);
			return;
		}
	}
	say(g, o, &v);
}

/* ---- a message's calls ---- */

/* The identical call earlier in this message, with nothing between that may
 * change files; else this one takes its place. */
static struct open_call *
twin_of(struct guard *g, struct map *same, struct open_call *o,
    unsigned long changes)
{
	uint64_t *at = map_put(same, slice_of(o->about.sig), NULL);

	if (*at != 0 && g->call[*at - 1].changes == changes)
		return &g->call[*at - 1];
	*at = g->ncall;
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
		judge_streak(g, o);
	if (o->said == ACT_ALLOW && !o->about.reads)
		++*changes;
	o->changes = *changes;
}

void
guard_calls(struct guard *g, struct slice calls)
{
	bool forced = g->text_only > 0;
	struct map same = { .n = 0 };
	unsigned long changes = 0;
	struct walk w;
	struct call c;

	g->text_only -= forced;
	g->nudged_call = 0;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c)) {
		judge(g, take_in(g, &c), &same, forced, &changes);
		g->step.left++;
	}
	map_release(&same);
}
