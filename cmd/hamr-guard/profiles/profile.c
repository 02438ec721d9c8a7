/* profile.c - who judges a transcript, by name, and what other systems' rules
 * have in common.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "internal.h"
#include "profile.h"

void
foreign_count(struct streak *e, const struct open_call *c)
{
	e->n++;
	call_row_add(&e->calls, COUNTED_MAX, c->id, c->line);
}

/* ---- warnings, held until the end of the step ---- */

void
foreign_put(struct foreign *p, struct open_call *c, const struct verdict *v,
    enum advice a, const struct facts *more)
{
	struct facts f = more != NULL ? *more : (struct facts){ .wait = 0 };
	struct verdict now = *v;
	char *message;

	if (c->action >= ACT_BLOCK ||
	    (v->action == ACT_WARN && c->seen->nheld == WARNINGS_MAX))
		return;
	f.tool = slice_of(c->tool);
	now.same = v->count;
	now.message = message = advice(a, v, &f);
	if (v->action != ACT_WARN) {
		guard_put_call(p->guard, c, &now);
		if (v->action == ACT_HALT)
			guard_halt(p->guard, c, &now);
		free(message);
		return;
	}
	now.note = v->level == 0;
	struct held *h = &c->seen->held[c->seen->nheld++];
	h->message = message;
	for (size_t i = 0; i < v->nevidence; i++)
		call_row_add(&h->evidence, SIZE_MAX, v->evidence[i].id,
		    v->evidence[i].line);
	now.evidence = h->evidence.c;
	h->v = now;
}

/* ---- calls ---- */

static void
taken(struct guard *g, struct open_call *c, struct slice args)
{
	struct seen *s = c->seen = xcalloc(1, sizeof *s);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	size_t tool = strlen(c->tool) + 1;
	uint64_t hash[2];

	s->parsed = args.p != NULL;
	buf_fmt(&b, "%s|", c->tool);
	if (s->parsed)
		canonical_value(args, true, &b);
	else
		buf_slice(&b, buf_view(&g->signer.args));
	hash_128(b.p, b.len, hash);
	s->sorted = (struct sig){ hash[0], hash[1] };
	s->args = xmemdup0(b.p + tool, b.len - tool);
	buf_release(&b);
}

static void
seen_free(struct seen *s)
{
	for (size_t i = 0; i < s->nheld; i++) {
		call_row_clear(&s->held[i].evidence);
		free(s->held[i].message);
	}
	free(s->args);
	free(s);
}

static void
calls(struct guard *g)
{
	struct foreign *p = g->self;
	const struct system *y = p->system;
	size_t first = g->step.first;

	if (y->message != NULL && !g->halt.on)
		y->message(p, &g->call[first], g->ncall - first);
	for (size_t i = first; i < g->ncall; i++) {
		struct open_call *c = &g->call[i];

		if (g->halt.on) {
			guard_put_halted(g, c);
			continue;
		}
		if (y->call != NULL)
			y->call(p, c);
		if (c->action < ACT_BLOCK && g->sink.allow)
			guard_put_call(g, c, &(struct verdict){
			    .action = ACT_ALLOW, .rule = RULE_REPEAT });
	}
}

/* ---- results ---- */

static void
step(struct guard *g)
{
	struct foreign *p = g->self;
	struct nudge nudge = { .n = 0 };

	if (p->system->step != NULL && !g->halt.on)
		p->system->step(p, &g->call[g->ncall - 1]);
	for (size_t i = g->step.first; i < g->ncall; i++) {
		struct open_call *c = &g->call[i];

		for (size_t k = 0; k < c->seen->nheld &&
		    c->action < ACT_BLOCK; k++) {
			struct verdict *v = &c->seen->held[k].v;

			v->phase = PHASE_RESULT;
			guard_put(g, c, v);
			nudge_add(&nudge, v, false);
		}
	}
	if (p->text_only)
		sink_constrain(&g->sink, RULE_STALL, 1, g->line);
	p->text_only = false;
	nudge_put(&nudge, g->sink.stage);
}

static void
result(struct guard *g, struct open_call *c, const struct rec *r)
{
	struct foreign *p = g->self;
	struct foreign_result res = { .r = r,
		.failed = scan_true(rec_get(r, "is_error")) };

	if (p->system->result == NULL)
		return;
	buf_reset(&g->text);
	msg_text(rec_get(r, "content"), &g->text);
	res.text = buf_view(&g->text);
	p->system->result(p, c, &res);
}

/* ---- turns ---- */

static void
turn(struct guard *g)
{
	struct foreign *p = g->self;
	struct memory *m = &p->m;

	streaks_release(&m->calls);
	streaks_release(&m->results);
	call_row_clear(&m->row);
	hash_set_release(&m->outputs);
	hash_set_release(&m->paths);
	*m = (struct memory){ .total = 0 };
}

static void
record(struct guard *g, const struct rec *r)
{
	struct slice mode = { NULL, 0 };

	if (r->kind == R_RECOVERY)	/* a new run in those systems */
		guard_turn(g);
	else if (r->kind == R_HAMR)
		mode = rec_get(r, "mode");
	else if (r->kind == R_CONFIG)
		mode = scan_get(rec_get(r, "set"), "agent.mode");
	if (scan_kind(mode) == SCAN_STRING)
		g->patch = scan_str_is(mode, "patch");
}

static const struct rules foreign_rules = { .calls = calls, .taken = taken,
	.result = result, .step = step, .record = record, .turn = turn,
	.forget = seen_free };

/* ---- profiles, by name ---- */

const struct profile_kind profiles[PROFILES] = {
	{ "default", "outcomes, gain and epochs: 3, 5, 8", NULL },
	{ "strict", "as default, halts at 5 whatever comes between", NULL },
	{ "hamr", "5 equal reads, 4 equal commands, 64 reads, 10 steps",
	    &system_hamr },
	{ "openfang", "totals of name and arguments: 3, 5; breaker at 30",
	    &system_openfang },
	{ "hermes", "a window of 10: runs of 3, A-B-A-B, A-B-C-A-B-C",
	    &system_hermes },
	{ "nanobot", "words only, at the 3rd and the 5th in a row",
	    &system_nanobot },
	{ "kimi", "8 steps without a change or news: one step of text",
	    &system_kimi },
	{ "off", "judges nothing", NULL },
};

size_t
profile_find(const char *name)
{
	size_t i = 0;

	while (i < PROFILES && strcmp(profiles[i].name, name) != 0)
		i++;
	return i;
}

bool
profile_reads(size_t i, const char *key)
{
	static const char *const all[] = { "loop_guard.enabled",
		"loop_guard.profile", "loop_guard.tools",
		/* for hamr-loop */
		"agent.max_tool_calls", NULL };
	static const char *const foreign[] = {
		"loop_guard.global_circuit_breaker",
		"loop_guard.outcome_warn_threshold",
		"loop_guard.outcome_block_threshold",
		"loop_guard.ping_pong_min_repeats", NULL };
	const struct system *system = profiles[i].system;
	const char *name = profiles[i].name;
	struct slice k = slice_of(key);

	if (slice_in(k, all) || strcmp(name, "off") == 0)
		return true;
	if (strcmp(name, "strict") == 0 && strcmp(key,
	    "loop_guard.interleaved_block_threshold") == 0)
		return false;	/* it has no gate */
	if (system == NULL)
		return !slice_in(k, foreign);
	for (const struct limit *l = system->limits; l->key != NULL; l++)
		if (slice_is(k, l->key))
			return true;
	return false;
}

void
profile_init(struct profile *p, size_t i, const struct profile_env *env)
{
	const struct system *system = profiles[i].system;

	*p = (struct profile){ .kind = &profiles[i] };
	policy_read(&p->policy, env->conf,
	    system != NULL ? "default" : p->kind->name);
	p->foreign = system != NULL && !p->policy.off;
	if (!p->foreign) {
		guard_init(&p->guard, &guard_rules, &env->sink, &p->policy);
		p->guard.signer.rules = env->rules;
		return;
	}
	guard_init(&p->guard, &foreign_rules, &env->sink, &p->policy);
	struct foreign *o = p->guard.self = xcalloc(1, sizeof *o);
	o->system = system;
	o->guard = &p->guard;
	for (size_t k = 0; system->limits[k].key != NULL; k++) {
		const struct limit *l = &system->limits[k];

		o->limit[k] = l->theirs != 0 && conf_is_set(env->conf,
		    l->key) ? (unsigned long)conf_int(env->conf, l->key) :
		    l->theirs;
	}
}

void
profile_release(struct profile *p)
{
	guard_release(&p->guard);
	free(p->guard.self);
}
