/* internal.h - the insides of a database; for this folder only. */
#pragma once

#include <sys/types.h>

#include "db.h"

struct sqlite3;
struct sqlite3_stmt;
struct fts5_api;
struct db_folder;

struct kept {
	const char *sql;
	struct sqlite3_stmt *stmt;
};

struct db {
	struct sqlite3 *h;
	const struct db_schema *schema;
	char *path;
	int lock;		/* -1: opened for reading */
	bool salvage, durable, late;
	long long until;	/* db_deadline */
	dev_t dev;
	ino_t ino;
	struct kept *kept;
	size_t n, cap;
	struct db_folder *folder;	/* NULL: not needed yet */
};

/* Put the failure of the last SQLite call in e; returns -1. */
int db_fail(struct sqlite3 *h, struct err *e);
/* Put ST_DATA with advice in e; returns -1. */
int db_damaged(const char *path, const char *why, struct err *e);

/* SQLite's functions for full-text search; NULL with e. */
struct fts5_api *db_fts5(struct db *db, struct err *e);
void db_folder_free(struct db_folder *f);

/* Names the pointer to a struct db_relevance within SQLite. */
#define RELEVANCE "hamr relevance"
/* relevance() of relevance.c, for full-text queries. */
int db_add_relevance(struct db *db, struct err *e);
