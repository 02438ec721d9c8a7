/* guard.c - the state of one transcript, and what each record does to it. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "guard.h"

#define POOL_MAX 1024		/* calls without results that are remembered
				 * beyond their step */

void
guard_init(struct guard *g, struct stage *s, const struct policy *p)
{
	*g = (struct guard){ .policy = p, .stage = s,
		.text = BUF_INIT(BUF_RECORD_MAX) };
	g->lines.max = LINES_MAX;
	g->states.max = STATES_MAX;
	cycle_init(&g->cycle, p->window);
}

/* ---- small things the parts share ---- */

uint64_t
guard_pair(const struct seen *e)
{
	uint64_t h = e->raw;

	for (int i = 0; i < 16; i++)	/* 64 bits of the signature */
		h = (h << 4 | h >> 60) ^ (unsigned char)e->sig[i];
	return h;
}

enum rule
guard_name_streak(struct guard *g, const struct seen *e, struct facts *f)
{
	uint64_t pair = guard_pair(e);
	size_t period, laps;

	if (!cycle_find(&g->cycle, &period, &laps) || period < 2)
		return RULE_REPEAT;
	for (size_t i = 0; i < period; i++)
		if (g->cycle.back[i] == pair) {
			f->period = period;
			f->laps = laps;
			return RULE_CYCLE;
		}
	return RULE_REPEAT;
}

char *
guard_words(enum word w, const struct facts *f)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	words_say(w, f, &b);
	return buf_detach(&b);
}

char *
guard_tool(const struct open_call *c)
{
	char *s = scan_strdup(slice_of(c->name));

	return s != NULL ? s : xstrdup("");
}

int
guard_weight(bool poll, bool transient)
{
	if (poll)
		return POINT / 3;
	return transient ? POINT / 2 : POINT;
}

void
step_weigh(struct step *s, int weight)
{
	if (weight > s->weight)
		s->weight = weight;
}

void
stall_reset(struct stall *s)
{
	for (size_t i = 0; i < s->nid; i++)
		free(s->id[i]);
	*s = (struct stall){ .score = 0 };
}

/* ---- turns and steps ---- */

static void
halt_lift(struct halt *h)
{
	free(h->id);
	free(h->message);
	*h = (struct halt){ .on = false };
}

/* A message by a person: what came before is no evidence any more. */
static void
turn_begin(struct guard *g)
{
	g->turn++;
	g->epoch = g->window = g->news = 0;
	seen_clear(&g->seen);
	hset_clear(&g->lines);
	hset_clear(&g->states);
	cycle_clear(&g->cycle);
	stall_reset(&g->stall);
	halt_lift(&g->halt);
	g->text_only = g->nudged_call = g->nudged_turn = 0;
}

static void
at_most(unsigned *v, unsigned long most)
{
	if (*v > most)
		*v = (unsigned)most;
}

/* The loop begins again after a failed turn: counts to the warn level. */
static void
recover(struct guard *g)
{
	const struct policy *p = g->policy;

	halt_lift(&g->halt);
	for (unsigned i = 1; i <= g->seen.n; i++) {
		struct seen *e = &g->seen.e[i];

		at_most(&e->n, e->poll ? p->warn * p->poll : p->warn);
		e->blocked = 0;
	}
	if (g->stall.score > p->stall_warn * POINT)
		g->stall.score = p->stall_warn * POINT;
	g->stall.asked = g->stall.over = false;
}

static void
pool_empty(struct guard *g)
{
	for (size_t i = 0; i < g->ncall; i++) {
		free(g->call[i].id);
		free(g->call[i].name);
	}
	g->ncall = 0;
	pairing_reset(&g->pairing);
}

/* A message that is no result: the step in hand gets no more verdicts. */
static void
step_close(struct guard *g)
{
	g->step = (struct step){ .first = g->ncall };
	if (g->pairing.open > 0 && g->ncall < POOL_MAX)
		return;
	pool_empty(g);
	g->step.first = 0;
}

/* ---- records ---- */

/* Is this an array with anything in it? */
static bool
has_elements(struct slice v)
{
	size_t i = 1;

	if (scan_kind(v) != SCAN_ARRAY)
		return false;
	while (strchr(" \t\r", v.p[i]) != NULL)
		i++;
	return v.p[i] != ']';
}

bool
guard_is_own(const struct rec *r)
{
	if (rec_is_message(r->kind))
		return msg_by(r, "guard");
	return (r->kind == R_VERDICT || r->kind == R_CONSTRAIN) &&
	    rec_str_is(r, "stage", "hamr-guard");
}

void
guard_record(struct guard *g, const struct rec *r)
{
	struct slice calls;

	if (g->policy->off || guard_is_own(r))
		return;
	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		step_close(g);
	switch (r->kind) {
	case R_ASSISTANT:
		calls = rec_get(r, "tool_calls");
		if (has_elements(calls))
			guard_calls(g, calls);
		else
			guard_answer(g, r);
		break;
	case R_TOOL:
		guard_result(g, r);
		break;
	case R_USER:
		if (msg_is_person(r))
			turn_begin(g);
		break;
	case R_COMPACTION:
		hset_clear(&g->lines);
		g->window++;
		break;
	case R_RECOVERY:
		recover(g);
		break;
	default:
		break;
	}
}

void
guard_reset(struct guard *g)
{
	turn_begin(g);
	pool_empty(g);
	g->step = (struct step){ .first = 0 };
}

void
guard_release(struct guard *g)
{
	guard_reset(g);
	seen_release(&g->seen);
	hset_release(&g->lines);
	hset_release(&g->states);
	cycle_release(&g->cycle);
	free(g->call);
	buf_release(&g->text);
	sign_release(&g->sign);
}
