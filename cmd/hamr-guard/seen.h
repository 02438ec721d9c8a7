/* seen.h - what is known of each signature: the streak of its outcome.
 *
 * The same serves for what different calls of one tool have in common: the
 * "signature" is then the tool and one error, or the tool and one answer.
 *
 * At most SEEN_MAX signatures; the one not asked for longest is forgotten.
 */
#ifndef HAMR_GUARD_SEEN_H
#define HAMR_GUARD_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ids.h"
#include "sig.h"

#define SEEN_MAX 1024

struct seen {
	struct sig sig;
	uint64_t raw, norm, mask, sketch;	/* of the last outcome */
	unsigned n;		/* calls in a row with that outcome; failing
				 * ones compare normalised */
	unsigned weak;		/* with that masked outcome */
	unsigned refused;	/* refusals since then */
	uint64_t epoch;		/* all of this is of that epoch */
	uint64_t window;	/* compactions before the last counted call */
	uint64_t told;		/* novelties when the model was last told */
	bool failed;
	bool transient;		/* the outcome is an error that may pass */
	bool poll;
	struct ids ids;
	/* its latest row of failures, over all epochs of the turn */
	uint64_t fault;		/* normalised outcome; 0: it did not fail */
	unsigned long edited;	/* changes before the first of them */
	unsigned long checked;	/* and before the latest */
	unsigned long said;	/* of futile_edit_warn, how often over */
	struct ids *checks;	/* NULL: none */
	/* of a tool and an error or answer */
	uint64_t last;		/* the call that gave it last */
	unsigned step;		/* and its step */
	bool varied;		/* not always the same call */
	/* private */
	unsigned next, newer, older;
};

struct seen_set {
	struct seen *e;		/* 1 to n; 0 is the end of lists */
	unsigned *bucket;
	unsigned n, newest, oldest;
};

/* The entry of sig, which becomes the newest; NULL if there is none. */
struct seen *seen_get(struct seen_set *s, struct sig sig);
/* The same, made zero if there is none. */
struct seen *seen_put(struct seen_set *s, struct sig sig);

void seen_forget_checks(struct seen *e);
void seen_clear(struct seen_set *s);
void seen_release(struct seen_set *s);

#endif
