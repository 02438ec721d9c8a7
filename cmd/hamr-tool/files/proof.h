/* proof.h - which lines of which content the model has been shown.
 *
 * Per true name (path.h): a content hash, and the lines shown under it.  The
 * hash identifies the content, so the texts need not be kept.
 */
#pragma once

#include "base/map.h"
#include "json/sha.h"
#include "record/line_set.h"

#include "diff.h"

struct proof {
	char hash[SHA_HEX];	/* "": none is valid */
	struct line_set lines;	/* shown, as one text where they adjoin */
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
/* We changed the content from p->hash to hash: the lines move along, and the
 * new ones count as shown. */
void proof_move(struct proof *p, const char *hash, const struct patch *v,
    size_t n);
