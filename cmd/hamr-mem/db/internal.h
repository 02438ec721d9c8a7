/* internal.h - what a database is made of; for this folder only. */
#pragma once

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
	bool salvage, durable, late;
	long long until;	/* db_deadline */
	dev_t dev;
	ino_t ino;
	struct kept *kept;
	size_t n, cap;
};

/* The failure of the last call of SQLite. */
int db_fail(struct sqlite3 *h, struct err *e);
/* ST_DATA, with what to do. */
int db_damaged(const char *path, const char *why, struct err *e);

/* Names the pointer to a struct db_relevance within SQLite. */
#define RELEVANCE "hamr relevance"
/* relevance() of relevance.c, for full-text queries. */
int db_add_relevance(struct db *db, struct err *e);
