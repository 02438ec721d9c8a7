/* words.h - the distinct words of a memory as they were written, for finding
 * fragments of them.
 *
 * The index of texts keeps stems, in which the end of a word is lost.  Here
 * each word stands in small letters in one or more runs: words in order, cut
 * into blocks, each with a mask of the trigrams in it that tells which blocks
 * are worth a look.  A transaction appends a run, joined with the last ones if
 * those are not longer.  Words that are mostly digits (ids, hashes, numbers)
 * are left out: they are many, and are found by how they begin.
 */
#pragma once

#include "store.h"

/* Its table, in a schema. */
#define WORDS_SQL \
	"CREATE TABLE block(id INTEGER PRIMARY KEY, mask BLOB NOT NULL," \
	"  words TEXT NOT NULL);"

#define WORDS_FOUND 50		/* of words_holding, at most */

/* A text comes (st->come), or goes (st->go), and with it the words that no
 * other holds: at the end of the transaction words_settle does both, or
 * words_drop forgets them. */
void words_add(struct wordset *set, struct slice text);
int words_settle(struct store *st, struct err *e);
void words_drop(struct store *st);

/* Append FTS5 expressions, a line each: of what begins with one of these that
 * has digits, and of words that hold one of them, the shortest first. */
int words_holding(struct store *st, const struct slice *fragment, size_t n,
    struct buf *terms, struct err *e);
