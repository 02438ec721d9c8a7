/* tell.c - a verdict goes out, and to who watches. */
#include "guard.h"

void
tell(struct guard *g, const struct open_call *c, struct verdict *v,
    struct why *w)
{
	char sig[SHA_HEX];
	struct firing f = { .v = v, .why = w, .line = g->line,
		.turn = g->turn };

	if (c != NULL) {
		f.call_line = c->line;
		v->call_id = c->id;
		v->name = c->name;
	}
	w->epoch = g->epoch;
	w->steps = g->stall.steps;
	w->score = g->stall.score;
	if (g->policy->status && (v->action == ACT_BLOCK ||
	    v->action == ACT_HALT))
		stage_status(g->stage, ST_NO);
	if (v->action == ACT_ALLOW && !g->policy->allow)
		return;
	if (c != NULL) {
		sign_hex(&g->sign, &c->about, sig);
		v->signature = sig;
	}
	say_verdict(g->stage, v);
	if (g->watch.fired != NULL)
		g->watch.fired(g->watch.self, &f);
}

void
tell_count(const struct guard *g, enum rule r, unsigned long value)
{
	if (g->watch.counted != NULL)
		g->watch.counted(g->watch.self, r, value, g->line);
}
