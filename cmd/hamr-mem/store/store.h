/* store.h - a memory: items and their passages, kept, replaced, forgotten.
 *
 * An item is a message of a transcript or a fact.  Its text is kept in
 * passages, each a row of the full-text index.  Forgotten items leave a mark
 * (their key and when, no text) that keeps the stage from bringing them back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "db/db.h"
#include "record/memid.h"
#include "when.h"

#define FACT_MAX ((size_t)64 << 10)

/* A passage's id is its item's, and its number in the low bits: 2^20 passages
 * of 1,300 bytes are far more than the longest record can hold. */
#define PASSAGE_BITS 20

/* Facts are numbered from here on, so that they stand apart from messages and
 * before them where the newest rows come first. */
#define FACT_FIRST ((int64_t)1 << 42)

enum kind { KIND_FACT = 1, KIND_MESSAGE = 2 };

/* An item to be put in.  Texts that are NULL are not there. */
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
	/* within a transaction: */
	int64_t last_fact, last_message;	/* ids; -1: not known yet */
	int marks;		/* 1: items were forgotten before it */
	/* words of texts that come and go in a transaction; words.c's.  Each is
	 * known by its hash alone, one look at memory */
	struct wordset {
		uint64_t *hash;		/* 0: free */
		size_t n, cap;
		struct buf words;	/* an LF behind each */
	} come, go;
};

/* Open; see db_open. */
int store_open(struct store *st, const char *path, const char *name,
    enum db_mode mode, struct err *e);
void store_close(struct store *st);
/* See db_is_ours. */
bool store_is_ours(const char *path);

/* A transaction; see db_begin and db_end.  r is what came of it: 0, or -1 with
 * e, which takes all back and is returned. */
int store_begin(struct store *st, struct err *e);
int store_end(struct store *st, int r, struct err *e);

/* Within a transaction: put an item in, unless it is there or was forgotten.
 * A message whose id stands for another text gets the id of its own text. */
int store_put(struct store *st, const struct item *it, struct err *e);

/* Within a transaction: put an item in under its id, without asking. */
int store_add(struct store *st, const struct item *it, struct err *e);

/* Within a transaction: take an item out, leaving no mark. */
int store_drop(struct store *st, int64_t row, struct err *e);

/* Save a fact now, a transaction of its own: one that was forgotten is back,
 * one that is there gets the tags and the slot, an older one in the same slot
 * is replaced. */
int store_save(struct store *st, struct item *fact, struct err *e);

/* What to forget; exactly one is set. */
struct forget {
	const char *prefix;	/* hex digits that one key begins with */
	const char *session;
	int64_t before;		/* WHEN_NONE: not set */
};

/* Forget for good, a transaction of its own: afterwards no byte of the text
 * is left in any file.  Returns how many items, or -1. */
int64_t store_forget(struct store *st, const struct forget *f,
    struct err *e);

/* Text was taken out: get it out of the index too.  Within a transaction; and
 * out of the file's gaps and the log, after it. */
int store_wipe(struct store *st, struct err *e);
int store_wipe_log(struct store *st, struct err *e);

/* Within a transaction: a message is forgotten (row 0: it is not here). */
int store_forget_one(struct store *st, int64_t row, const char *key,
    int64_t time, struct err *e);

/* Ids by a prefix of hex digits: how many begin so (0, 1, or 2 for more), the
 * first one's row in *row; -1 with e. */
int store_find(struct store *st, const char *prefix, int64_t *row,
    struct err *e);
/* The highest number of an item of a kind, 0: none. */
int store_newest(struct store *st, enum kind kind, int64_t *id,
    struct err *e);
/* Append the whole text of an item. */
int store_text(struct store *st, int64_t row, struct buf *out,
    struct err *e);

/* Append a line for each fault; index: also whether it fits the text, which
 * only a memory that is open to be written can tell. */
int store_check(struct store *st, bool index, struct buf *out, struct err *e);
