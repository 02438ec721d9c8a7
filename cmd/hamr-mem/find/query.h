/* query.h - FTS5 expressions built from whatever the user typed.
 *
 * Every word is quoted, so no input is an operator, an error or an
 * injection.  The expressions are bound as values, never pasted into SQL.
 */
#pragma once

#include "base/buf.h"

/* From the strictest to the widest. */
enum tier { TIER_PHRASE, TIER_ALL, TIER_ANY, TIER_WITHIN, TIERS };

#define QUERY_WORDS 64		/* the most that count; others are dropped */

struct query_word {
	int no;
	struct slice text;		/* borrowed from the query's text */
	bool part;			/* part of a word, by its spelling */
	bool joined;			/* words joined by underscores */
	struct buf expr;
	double rows;			/* for the caller's use */
};

struct query {
	struct buf phrase;		/* an expression */
	struct buf all;			/* one of each word, a line each; empty:
					 * there is one word only */
	struct query_word *word;	/* without stop words */
	size_t nword;
	size_t words;		/* 0: nothing can be found */
	int joined[QUERY_WORDS];	/* of a word of all: those that
				 * underscores join have the same number */
	int order[QUERY_WORDS];	/* of each of them its number in all, */
	int asked[QUERY_WORDS];	/* and among those that are asked for; -1 */
};

/* Build the expressions for text, which is borrowed; raw: text is an FTS5
 * expression itself.  query_release frees them. */
void query_build(struct query *q, struct slice text, bool raw);
void query_release(struct query *q);
