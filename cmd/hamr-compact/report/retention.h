/* retention.h - what a request must not lose (the task, what persons said, the
 * paths that were edited, errors), and whether it still has it.
 *
 * The essential texts are learned from the records, once for all methods; each
 * method keeps its own count.  All texts are looked for at once, so that a
 * look costs what there is to look at, however many they are.
 */
#pragma once

#include "base/buf.h"
#include "base/map.h"
#include "record/rec.h"
#include "items/action.h"
#include "items/finder.h"
#include "request.h"

enum essential_kind {
	ESSENTIAL_TASK, ESSENTIAL_USER, ESSENTIAL_PATH, ESSENTIAL_ERROR,
	/* told by a request, not learned as texts: */
	ESSENTIAL_NEWEST,	/* the last messages of persons */
	ESSENTIAL_EDIT,		/* the old text of an edit */
	ESSENTIAL_KINDS
};
enum { ESSENTIAL_LAST = 3 };	/* so many are the newest */

struct essential {
	unsigned weight[ESSENTIAL_KINDS];	/* how often it is needed, as
						 * what */
};

struct essentials {
	struct essential *v;
	size_t n, cap;
	size_t all[ESSENTIAL_KINDS];
	size_t users[ESSENTIAL_LAST], nusers;	/* the last ones, a ring */
	struct finder texts;	/* numbered as v */
	struct map once;	/* paths and error lines, once each */
};

void essentials_release(struct essentials *e);
/* What they are learned from: a user message, a call, a result. */
void essentials_user(struct essentials *e, const struct rec *r);
void essentials_call(struct essentials *e, const struct action *a);
void essentials_result(struct essentials *e, const struct rec *r,
    enum tool_kind kind);

struct retention {
	size_t *at;		/* per essential: where + 1, 0: not there */
	size_t n, cap;
	size_t looked;		/* words looked at */
	double share[ESSENTIAL_KINDS];	/* sums over requests, or edits */
	size_t asked[ESSENTIAL_KINDS];
};

/* A request was made: look for everything in it. */
void retention_look(struct retention *k, const struct essentials *e,
    struct request *q);

/* Percent; -1: there is nothing to keep. */
double retention_percent(const struct retention *k, enum essential_kind kind);
