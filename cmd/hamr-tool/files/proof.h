/* proof.h - which lines of which content the model has been shown.
 *
 * Per true name (path.h): a content hash, and the line ranges shown under it.
 * The hash identifies the content, so the texts need not be kept.
 * Lines count from 1; PROOF_END as a last line means the whole file.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "diff.h"
#include "base/map.h"
#include "json/sha.h"

#define PROOF_END LONG_MAX

struct range {
	long first, last;
};

struct proof {
	char hash[SHA_HEX];	/* "": none is valid */
	struct range *v;	/* sorted, never touching */
	size_t n, cap;
};

struct proofs {
	struct map by_path;	/* true name -> index + 1 */
	struct proof *v;
	size_t n, cap;
};

/* The proof of a path; made, empty, when there is none yet.  Valid until the
 * next call. */
struct proof *proofs_of(struct proofs *ps, const char *rel);
void proofs_reset(struct proofs *ps);	/* nothing was ever shown */

/* Content with this hash was read; a new hash empties the set. */
void proof_read(struct proof *p, const char *hash);
/* Lines first to last were shown (ranges that touch are joined). */
void proof_add(struct proof *p, long first, long last);
/* Lines first to last were elided. */
void proof_drop(struct proof *p, long first, long last);
/* Was every line of first to last shown, as one text? */
bool proof_has(const struct proof *p, long first, long last);
/* We changed the content from p->hash to hash: the ranges move along, and the
 * new lines count as shown. */
void proof_move(struct proof *p, const char *hash, const struct patch *v,
    size_t n);
