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
	size_t text_at, text_n;	/* in guard.kept, if d is quick and
				 * outcome_complete may need it; 0 bytes: not */
	unsigned n;		/* calls in a row with that outcome; those that
				 * fail are compared normalised */
	unsigned weak;		/* calls in a row with that masked outcome */
	unsigned refused;	/* refusals since */
	uint64_t epoch;		/* that all of this belongs to */
	uint64_t window;	/* number of compactions before the last counted
				 * call */
	uint64_t news;		/* guard.news when the model was last warned */
	bool failed;
	bool transient;		/* the outcome is an error that may go away */
	unsigned long times;	/* factor by which it may be repeated */
	uint64_t shown;		/* guard.shown_new after its last call */
	enum going { NO_STATE, UNDER_WAY, OVER, LOST } state;
				/* of what it asks about, as its last answer
				 * said */
	bool patient;		/* its answer says so: "still running" */
	bool measures;		/* it differed by more than a counter does */
	bool unsteady;		/* it both failed and passed with no change in
				 * between */
	bool brief;		/* the outcome is short */
	bool vain;		/* it says that repeating it is in vain */
	bool live;		/* its short answer changes by itself */
	uint64_t ran, acted;	/* the guard's counts after its last call */
	unsigned step;		/* of its last call */
	/* Of the last outcome, if it differed in numbers; else 0: */
	uint64_t numbers;	/* their sum, plus one */
	uint64_t done;		/* its progress (volatile_progress) */
	struct call_row calls;
	/* Its failures since it passed, over all epochs of the turn: */
	uint64_t passed;	/* how often it passed */
	unsigned long edited;	/* files.edited at the latest new failure */
	unsigned long checked;	/* ... and at the latest of any */
	unsigned long futile;	/* multiples of futile_edit_warn reached */
	struct call_row checks;
	uint64_t last;		/* signature of the call that gave it last */
	bool varied;		/* it is not always the same one */
	/* Of a tool and an error or answer: */
	bool none;		/* the answer is that there is none */
	bool early;		/* it answers a question: warn early */
	/* Of another system's rules: */
	unsigned long warnings;
	bool stop;		/* allow no more of it */
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

/* The entry of sig, which becomes the most recently used; NULL: none. */
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

/* Find the longest suffix that is at least two laps of its smallest period.
 * False: there is none. */
bool cycle_find(const struct cycle *c, size_t *period, size_t *laps);
