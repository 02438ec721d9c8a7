/* query.h - FTS5 expressions built of whatever somebody typed.
 *
 * Every word is quoted, so no input is an operator, an error or an
 * injection.  The expressions are bound as values, never pasted into SQL.
 */
#ifndef MEM_QUERY_H
#define MEM_QUERY_H

#include "buf.h"

/* From the strictest to the widest.  An expression that would find nothing
 * new is empty. */
enum tier { TIER_PHRASE, TIER_ALL, TIER_ANY, TIER_WITHIN, TIERS };

struct query {
	struct buf expr[TIERS];	/* TIER_WITHIN is for terms_holding */
	struct buf within;	/* what is looked for within other words */
	size_t words;		/* 0: nothing can be found */
};

void query_build(struct query *q, struct slice text);
/* What somebody wrote in FTS5's own language. */
void query_raw(struct query *q, struct slice text);
void query_release(struct query *q);

#endif
