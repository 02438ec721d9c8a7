/* streak.c - what the rules make of a signature that is known. */
#include <string.h>

#include "guard.h"

/* A refusal is held back while new things come, checks that wait for
 * something may be repeated longer, errors that may pass too. */
struct limits
streak_limits(const struct guard *g, const struct about *a,
    const struct seen *e)
{
	const struct policy *p = g->policy;
	struct limits l = { p->warn, p->block, p->halt, false };
	unsigned long times = 1;

	if (g->news > e->told && p->fresh_block > p->block) {
		l.gated = true;
		l.block = p->fresh_block;
		l.halt += p->fresh_block - p->block;
	}
	if (a->poll)
		times *= p->poll;
	l.warn *= times;
	if (e->transient)
		times *= 2;
	l.block *= times;
	l.halt *= times;
	return l;
}

/* Failures are equal when they are so normalised. */
uint64_t
streak_pair(const struct seen *e)
{
	uint64_t h = e->failed ? e->norm : e->raw;

	return (h << 32 | h >> 32) ^ e->sig.a;
}

enum rule
streak_rule(struct guard *g, const struct seen *e, struct facts *f)
{
	enum rule alone = e->failed ? RULE_RETRY : RULE_REPEAT;
	uint64_t pair = streak_pair(e);
	size_t period, laps;

	if (!cycle_find(&g->cycle, &period, &laps) || period < 2)
		return alone;
	for (size_t i = 0; i < period; i++)
		if (g->cycle.back[i] == pair) {
			f->period = period;
			f->laps = laps;
			return RULE_CYCLE;
		}
	return alone;
}

void
streak_why(const struct guard *g, const struct about *a,
    const struct seen *e, struct why *w)
{
	struct limits l = streak_limits(g, a, e);

	w->warn = l.warn;
	w->block = l.block;
	w->halt = l.halt;
	w->gated = l.gated;
	w->poll = a->poll;
	w->transient = e->transient;
	w->same = e->n;
	w->refused = e->refused;
}

/* Failures of these are often not their own. */
static bool
is_tolerant(const struct about *a)
{
	return a->bash || a->network;
}

struct limits
fault_limits(const struct guard *g, const struct about *a,
    const struct seen *f)
{
	const struct policy *p = g->policy;
	unsigned long times = a->poll ? p->poll : 1;
	struct limits l = { .warn = p->same_warn, .block = p->same_block };

	if (is_tolerant(a)) {
		l.warn++;
		l.block = 0;
	} else if (g->news > f->told && p->fresh_block > p->block) {
		l.gated = true;
		l.block += p->fresh_block - p->block;
	}
	l.warn *= times;
	l.block *= f->transient ? 2 * times : times;
	return l;
}

struct seen *
fault_worst(struct guard *g, const struct about *a)
{
	struct seen *worst = NULL;

	for (unsigned i = 1; i <= g->faults.n; i++) {
		struct seen *f = &g->faults.e[i];

		if (f->sig.a == a->tool && f->varied &&
		    (worst == NULL || f->n + f->refused >
		    worst->n + worst->refused))
			worst = f;
	}
	return worst;
}

void
guard_stuck(struct guard *g, unsigned n, bool poll)
{
	if (poll)
		n /= (unsigned)g->policy->poll;
	if (n > g->stuck)
		g->stuck = n;
	g->step.stuck |= n >= g->policy->stuck;
}
