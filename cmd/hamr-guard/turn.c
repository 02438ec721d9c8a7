/* turn.c - what begins again: a turn, a recovery; what holds for all. */
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "guard.h"

#define SMALL_WINDOW 32768	/* chapter 3.2: where reads are counted */
#define SMALL_WARN 32
#define SMALL_MOST 64

void
stall_reset(struct stall *s)
{
	ids_clear(&s->ids);
	*s = (struct stall){ .score = 0 };
}

void
halt_lift(struct halt *h)
{
	free(h->id);
	free(h->message);
	*h = (struct halt){ .on = false };
}

static void
faults_clear(struct guard *g)
{
	for (size_t i = 0; i < FAULTS && g->faulty; i++)
		if (g->fault[i].tool != 0) {
			ids_clear(&g->fault[i].ids);
			g->fault[i] = (struct fault){ .tool = 0 };
		}
	g->faulty = false;
}

/* A message by a person: what came before is no evidence any more. */
void
turn_begin(struct guard *g)
{
	bool ran = g->answers.ran;

	g->turn++;
	g->epoch = g->window = g->news = 0;
	g->steps = g->stuck = 0;
	g->calls = g->reads = g->still = 0;
	g->calls_asked = false;
	seen_clear(&g->seen);
	hset_clear(&g->lines);
	hset_clear(&g->errors);
	files_clear(&g->files);
	faults_clear(g);
	cycle_clear(&g->cycle);
	ids_clear(&g->last);
	stall_reset(&g->stall);
	halt_lift(&g->halt);
	g->text_only = 0;
	g->answers = (struct answers){ .ran = ran };
}

static void
at_most(unsigned *v, unsigned long most)
{
	if (*v > most)
		*v = (unsigned)most;
}

/* The loop begins again after a failed turn: counts to the warn level. */
void
turn_recover(struct guard *g)
{
	const struct policy *p = g->policy;

	halt_lift(&g->halt);
	for (unsigned i = 1; i <= g->seen.n; i++) {
		struct seen *e = &g->seen.e[i];
		unsigned long times = e->poll ? p->poll : 1;

		at_most(&e->n, p->warn * times);
		at_most(&e->weak, p->weak_warn * times);
		e->refused = 0;
	}
	for (size_t i = 0; i < FAULTS; i++) {
		at_most(&g->fault[i].n, p->same_warn);
		g->fault[i].refused = 0;
	}
	at_most(&g->stuck, p->warn);
	if (g->stall.score > p->stall_warn * POINT)
		g->stall.score = p->stall_warn * POINT;
	g->stall.asked = g->stall.over = false;
}

/* ---- what the transcript says of itself ---- */

void
turn_mode(struct guard *g, const struct rec *r)
{
	const struct policy *p = g->policy;
	struct slice mode = { NULL, 0 };

	if (p->mode_flag || r == NULL) {
		g->patch = p->mode != NULL && strcmp(p->mode, "patch") == 0;
		return;
	}
	if (r->kind == R_HAMR)
		mode = rec_get(r, "mode");
	else
		mode = scan_get(rec_get(r, "set"), "agent.mode");
	if (scan_kind(mode) == SCAN_STRING)
		g->patch = scan_str_is(mode, "patch");
}

void
turn_limit(struct guard *g, const struct rec *r)
{
	const struct policy *p = g->policy;
	long limit = -1, window;
	int64_t n;

	if (r != NULL && rec_int(r, "context_tokens", &n) && n > 0)
		limit = (long)n;
	window = budget_from(p->conf, -1, limit).window;
	g->few_reads = !p->reads_set && window > 0 && window < SMALL_WINDOW;
}

unsigned long
guard_reads(const struct guard *g, bool most)
{
	if (g->few_reads)
		return most ? SMALL_MOST : SMALL_WARN;
	return most ? g->policy->max_reads : g->policy->warn_reads;
}
