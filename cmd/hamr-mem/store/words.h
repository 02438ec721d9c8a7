/* words.h - the distinct words of a memory, unstemmed, for finding fragments
 * of them.
 *
 * The full-text index keeps stems, which lose the end of a word.  Here each
 * word is kept, folded as there, in one or more runs: sorted words, cut into
 * blocks, each with a mask of its trigrams that tells which blocks are worth
 * reading.  A transaction appends a run, merged with the last ones unless they
 * are over twice as long.  Words that are mostly digits (ids, hashes, numbers)
 * are left out: there are many, and they are found by prefix.
 */
#pragma once

#include "store.h"

/* The table, for the schema. */
#define WORDS_SQL \
	"CREATE TABLE block(id INTEGER PRIMARY KEY, mask BLOB NOT NULL," \
	"  words TEXT NOT NULL);"

#define WORDS_FOUND 100		/* most results of words_holding; some may be
				 * of texts that are gone */

/* Collect the words of a text that is added.  At the end of the transaction
 * words_settle stores them. */
void words_add(struct store *st, struct slice text);
int words_settle(struct store *st, struct err *e);
/* Before words_settle: take all words again from the texts there are, so that
 * none is left that only a removed text had.  0, or -1 with e. */
int words_collect(struct store *st, struct err *e);

/* Append FTS5 expressions, one per line: prefixes for the fragments that have
 * digits, and the words that contain a fragment, the shortest first. */
int words_holding(struct store *st, const struct slice *fragment, size_t n,
    struct buf *terms, struct err *e);
