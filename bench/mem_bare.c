/* mem_bare.c - the rows of a memory put into a table and an FTS5 index, and
 * nothing else: what hamr-mem's indexing is measured by.  They come ready from
 * the memory (no JSON, redaction, ids, parts), there is no table of items, no
 * other index, nothing to find fragments; 10,000 rows a transaction, SQLite's
 * own settings but for WAL and synchronous=NORMAL, as hamr-mem has them.
 *
 *	mem_bare MEMORY NEW
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static void
must(int good, sqlite3 *db)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", sqlite3_errmsg(db));
	exit(1);
}

int
main(int argc, char **argv)
{
	sqlite3 *from, *to;
	sqlite3_stmt *row, *text, *words;
	int n = 0;

	if (argc != 3)
		return 2;
	must(sqlite3_open(argv[1], &from) == SQLITE_OK, from);
	must(sqlite3_open(argv[2], &to) == SQLITE_OK, to);
	must(sqlite3_exec(to, "PRAGMA journal_mode=WAL;"
	    "PRAGMA synchronous=NORMAL; CREATE TABLE passage("
	    "id INTEGER PRIMARY KEY, off INTEGER, text TEXT, parts TEXT);"
	    "CREATE VIRTUAL TABLE words USING fts5(text, parts, path, name,"
	    "content='passage', content_rowid='id',"
	    "tokenize='porter unicode61 remove_diacritics 2'); BEGIN",
	    NULL, NULL, NULL) == SQLITE_OK, to);
	must(sqlite3_prepare_v2(from, "SELECT s.id, p.off, s.text, s.parts, "
	    "s.path, s.name FROM source s JOIN passage p USING (id)", -1,
	    &row, NULL) == SQLITE_OK, from);
	must(sqlite3_prepare_v2(to, "INSERT INTO passage VALUES(?1, ?2, ?3, "
	    "?4)", -1, &text, NULL) == SQLITE_OK, to);
	must(sqlite3_prepare_v2(to, "INSERT INTO words(rowid, text, parts, "
	    "path, name) VALUES(?1, ?2, ?3, ?4, ?5)", -1, &words, NULL) ==
	    SQLITE_OK, to);
	while (sqlite3_step(row) == SQLITE_ROW) {
		for (int i = 0; i < 4; i++)
			sqlite3_bind_value(text, i + 1,
			    sqlite3_column_value(row, i));
		sqlite3_bind_value(words, 1, sqlite3_column_value(row, 0));
		for (int i = 2; i < 6; i++)
			sqlite3_bind_value(words, i,
			    sqlite3_column_value(row, i));
		must(sqlite3_step(text) == SQLITE_DONE &&
		    sqlite3_step(words) == SQLITE_DONE, to);
		sqlite3_reset(text);
		sqlite3_reset(words);
		if (++n % 10000 == 0)
			must(sqlite3_exec(to, "COMMIT; BEGIN", NULL, NULL,
			    NULL) == SQLITE_OK, to);
	}
	must(sqlite3_exec(to, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, to);
	printf("%d rows\n", n);
	return 0;
}
