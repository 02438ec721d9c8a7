/* query.c - fuzz: whatever is typed becomes an expression that FTS5 takes. */
#include <sqlite3.h>

#include "fuzz.h"
#include "find/query.h"

/* The index of hamr-mem, with one row. */
static sqlite3_stmt *
prepared(void)
{
	static sqlite3_stmt *st;
	sqlite3 *db;

	if (st != NULL)
		return st;
	HOLDS(sqlite3_open(":memory:", &db) == SQLITE_OK);
	HOLDS(sqlite3_exec(db, "CREATE VIRTUAL TABLE words USING fts5(text, "
	    "parts, path, name, tokenize='porter unicode61 "
	    "remove_diacritics 2');"
	    "INSERT INTO words(text) VALUES('a word or two, NEAR nothing')",
	    NULL, NULL, NULL) == SQLITE_OK);
	HOLDS(sqlite3_prepare_v2(db, "SELECT snippet(words, 0, '', '', '', 8) "
	    "FROM words WHERE words MATCH ?", -1, &st, NULL) == SQLITE_OK);
	return st;
}

static void
runs(const struct buf *expr)
{
	sqlite3_stmt *st = prepared();
	int r;

	if (expr->len == 0)
		return;
	sqlite3_bind_text(st, 1, expr->p, (int)expr->len, SQLITE_STATIC);
	while ((r = sqlite3_step(st)) == SQLITE_ROW)
		;
	if (r != SQLITE_DONE)
		fprintf(stderr, "%.*s: %s\n", (int)expr->len, expr->p,
		    sqlite3_errmsg(sqlite3_db_handle(st)));
	HOLDS(r == SQLITE_DONE);
	sqlite3_reset(st);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *p = fuzz_copy(data, n);
	struct query q;

	query_build(&q, (struct slice){ p, n }, false);
	HOLDS(q.words > 0 || (q.phrase.len == 0 && q.all.len == 0));
	runs(&q.phrase);
	runs(&q.all);
	for (size_t i = 0; i < q.nword; i++)
		runs(&q.word[i].expr);
	query_release(&q);
	free(p);
	return 0;
}
