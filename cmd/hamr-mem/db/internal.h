/* internal.h - the insides of a database; for this folder only. */
#pragma once

#include <sqlite3.h>
#include <sys/types.h>

#include "db.h"

struct kept {
	const char *sql;
	sqlite3_stmt *stmt;
};

struct db {
	sqlite3 *h;
	const struct db_schema *schema;
	char *path;
	int lock;		/* -1: opened for reading */
	bool salvage, durable, late;
	long long until;	/* db_deadline */
	dev_t dev;
	ino_t ino;
	struct kept *kept;
	size_t n, cap;
	fts5_tokenizer fts5;		/* the index's, */
	Fts5Tokenizer *tokenizer;	/* made with its options */
};

/* Put the failure of the last SQLite call in e; returns -1. */
int db_fail(sqlite3 *h, struct err *e);

/* Names the pointer to a struct db_relevance within SQLite. */
#define RELEVANCE "hamr relevance"
/* Make relevance() for full-text queries, and the tokenizer for db_fold. */
int db_add_fts5(struct db *db, struct err *e);
