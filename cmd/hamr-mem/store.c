/* store.c - a memory: items and their passages, kept, replaced, forgotten. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "store.h"
#include "text.h"
#include "words.h"

#define TEXT_MAX ((size_t)512 << 20)

/* saves.c says what these are for. */
#define SAVES_SQL \
	"CREATE TABLE saved(" \
	"  key TEXT NOT NULL, time INTEGER NOT NULL, slot TEXT NOT NULL," \
	"  tags TEXT NOT NULL, PRIMARY KEY(key, time, slot)) WITHOUT ROWID;" \
	"CREATE INDEX saved_slot ON saved(slot, time, key);" \
	"CREATE TABLE gone(slot TEXT PRIMARY KEY, key TEXT NOT NULL," \
	"  time INTEGER NOT NULL) WITHOUT ROWID;"

/* The newest time is asked for at each search. */
#define TIMES_SQL "CREATE INDEX item_time ON item(time);"

static const struct db_schema schema = {
	.application_id = 0x68616d72,	/* "hamr" */
	.version = 3,
	.sql =
	"CREATE TABLE item("
	"  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
	"  kind INTEGER NOT NULL, session TEXT, line INTEGER, role TEXT,"
	"  name TEXT, path TEXT, time INTEGER, tags TEXT, slot TEXT UNIQUE,"
	"  hash TEXT NOT NULL, bytes INTEGER NOT NULL);"
	"CREATE TABLE passage("
	"  id INTEGER PRIMARY KEY, off INTEGER NOT NULL, text TEXT NOT NULL,"
	"  parts TEXT NOT NULL);"
	"CREATE VIEW source AS SELECT p.id AS id, p.text AS text,"
	"  p.parts AS parts, coalesce(i.path, i.tags) AS path,"
	"  coalesce(i.name, i.slot) AS name"
	"  FROM passage p JOIN item i ON i.id = p.id >> 20;"
	"CREATE VIRTUAL TABLE words USING fts5(text, parts, path, name,"
	"  content='source', content_rowid='id',"
	"  tokenize='porter unicode61 remove_diacritics 2');"
	"CREATE TABLE forgotten(key TEXT PRIMARY KEY, time INTEGER NOT NULL)"
	"  WITHOUT ROWID;"
	/* 'unclean': deleted text may still stand in the log */
	"CREATE TABLE state(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	SAVES_SQL TIMES_SQL WORDS_SQL,
	.shadow = { "words_", "grams_" },
	.upgrade = { SAVES_SQL
	"INSERT INTO saved SELECT key, coalesce(time, 0), coalesce(slot, ''),"
	"  coalesce(tags, '[]') FROM item WHERE kind = 1;",
	TIMES_SQL WORDS_SQL
	"INSERT INTO words(words, rowid, text, parts, path, name)"
	"  SELECT 'delete', id, text, parts, path, name FROM source"
	"  WHERE id >> 20 IN"
	"  (SELECT id FROM item WHERE kind = 1 AND id < 1 << 42);"
	"UPDATE passage SET id = id + (1 << 62) WHERE id >> 20 IN"
	"  (SELECT id FROM item WHERE kind = 1 AND id < 1 << 42);"
	"UPDATE item SET id = id + (1 << 42) WHERE kind = 1"
	"  AND id < 1 << 42;"
	"INSERT INTO words(rowid, text, parts, path, name)"
	"  SELECT id, text, parts, path, name FROM source"
	"  WHERE id >= 1 << 62;"
	"INSERT INTO state VALUES('unfilled', 1);" }
};

void
item_release(struct item *it)
{
	free(it->session);
	free(it->role);
	free(it->name);
	free(it->path);
	free(it->tags);
	free(it->slot);
	free(it->text);
	*it = (struct item){ .line = 0 };
}

/* What the version before did not keep. */
static int
fill(struct store *st, struct err *e)
{
	int unfilled = st_any(db_st(st->db, "SELECT 1 FROM state WHERE "
	    "name = 'unfilled'", e), e);
	bool good;

	if (unfilled <= 0)
		return unfilled;
	if (store_begin(st, e) < 0)
		return -1;
	good = words_fill(st, e) == 0 && db_exec(st->db, "DELETE FROM state "
	    "WHERE name = 'unfilled'", e) == 0;
	return store_end(st, good, e) < 0 || !good ? -1 : 0;
}

int
store_open(struct store *st, const char *path, const char *name,
    enum db_mode mode, struct err *e)
{
	*st = (struct store){ .name = name };
	st->db = db_open(path, mode, &schema, e);
	if (st->db == NULL)
		return -1;
	st->path = xstrdup(path);
	if (mode == DB_WRITE && fill(st, e) < 0) {
		store_close(st);
		return -1;
	}
	return 0;
}

void
store_close(struct store *st)
{
	db_close(st->db);
	words_stay(st);
	free(st->path);
	*st = (struct store){ .db = NULL };
}

/* ---- transactions ---- */

int
store_begin(struct store *st, struct err *e)
{
	return db_begin(st->db, e);
}

int
store_end(struct store *st, bool commit, struct err *e)
{
	bool good = commit && words_settle(st, e) == 0;
	int r = db_end(st->db, good, e);

	words_stay(st);
	return commit && !good ? -1 : r;
}

/* ---- putting in ---- */

static int
is_forgotten(struct store *st, const char *key, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT 1 FROM forgotten WHERE key = ?1",
	    e);
	int got;

	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	got = st_step(s, e);
	st_done(s);
	return got;
}

/* 1: the key stands for another text, 0: it is this one or nobody's. */
static int
is_other(struct store *st, const char *key, const char *hash, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT hash <> ?2 FROM item "
	    "WHERE key = ?1", e);
	int got;

	if (s == NULL)
		return -1;
	st_text(s, 1, key);
	st_text(s, 2, hash);
	got = st_step(s, e);
	if (got > 0)
		got = st_col_int(s, 0) != 0;
	st_done(s);
	return got;
}

static struct slice
named(const char *a, const char *b)
{
	return a != NULL ? slice_of(a) : b != NULL ? slice_of(b) :
	    (struct slice){ NULL, 0 };
}

/* One passage: its text, and its words in the index.  Both are statements of
 * one row: before one of several rows FTS5 writes out all it has collected. */
static int
put_passage(struct store *st, int64_t id, size_t off, struct slice text,
    struct slice parts, const struct item *it, struct err *e)
{
	struct st *s = db_st(st->db, "INSERT INTO passage(id, off, text, "
	    "parts) VALUES(?1, ?2, ?3, ?4)", e);

	if (s == NULL)
		return -1;
	st_int(s, 1, id);
	st_int(s, 2, (int64_t)off);
	st_slice(s, 3, text);
	st_slice(s, 4, parts);
	if (st_run(s, e) < 0)
		return -1;
	s = db_st(st->db, "INSERT INTO words(rowid, text, parts, path, name) "
	    "VALUES(?1, ?2, ?3, ?4, ?5)", e);
	if (s == NULL)
		return -1;
	st_int(s, 1, id);
	st_slice(s, 2, text);
	st_slice(s, 3, parts);
	st_slice(s, 4, named(it->path, it->tags));
	st_slice(s, 5, named(it->name, it->slot));
	words_add(st, text);
	return st_run(s, e);
}

static int
put_passages(struct store *st, int64_t row, const struct item *it,
    struct err *e)
{
	struct slice text = { it->text, it->len }, p;
	struct buf parts = BUF_INIT(TEXT_MAX);
	int64_t id = row << PASSAGE_BITS;
	size_t at = 0;
	int r = 0;

	while (r == 0 && text_passage(text, &at, &p)) {
		buf_reset(&parts);
		text_parts(p, &parts);
		if (it->path != NULL)
			text_parts(slice_of(it->path), &parts);
		r = put_passage(st, id++, (size_t)(p.p - text.p), p,
		    parts.len > 0 ? buf_view(&parts) : SLICE(""), it, e);
	}
	buf_release(&parts);
	words_add(st, named(it->path, it->tags));
	words_add(st, named(it->name, it->slot));
	return r;
}

int
store_newest(struct store *st, enum kind kind, int64_t *id, struct err *e)
{
	struct st *s = kind == KIND_FACT ?
	    db_st(st->db, "SELECT max(id) FROM item", e) :
	    db_st(st->db, "SELECT max(id) FROM item WHERE id < ?1", e);
	int got;

	*id = 0;
	if (s == NULL)
		return -1;
	if (kind == KIND_MESSAGE)
		st_int(s, 1, FACT_FIRST);
	got = st_step(s, e);
	if (got > 0 && !st_col_null(s, 0))
		*id = st_col_int(s, 0);
	st_done(s);
	return got < 0 ? -1 : 0;
}

static int64_t
next_id(struct store *st, enum kind kind, struct err *e)
{
	int64_t id;

	if (store_newest(st, kind, &id, e) < 0)
		return -1;
	if (kind == KIND_FACT && id < FACT_FIRST)
		return FACT_FIRST;
	return id + 1;
}

static int
insert(struct store *st, const struct item *it, const char *key,
    const char *hash, struct err *e)
{
	struct st *s = db_st(st->db, "INSERT OR IGNORE INTO item(key, kind, "
	    "session, line, role, name, path, time, tags, slot, hash, bytes, "
	    "id) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
	    "?13)", e);
	int64_t id = s != NULL ? next_id(st, it->kind, e) : -1;

	if (id < 0)
		return -1;
	st_text(s, 1, key);
	st_int(s, 2, it->kind);
	st_text(s, 3, it->session);
	if (it->line > 0)
		st_int(s, 4, it->line);
	st_text(s, 5, it->role);
	st_text(s, 6, it->name);
	st_text(s, 7, it->path);
	if (it->time != WHEN_NONE)
		st_int(s, 8, it->time);
	st_text(s, 9, it->tags);
	st_text(s, 10, it->slot);
	st_text(s, 11, hash);
	st_int(s, 12, (int64_t)it->len);
	st_int(s, 13, id);
	if (st_run(s, e) < 0)
		return -1;
	if (db_changes(st->db) == 0)
		return 0;
	return put_passages(st, id, it, e);
}

int
store_add(struct store *st, const struct item *it, struct err *e)
{
	char hash[SHA_HEX];

	sha256_hex(it->text, it->len, hash);
	hash[16] = '\0';
	return insert(st, it, it->id + 2, hash, e);
}

int
store_put(struct store *st, const struct item *it, struct err *e)
{
	const char *key = it->id + 2;
	char hash[SHA_HEX];
	int got;

	got = is_forgotten(st, key, e);
	if (got != 0)
		return got < 0 ? -1 : 0;
	sha256_hex(it->text, it->len, hash);
	hash[16] = '\0';
	if (it->other[0] != '\0') {
		got = is_other(st, key, hash, e);
		if (got < 0)
			return -1;
		if (got > 0)
			key = it->other + 2;
		if (got > 0 && (got = is_forgotten(st, key, e)) != 0)
			return got < 0 ? -1 : 0;
	}
	return insert(st, it, key, hash, e);
}

/* ---- taking out ---- */

static int
drop_passages(struct store *st, int64_t row, struct err *e)
{
	int64_t from = row << PASSAGE_BITS, to = (row + 1) << PASSAGE_BITS;
	struct st *s = db_st(st->db, "INSERT INTO words(words, rowid, text, "
	    "parts, path, name) SELECT 'delete', id, text, parts, path, name "
	    "FROM source WHERE id >= ?1 AND id < ?2", e);

	if (s == NULL)
		return -1;
	st_int(s, 1, from);
	st_int(s, 2, to);
	if (st_run(s, e) < 0)
		return -1;
	s = db_st(st->db, "DELETE FROM passage WHERE id >= ?1 AND id < ?2",
	    e);
	if (s == NULL)
		return -1;
	st_int(s, 1, from);
	st_int(s, 2, to);
	return st_run(s, e);
}

/* Its words may be held by nothing any more. */
static int
leave(struct store *st, int64_t row, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT text, path, name FROM source "
	    "WHERE id >= ?1 AND id < ?2", e);
	int got;

	if (s == NULL)
		return -1;
	st_int(s, 1, row << PASSAGE_BITS);
	st_int(s, 2, (row + 1) << PASSAGE_BITS);
	while ((got = st_step(s, e)) > 0)
		for (int i = 0; i < 3; i++)
			words_leave(st, st_col(s, i));
	return got;
}

int
store_drop(struct store *st, int64_t row, struct err *e)
{
	struct st *s;

	if (leave(st, row, e) < 0 || drop_passages(st, row, e) < 0)
		return -1;
	s = db_st(st->db, "DELETE FROM item WHERE id = ?1", e);
	if (s == NULL)
		return -1;
	st_int(s, 1, row);
	return st_run(s, e);
}

/* ---- looking at ---- */

int
store_find(struct store *st, const char *prefix, int64_t *row, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT id FROM item WHERE key >= ?1 "
	    "AND key < ?1 || 'g' LIMIT 2", e);
	int n = 0, got;

	if (s == NULL)
		return -1;
	st_text(s, 1, prefix);
	while ((got = st_step(s, e)) > 0)
		if (n++ == 0)
			*row = st_col_int(s, 0);
	return got < 0 ? -1 : n;
}

int
store_text(struct store *st, int64_t row, struct buf *out, struct err *e)
{
	struct st *s = db_st(st->db, "SELECT off, text FROM passage "
	    "WHERE id >= ?1 AND id < ?2 ORDER BY id", e);
	size_t from = out->len;
	int got;

	if (s == NULL)
		return -1;
	st_int(s, 1, row << PASSAGE_BITS);
	st_int(s, 2, (row + 1) << PASSAGE_BITS);
	while ((got = st_step(s, e)) > 0) {
		size_t off = (size_t)st_col_int(s, 0), have = out->len - from;
		struct slice p = st_col(s, 1);

		if (off > have || have - off > p.n) {
			st_done(s);
			return err_set(e, ST_DATA, "%s: passages with a gap; "
			    "run hamr-mem check", st->path);
		}
		buf_add(out, p.p + (have - off), p.n - (have - off));
	}
	if (got == 0 && out->over)
		return err_set(e, ST_DATA, "%s: item too large", st->path);
	return got;
}
