/* db_in.h - what a database is made of; only for db*.c.
 *
 * Lowest first: db_lock.c (the file and its lock), db_st.c (statements), db.c.
 */
#ifndef MEM_DB_IN_H
#define MEM_DB_IN_H

#include <sys/types.h>

#include "db.h"

struct sqlite3;
struct sqlite3_stmt;

struct kept {
	const char *sql;
	struct sqlite3_stmt *stmt;
};

struct db {
	struct sqlite3 *h;
	const struct db_schema *schema;
	char *path;
	int lock;		/* -1: for reading only */
	bool durable;
	dev_t dev;
	ino_t ino;
	struct kept *kept;
	size_t n, cap;
};

/* The failure of the last call of SQLite. */
int db_fail(struct sqlite3 *h, struct err *e);

/* relevance() of db_rank.c, for full-text queries. */
int db_add_relevance(struct db *db, struct err *e);

/* WAL needs memory shared between processes; no network file system has it. */
bool dblock_is_remote(const char *path);
int dblock_open(struct db *db, struct err *e);
int dblock_take(struct db *db, struct err *e);
void dblock_drop(struct db *db);
/* The file that is open is the one at the path. */
void dblock_note(struct db *db);
/* by becomes the file; the lock is taken, the log empty. */
int dblock_rename(const struct db *db, const char *by, struct err *e);

#endif
