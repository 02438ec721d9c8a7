/* db.h - one SQLite file, spoken to safely; the only room that knows SQLite.
 *
 * Writers wait for each other on one locked file beside the database, so that
 * never two processes write or checkpoint at once (SQLite 3.40 can lose pages
 * when they do).  Statements are made once and kept; values are bound.  They
 * may use short_hash(TEXT), the first 12 hex digits of the SHA-256 of a text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct db;
struct st;			/* a statement being run */

enum db_mode {
	DB_READ,		/* must be there; nothing is written */
	DB_SALVAGE,		/* the same; it may have lost its end */
	DB_WRITE		/* made when missing */
};

/* What a database of ours is: marks in its header, and how it is made. */
struct db_schema {
	int application_id;
	int version;
	const char *sql;
	const char *shadow[4];	/* with these begin names of tables that SQLite
				 * makes for them */
	const char *sign;	/* stands in the first pages of each */
};

/* Open path.  NULL with e; DB_READ of a missing or still empty file is
 * ST_NOINPUT. */
struct db *db_open(const char *path, enum db_mode mode,
    const struct db_schema *schema, struct err *e);
void db_close(struct db *db);
/* Was the file replaced or removed since it was opened? */
bool db_is_stale(const struct db *db);

/* Survive a power cut, too: every commit waits for the disk. */
int db_durable(struct db *db, struct err *e);

/* A write transaction, with the lock (waited for up to ten minutes: then
 * ST_TEMP), in the file that is at the path now.  Every db_begin is followed by
 * one db_end, which commits or, with commit false or after a failure, takes all
 * back. */
int db_begin(struct db *db, struct err *e);
int db_end(struct db *db, bool commit, struct err *e);

/* Copy the log into the file and empty it, so that nothing is left in it.
 * Tried for five seconds, then ST_TEMP: a reader is in the way. */
int db_truncate_log(struct db *db, struct err *e);

/* Put the file `by` in its place, with the lock and after `last` said 0; by is
 * made as a copy of it where last is NULL.  Who has the old one open goes on
 * reading it, and writes into the new one. */
int db_replace(struct db *db, const char *by,
    int (*last)(void *arg, struct err *e), void *arg, struct err *e);
/* Write the whole file anew: SQLite leaves old bytes in the gaps of its pages,
 * whatever secure_delete is. */
int db_vacuum(struct db *db, struct err *e);

/* What relevance(TABLE, ?i) in the WHERE of a full-text query is told.  It is
 * bm25 with bounded work, positive, in score, and true for a row that reaches
 * least, which may rise from row to row, and for the last one that may be
 * looked at: left is 0 then.  Where the row has the query's words one behind
 * another, DB_PHRASE is added. */
#define DB_PHRASE 1e6
#define DB_COLUMNS 4
#define DB_LABELS 2		/* columns from this one on are labels */
struct db_relevance {
	double weight[DB_COLUMNS];
	double least, score;
	size_t left;		/* rows that it looks at */
	long long until;	/* file_now_ms; looked at every 250 rows */
	const double *rows;	/* with each phrase of the query, about */
	size_t nrows;		/* 0: not known */
	const int *order;	/* the words as they follow one another, each */
	int n;			/* its number in the query, -1: any word; n 0:
				 * not asked */
	int lengths[2];		/* 0 at first */
	void *rarity;		/* NULL at first; for the next query of the same
				 * words; to be freed */
};

/* Is the log missing that a file in use has beside it, as beside a copy of the
 * file alone?  It holds what was saved last. */
bool db_lost_log(const char *path);

/* Is what lies at path a file of ours, or was it before it was damaged?  It is
 * asked when db_open said ST_DATA. */
bool db_is_ours(const char *path, const struct db_schema *schema);

/* Copy a damaged file and its log to `copy`, with the first page of `from`:
 * it says what the file is and where its tables begin, which is the same in
 * all that one schema made. */
int db_lend_head(const char *path, const char *from, const char *copy,
    struct err *e);

/* Put the file `by` in the place of a damaged one, with the lock; the damaged
 * one gets the name aside, and so does its log. */
int db_set_aside(const char *path, const char *by, const char *aside,
    struct err *e);

#define DB_NULL INT64_MIN	/* stands for SQL's NULL among integers */

/* Values follow SQL (a literal: its statement is kept by its address), one for
 * each letter of types: i int64_t, t const char *, s struct slice, r struct
 * db_relevance *.  A NULL pointer is SQL's NULL.  The bytes must stay until the
 * statement is done.
 *
 * db_query: a statement whose rows st_step gives; NULL with e, which st_step
 * takes for a failure of its own, so that it need not be asked.
 * db_run: run one that gives no rows.
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
/* Columns of a row, from 0, valid until the next step; the copy is yours. */
struct slice st_col(struct st *s, int i);
char *st_col_dup(struct st *s, int i);
int64_t st_col_int(struct st *s, int i);
bool st_col_null(struct st *s, int i);
/* Done with it early; needed before a commit when rows were left. */
void st_done(struct st *s);

/* What is read from now on fails when this time (file_now_ms) is over; 0: it
 * takes as long as it takes.  Was it that which failed? */
void db_deadline(struct db *db, long long until);
bool db_is_late(const struct db *db);

/* Run SQL that gives no rows. */
int db_exec(struct db *db, const char *sql, struct err *e);
int db_changes(struct db *db);
