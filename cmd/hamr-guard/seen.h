/* seen.h - what is known of each signature: the streak of its outcome.
 *
 * At most SEEN_MAX signatures; the one not asked for longest is forgotten.
 */
#ifndef HAMR_GUARD_SEEN_H
#define HAMR_GUARD_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sha.h"

#define SEEN_MAX 1024
#define SEEN_IDS 16		/* calls kept as evidence */
#define SEEN_ID_MAX 256		/* longer ids are not kept */

struct seen {
	char sig[SHA_HEX];
	uint64_t raw;		/* hash of the last outcome */
	unsigned n;		/* calls in a row with that outcome */
	unsigned blocked;	/* refusals since then */
	uint64_t epoch;		/* all of this is of that epoch */
	uint64_t window;	/* compactions before the last counted call */
	uint64_t told;		/* novelties when the model was last told */
	bool transient;		/* the outcome is an error that may pass */
	bool poll;
	char *id[SEEN_IDS];	/* JSON texts of the ids, oldest first */
	size_t nid;
	/* private */
	unsigned next, newer, older;
};

struct seen_set {
	struct seen *e;		/* 1 to n; 0 is the end of lists */
	unsigned *bucket;
	unsigned n, newest, oldest;
};

/* The entry of sig, which becomes the newest; NULL if there is none. */
struct seen *seen_get(struct seen_set *s, const char *sig);
/* The same, made zero if there is none. */
struct seen *seen_put(struct seen_set *s, const char *sig);

void seen_id(struct seen *e, const char *id);	/* one more call */
void seen_forget_ids(struct seen *e);
void seen_clear(struct seen_set *s);
void seen_release(struct seen_set *s);

#endif
