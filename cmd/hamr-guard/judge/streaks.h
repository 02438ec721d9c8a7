/* streaks.h - the streak of outcomes of each signature.
 *
 * It also serves for what different calls of a tool have in common: the
 * "signature" is then the tool and an error, or the tool and an answer.
 *
 * At most STREAKS_MAX signatures; the least recently used one is forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sign/signature.h"
#include "text/digest.h"
#include "verdict.h"

#define STREAKS_MAX 1024

struct streak {
	struct sig sig;
	struct digest d;	/* of the last outcome */
	size_t text_at, text_n;	/* in guard.kept, if d is quick (outcome_rest);
				 * 0 bytes: it is not */
	unsigned n;		/* calls in a row with that outcome; failing
				 * ones compare normalised */
	unsigned weak;		/* with that masked outcome */
	unsigned refused;	/* refusals since then */
	uint64_t epoch;		/* all of this is of that epoch */
	uint64_t window;	/* compactions before the last counted call */
	uint64_t news;		/* novelties when the model was last warned */
	bool failed;
	bool transient;		/* the outcome is an error that may pass */
	unsigned long times;	/* factor by which it may be repeated */
	uint64_t shown;		/* guard.shown_new behind its last call */
	enum going { NO_STATE, UNDER_WAY, OVER, LOST } state;
				/* of what it asks for, as its last answer
				 * said */
	bool patient;		/* under way, in so many words */
	bool measures;		/* it differed by more than what counts */
	bool unsteady;		/* it failed and did not, nothing changed */
	bool brief;		/* the outcome is short */
	bool vain;		/* repeated, it says that it is in vain */
	bool live;		/* its short answer changes by itself */
	uint64_t ran, acted;	/* the guard's, behind its last call */
	unsigned step;		/* of the last call of all this */
	/* Of the last outcome, if it differed by numbers, else 0: */
	uint64_t numbers;	/* their sum and one */
	uint64_t done;		/* how far it is (volatile_progress) */
	struct call_row calls;
	/* its failures since it passed, over all epochs of the turn */
	uint64_t passed;	/* how often it did */
	unsigned long edited;	/* changes before the latest new failure */
	unsigned long checked;	/* and before the latest of all */
	unsigned long futile;	/* multiples of futile_edit_warn */
	struct call_row checks;
	uint64_t last;		/* signature of the call that gave it last */
	bool varied;		/* not always the same signature */
	/* of a tool and an error or answer */
	bool none;		/* the answer is that there is none */
	bool early;		/* or it is to a question: warned of early */
	/* of another system's rules */
	unsigned long warnings;
	bool stop;		/* no more of this */
	char *text;		/* what it is of, or NULL; owned */
	/* private */
	uint64_t used;
	unsigned next;
};

struct streaks {
	struct streak *e;		/* 1 to n; 0 is the end of buckets */
	unsigned *bucket;
	unsigned n;
	uint64_t uses;
};

/* The entry of sig, which becomes the most recent; NULL: none. */
struct streak *streaks_get(struct streaks *s, struct sig sig);
/* The same; creates a zeroed entry if there is none. */
struct streak *streaks_put(struct streaks *s, struct sig sig);

void streaks_clear(struct streaks *s);
void streaks_release(struct streaks *s);

/* ---- the last outcomes in order, and the period they repeat with ---- */

#define CYCLE_MAX 1024		/* the limit of loop_guard.window_size */

struct cycle {
	uint64_t back[CYCLE_MAX];	/* (signature, outcome) pairs, hashed,
					 * newest first */
	size_t n, cap;		/* at most loop_guard.window_size */
};

void cycle_push(struct cycle *c, uint64_t pair);

/* The longest suffix that is at least two laps of its smallest period: false
 * when there is none. */
bool cycle_find(const struct cycle *c, size_t *period, size_t *laps);
