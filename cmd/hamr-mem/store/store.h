/* store.h - a memory: items and their passages, kept, replaced, forgotten.
 *
 * An item is a message of a transcript or a fact.  Its text is kept in
 * passages, each a row of the full-text index.  A forgotten item leaves a mark
 * (its key and the time, no text) that keeps the stage from adding it again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "db/db.h"
#include "record/memid.h"
#include "when.h"

#define FACT_MAX ((size_t)64 << 10)
#define TEXT_MAX ((size_t)512 << 20)	/* bytes of an item */

/* A passage's id is its item's id with the passage's number in the low bits:
 * 2^20 passages of 1,300 bytes hold far more than the longest record. */
#define PASSAGE_BITS 20

/* Facts are numbered from here on, so that they are apart from messages and
 * come before them in descending order. */
#define FACT_FIRST ((int64_t)1 << 42)

enum kind { KIND_FACT = 1, KIND_MESSAGE = 2 };

/* An item to be put in; it owns its strings, NULL where absent. */
struct item {
	char id[MEMID_SIZE];
	enum kind kind;
	char *session, *role, *name, *path;
	char *tags;		/* a JSON array of strings, of a fact */
	char *slot;		/* --key of a fact */
	int64_t line, time;	/* time in ms, WHEN_NONE */
	char *text;		/* redacted, valid UTF-8 */
	size_t len;
};

void item_release(struct item *it);

struct store {
	struct db *db;
	char *path;
	const char *name;	/* "project", "global", "file" */
	enum db_mode mode;
	/* within a transaction: */
	int64_t last_fact, last_message;	/* ids; -1: not known yet */
	size_t gone;		/* items removed for good, see store_end */
	struct texts lost;	/* facts that lost a save, see facts.h */
	bool late;		/* saves_add_gone has recorded something */
	int marks;		/* 1: items were forgotten before it */
	struct map words;	/* of texts that it adds, see words.c */
};

int store_open(struct store *st, const char *path, const char *name,
    enum db_mode mode, struct err *e);
void store_close(struct store *st);
bool store_is_ours(const char *path);

/* A transaction; see db_begin and db_end.  r is its result so far: 0 commits;
 * -1 with e rolls back and is returned.  If items are gone, the text is removed
 * from the index, too; store_wipe_log, after the transaction, then removes it
 * from the file's unused space and the log. */
int store_begin(struct store *st, struct err *e);
int store_end(struct store *st, int r, struct err *e);

/* Within a transaction: put an item in, unless it is present or was forgotten.
 * A message whose id already belongs to another text gets an id made from its
 * own text. */
int store_put(struct store *st, const struct item *it, struct err *e);

/* Within a transaction: put an item in under its id, without these checks. */
int store_add(struct store *st, const struct item *it, struct err *e);

/* Within a transaction: remove an item without leaving a mark. */
int store_drop(struct store *st, int64_t row, struct err *e);

/* Save a fact now, in its own transaction: a forgotten fact comes back, an
 * existing one gets the tags and the slot, an older one in the same slot is
 * replaced. */
int store_save(struct store *st, struct item *fact, struct err *e);

/* What to forget; exactly one is set. */
struct forget {
	const char *prefix;	/* hex digits at the beginning of a key */
	const char *session;
	int64_t before;		/* WHEN_NONE: not set */
};

/* Forget for good, in its own transaction: afterwards no byte of the text is
 * left in any file.  Returns the number of items, or -1 with e, also when there
 * are some but st was opened for reading. */
int64_t store_forget(struct store *st, const struct forget *f,
    struct err *e);

/* See store_end; nothing to do if nothing was removed since the last time. */
int store_wipe_log(struct store *st, struct err *e);

/* Within a transaction: forget a message (row 0: it is not in the store). */
int store_forget_one(struct store *st, int64_t row, const char *key,
    int64_t time, struct err *e);

/* Find ids by a prefix of hex digits.  Returns the number of matches (0, 1, or
 * 2 for more), with the first one's row and key; -1 with e. */
int store_find(struct store *st, const char *prefix, int64_t *row,
    char key[MEMID_SIZE], struct err *e);
/* The highest item id of a kind in *id, 0: none. */
int store_newest(struct store *st, enum kind kind, int64_t *id,
    struct err *e);
int store_text(struct store *st, int64_t row, struct buf *out,
    struct err *e);

/* Append a line for each fault found.  Whether the index fits the text is
 * checked only if st is open for writing, which takes the lock.  0, or -1 with
 * e. */
int store_check(struct store *st, struct buf *out, struct err *e);
