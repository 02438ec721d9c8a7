/* query.h - FTS5 expressions built from whatever the user typed.
 *
 * Every word is quoted, so no input is an operator, an error or an
 * injection.  The expressions are bound as values, never pasted into SQL.
 */
#pragma once

#include "base/buf.h"

/* From the strictest to the widest. */
enum tier { TIER_PHRASE, TIER_ALL, TIER_ANY, TIER_WITHIN, TIERS };

#define EXPR_MAX ((size_t)1 << 20)	/* bytes of an expression */
#define QUERY_WORDS 64		/* the most that count; others are dropped */

struct query_word {
	int no;				/* its place in the query */
	struct slice text;		/* borrowed from the query's text */
	bool part;			/* only a part of a word: the Header of
					 * parseHeader */
	bool joined;			/* several, as in parse_header */
	struct buf expr;		/* finds it */
	double rows;			/* for the caller: about how many rows
					 * have it */
};

struct query {
	struct buf phrase;		/* finds the words in sequence */
	struct buf all;			/* an expression a line, for each word
					 * once; empty if there is one word */
	struct query_word *word;	/* what finds any of them: the words and
					 * their parts, without stop words */
	size_t nword;
	size_t words;			/* in sequence; 0: nothing can be
					 * found */
	int order[QUERY_WORDS];		/* of each of these, its line in all */
	int asked[QUERY_WORDS];		/* for the caller: its number among the
					 * words asked for, -1: it is not */
	int joined[QUERY_WORDS];	/* of each line of all: lines of words
					 * that underscores join have the same
					 * number */
};

/* Build the expressions for text, which is borrowed; raw: text is an FTS5
 * expression itself.  query_release frees them. */
void query_build(struct query *q, struct slice text, bool raw);
void query_release(struct query *q);
