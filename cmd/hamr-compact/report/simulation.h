/* simulation.h - a transcript replayed call by call: a `go` before each
 * assistant message, to hamr-compact at several windows and to the named
 * rules.
 */
#ifndef COMPACT_SIMULATION_H
#define COMPACT_SIMULATION_H

#include "method.h"

enum { SIM_RULES = 3, SIM_WINDOWS = 5 };

struct simulation {
	long windows[SIM_WINDOWS];
	size_t nwindows;
	/* ours at each window, every_call at each window, the named rules */
	struct method methods[2 * SIM_WINDOWS + SIM_RULES];
	size_t nmethods;
	struct essentials essentials;
	enum token_family family;	/* all is counted by it */
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

/* window: -1 for all five. */
void simulation_init(struct simulation *s, const struct conf *conf,
    const char *strategy, long window);
void simulation_release(struct simulation *s);
void simulation_reset(struct simulation *s);
void simulation_record(struct simulation *s, const struct rec *r);

static inline const struct method *
simulation_ours(const struct simulation *s, size_t window)
{
	return &s->methods[window];
}

static inline const struct method *
simulation_every_call(const struct simulation *s, size_t window)
{
	return &s->methods[s->nwindows + window];
}

static inline const struct method *
simulation_rule(const struct simulation *s, size_t i)
{
	return &s->methods[2 * s->nwindows + i];
}

#endif
