/* simulation.h - replays a transcript call by call: a `go` before each
 * assistant message, to hamr-compact at several windows and to the named rules
 * that it is compared with, which work on the plain view (the whole
 * transcript, made legal).  Each window has its own methods: first ours, then
 * every_call and drop-oldest, then (with all strategies) ours by every other
 * strategy.
 */
#pragma once

#include "epoch/compact.h"
#include "items/finder.h"

/* A request as it is sent.  Requests are read in order, so that what a new one
 * shares with the one before is not examined again. */
struct request {
	enum token_family family;
	struct buf bytes;	/* the messages with commas between */
	struct buf words;	/* what they say, decoded, an LF behind each */
	struct request_message {
		size_t end;	/* its end in bytes */
		size_t words;	/* its end in words */
		uint64_t sum;	/* its estimate, in 1/64 token */
		char role;	/* 's', 'u', 'a', 't', or '?' */
	} *m;
	size_t n, cap;
	uint64_t sum;		/* of all messages */
	size_t same_words;	/* words are as they were up to here; the
				 * reader sets it to words.len */
};

/* What a request must not lose. */
enum essential_kind {
	ESSENTIAL_TASK, ESSENTIAL_USER, ESSENTIAL_PATH, ESSENTIAL_ERROR,
	/* told by a request, not learned as texts: */
	ESSENTIAL_NEWEST,	/* the last messages of persons */
	ESSENTIAL_EDIT,		/* the old text of an edit */
	ESSENTIAL_KINDS
};
enum { ESSENTIAL_LAST = 3 };	/* how many are the newest */

/* Learned from the records, once for all methods. */
struct essentials {
	struct essential {	/* how often it is needed, as what */
		unsigned weight[ESSENTIAL_KINDS];
	} *v;
	size_t n, cap;
	size_t all[ESSENTIAL_KINDS];
	size_t users[ESSENTIAL_LAST], nusers;	/* the last ones, a ring */
	struct finder texts;	/* numbered as v */
};

struct method {
	enum method_rule {
		METHOD_OURS,
		METHOD_EVERY_CALL,	/* ours with every_call */
		METHOD_RAW,		/* everything, each time */
		METHOD_LAST5,		/* the last 5 results are kept */
		METHOD_TURN10,		/* those of the last 10 tool steps */
		METHOD_DROP		/* at 75 % of the window the oldest
					 * steps and messages go, down to 40 %;
					 * the task stays */
	} rule;
	struct compact compact;	/* ours */
	long epoch;		/* the last one seen */
	long window;
	size_t border;		/* a named rule: messages before this one are
				 * masked or dropped */
	size_t changed;		/* the plain view's messages from here on
				 * differ from the last request */
	struct request request;	/* the last one and its reply */
	size_t sent;		/* messages of it without the reply */
	/* the essentials it kept */
	size_t *at;		/* of each: where + 1, 0: not there */
	size_t nat, capat;
	size_t looked;		/* how far words were searched */
	double share[ESSENTIAL_KINDS];	/* sums over requests, or edits */
	size_t asked[ESSENTIAL_KINDS];
	struct step {
		long tokens;	/* 0: no request */
		bool epoch, closed;	/* it was compacted; nothing fitted */
	} *steps;
	size_t n, cap;
	size_t requests, breaks, closed, epochs;
	uint64_t fresh;
	double bytes, same, tokens;
	long largest;
};

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
	char *session, *model;	/* or NULL: bytes of others */
};

/* window: -1 for the usual five.  all: with every strategy. */
void simulation_init(struct simulation *s, const struct conf *conf,
    const char *strategy, long window, bool all, enum token_family family);
void simulation_release(struct simulation *s);
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

/* A window's own methods, then the rules: i is below each + SIM_RULES. */
static inline const struct method *
simulation_method(const struct simulation *s, size_t window, size_t i)
{
	return i < s->each ? simulation_ours(s, window) + i :
	    simulation_rule(s, i - s->each);
}
