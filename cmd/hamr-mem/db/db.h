/* db.h - safe access to one SQLite file; the only room that knows SQLite.
 *
 * Writers wait for each other on a lock file beside the database, so that two
 * processes never write or checkpoint at once (SQLite 3.40 can lose pages when
 * they do).  Statements are prepared once and kept; values are bound.  SQL may
 * use short_hash(TEXT), the first 12 hex digits of the SHA-256 of a text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct db;
struct st;			/* a statement being run */

enum db_mode {
	DB_READ,		/* must exist; nothing is written */
	DB_SALVAGE,		/* the same; the file may be truncated */
	DB_WRITE		/* created if missing */
};

/* What identifies our databases, and the SQL that creates one. */
struct db_schema {
	int application_id;
	int version;
	int oldest;		/* files from this version on are opened, too:
				 * their tables are the same */
	const char *sql;
	const char *shadow[4];	/* name prefixes of the tables that SQLite
				 * creates for the virtual ones */
	const char *sign;	/* in the first pages of every such file */
};

/* Open path; db_close closes it.  NULL with e; DB_READ of a missing or still
 * empty file is ST_NOINPUT. */
struct db *db_open(const char *path, enum db_mode mode,
    const struct db_schema *schema, struct err *e);
void db_close(struct db *db);
/* Was the file replaced or removed since it was opened? */
bool db_is_stale(const struct db *db);

/* Make every commit wait for the disk, to survive a power failure. */
int db_durable(struct db *db, struct err *e);

/* A write transaction, under the lock (waits up to ten minutes, then ST_TEMP),
 * in the file that is at the path now.  Every db_begin is followed by one
 * db_end, which commits or, with commit false or after a failure, rolls
 * back. */
int db_begin(struct db *db, struct err *e);
int db_end(struct db *db, bool commit, struct err *e);

/* Checkpoint and empty the log, so that nothing is left in it.  Retries for
 * five seconds, then ST_TEMP: a reader is in the way. */
int db_truncate_log(struct db *db, struct err *e);

/* Replace the database with the file `by`, under the lock and after `last`
 * returned 0; if last is NULL, `by` is first made as a copy of the database.
 * Processes that have the old file open keep reading it, but write into the
 * new one. */
int db_replace(struct db *db, const char *by,
    int (*last)(void *arg, struct err *e), void *arg, struct err *e);
/* Rewrite the whole file: SQLite leaves old bytes in the unused space of its
 * pages, even with secure_delete. */
int db_vacuum(struct db *db, struct err *e);

/* The argument of relevance(TABLE, ?i) in the WHERE of a full-text query.  It
 * stores a positive bm25, computed with bounded work, in score.  It is true
 * for a row that reaches least, which may rise from row to row, and for the
 * last row that it may look at, when left becomes 0.  If the row has the
 * query's words in sequence, DB_PHRASE is added. */
#define DB_PHRASE 1e6
#define DB_COLUMNS 4
#define DB_LABELS 2		/* columns from this one on are labels */
struct db_relevance {
	double weight[DB_COLUMNS];
	double least, score;
	size_t left;		/* rows that it may still look at */
	long long until;	/* file_now_ms; checked every 250 rows */
	const double *rows;	/* estimated rows with each phrase */
	size_t nrows;		/* 0: not known */
	const int *order;	/* the words in sequence, by their number */
	int n;			/* in the query, -1: any word; n 0: do not
				 * check the sequence */
	int lengths[2];		/* 0 at first */
	void *rarity;		/* NULL at first; reused by the next query of
				 * the same words; the caller frees it */
};

/* Is the log missing that belongs beside a file in use, as when only the file
 * was copied?  The log holds the latest saves. */
bool db_lost_log(const char *path);

/* Put ST_DATA with advice in e; returns -1. */
int db_damaged(const char *path, const char *why, struct err *e);

/* Is the file at path one of ours, or was it before it was damaged?  Ask when
 * db_open failed with ST_DATA. */
bool db_is_ours(const char *path, const struct db_schema *schema);

/* Copy a damaged file and its log to `copy`, with the first page of `from`,
 * which identifies the file and locates its tables; it is the same in all
 * files of one schema. */
int db_graft_first_page(const char *path, const char *from, const char *copy,
    struct err *e);

/* Replace a damaged file with `by`, under the lock and after `last` returned 0;
 * the damaged file and its log are renamed to `aside`. */
int db_set_aside(const char *path, const char *by, const char *aside,
    int (*last)(void *arg, struct err *e), void *arg, struct err *e);

#define DB_NULL INT64_MIN	/* represents SQL's NULL among integers */

/* sql must be a literal: its statement is cached by address.  The values
 * follow types, one per letter: i int64_t, t const char *, s struct slice, r
 * struct db_relevance *.  A NULL pointer is SQL's NULL.  The bytes must stay
 * valid until the statement is done.
 *
 * db_query: a statement to be read with st_step; NULL with e, which st_step
 * reports as its own failure, so callers need not check.
 * db_run: run a statement that returns no rows.
 * db_int: the first column of the first row: 1, or 0 when there is no row or
 * it is NULL, or -1 with e. */
struct st *db_query(struct db *db, struct err *e, const char *sql,
    const char *types, ...);
int db_run(struct db *db, struct err *e, const char *sql, const char *types,
    ...);
int db_int(struct db *db, struct err *e, int64_t *out, const char *sql,
    const char *types, ...);

/* 1: a row, 0: done, -1: failed with e. */
int st_step(struct st *s, struct err *e);
/* Columns of a row, from 0, valid until the next step; the caller frees the
 * copy of st_col_dup. */
struct slice st_col(struct st *s, int i);
char *st_col_dup(struct st *s, int i);
int64_t st_col_int(struct st *s, int i);
bool st_col_null(struct st *s, int i);
/* End a statement early; required before a commit when rows are left. */
void st_done(struct st *s);

/* Make reads fail after this time (file_now_ms); 0: no limit.  Returns whether
 * one failed because of the limit before. */
bool db_deadline(struct db *db, long long until);

/* Append text with its words folded as the full-text index folds them: in lower
 * case, without diacritics. */
void db_fold(struct db *db, struct slice text, struct buf *out);

/* Run SQL that returns no rows. */
int db_exec(struct db *db, const char *sql, struct err *e);
int db_changes(struct db *db);
