/* simulation.h - a transcript replayed call by call: a `go` before each
 * assistant message, to hamr-compact at several windows and to the named
 * rules.  Each window has its own methods: ours comes first, then every_call
 * and drop-oldest, then (with all strategies) ours by every other strategy.
 */
#pragma once

#include "method.h"

enum { SIM_RULES = 3, SIM_WINDOWS = 6, SIM_OWN = 3, SIM_STRATEGIES = 8 };

struct simulation {
	long windows[SIM_WINDOWS];
	size_t nwindows, each;	/* methods of a window */
	/* those of each window, then the rules that need none */
	struct method methods[(SIM_OWN + SIM_STRATEGIES) * SIM_WINDOWS +
	    SIM_RULES];
	size_t nmethods;
	struct essentials essentials;
	enum token_family family;	/* all is counted, and ours compacts,
				 * by it */
	uint64_t tools;		/* their estimate */
	struct view *view;	/* the plain one */
	struct request plain;
	size_t messages, steps;
	size_t before;		/* plain messages at the last go */
	bool asked;		/* nothing to answer came since the last go;
				 * a second assistant message in a row goes on
				 * from the first */
	char *title;		/* session, model: bytes of others */
};

/* window: -1 for the usual five.  all: with every strategy. */
void simulation_init(struct simulation *s, const struct conf *conf,
    const char *strategy, long window, bool all, enum token_family family);
void simulation_release(struct simulation *s);
void simulation_reset(struct simulation *s);
void simulation_record(struct simulation *s, const struct rec *r);

static inline const struct method *
simulation_ours(const struct simulation *s, size_t window)
{
	return &s->methods[window * s->each];
}

static inline const struct method *
simulation_rule(const struct simulation *s, size_t i)
{
	return &s->methods[s->nwindows * s->each + i];
}
