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

/* Files have changed: streaks and score begin again. */
void
turn_epoch(struct guard *g)
{
	g->epoch++;
	g->stuck = 0;
	seen_clear(&g->faults);
	seen_clear(&g->same);
	hset_clear(&g->answered);
	cycle_clear(&g->cycle);
}

/* What came before is no evidence any more. */
void
turn_begin(struct guard *g)
{
	struct answers was = g->answers;

	g->turn++;
	turn_epoch(g);
	g->epoch = g->window = g->news = 0;
	g->steps = 0;
	g->calls = g->reads = g->still = 0;
	g->calls_asked = g->task = false;
	seen_clear(&g->seen);
	hset_clear(&g->lines);
	hset_clear(&g->errors);
	shown_clear(&g->shown);
	files_clear(&g->files);
	ids_clear(&g->last);
	stall_reset(&g->stall);
	halt_lift(&g->halt);
	g->text_only = 0;
	g->answers = (struct answers){ .ran = was.ran,
		.compacted = was.compacted };
}

/* A message by a person. */
void
turn_task(struct guard *g, const struct rec *r)
{
	struct slice contract = msg_meta(r, "contract");

	turn_begin(g);
	g->task = scan_str_is(contract, "hard") ||
	    scan_str_is(contract, "soft");
}

/* An edit was taken back by somebody else: the files are in other states, what
 * was checked and seen before is about others. */
void
turn_undo(struct guard *g, const struct rec *r)
{
	struct slice paths = rec_get(r, "paths"), one;
	struct walk w;

	turn_epoch(g);
	stall_reset(&g->stall);
	g->news++;
	g->answers.ran = false;
	if (scan_kind(paths) != SCAN_ARRAY)
		return;
	walk_in(&w, paths);
	while (walk_next(&w, NULL, &one))
		files_undone(&g->files, outcome_hash(scan_get(one, "path")),
		    outcome_hash(scan_get(one, "sha256")));
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
	for (unsigned i = 1; i <= g->faults.n; i++) {
		at_most(&g->faults.e[i].n, p->same_warn);
		g->faults.e[i].refused = 0;
	}
	at_most(&g->stuck, p->warn);
	if (g->stall.score > p->stall_warn * POINT)
		g->stall.score = p->stall_warn * POINT;
	g->stall.asked = g->stall.over = false;
}

/* ---- what the transcript says of itself ---- */

void
turn_contract(struct guard *g, const struct rec *r)
{
	const struct policy *p = g->policy;
	struct slice said = r != NULL ? scan_get(rec_get(r, "set"),
	    "agent.contract") : (struct slice){ NULL, 0 };

	if (r == NULL || p->contract_flag)
		g->contract = p->contract;
	else if (scan_kind(said) == SCAN_STRING)
		g->contract = scan_str_is(said, "change");
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
