/* store.c - a memory: store, replace and forget items and their passages. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utc.h"
#include "facts.h"
#include "text.h"
#include "words.h"

static const struct db_schema schema = {
	.application_id = 0x68616d72,	/* "hamr" */
	.version = 8,
	.oldest = 6,		/* other words.h (6) and parts: upgrade */
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
	/* 'unclean': deleted text may still be in the file or log */
	"CREATE TABLE state(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	/* facts.c explains these two */
	"CREATE TABLE saved("
	"  key TEXT NOT NULL, time INTEGER NOT NULL, slot TEXT NOT NULL,"
	"  tags TEXT NOT NULL, PRIMARY KEY(key, time, slot)) WITHOUT ROWID;"
	"CREATE TABLE gone(slot TEXT PRIMARY KEY, key TEXT NOT NULL,"
	"  time INTEGER NOT NULL) WITHOUT ROWID;"
	WORDS_SQL
	/* after all tables, as VACUUM orders them: see db_graft_first_page */
	"CREATE INDEX saved_slot ON saved(slot, time, key);"
	/* each search asks for the newest time */
	"CREATE INDEX item_time ON item(time);"
	"CREATE INDEX item_session ON item(session);"
	/* write what a transaction adds to the index as one segment of up to
	 * 16 MB: with 1 MB, the default, segments are merged once more */
	"INSERT INTO words(words, rank) VALUES('hashsize', 16777216);",
	.shadow = { "words_" },
	.sign = "hashsize" };

void
item_release(struct item *it)
{
	FREE(it->session, it->role, it->name, it->path, it->tags, it->slot,
	    it->text);
	*it = (struct item){ .line = 0 };
}

/* The parts of a passage and of its item's path (p NULL: none). */
static struct slice
split(struct slice text, struct slice path, struct buf *parts)
{
	buf_reset(parts);
	text_parts(text, parts);
	text_parts(path, parts);
	return parts->len > 0 ? buf_view(parts) : SLICE("");
}

/* Index an older version's memory as it is indexed now: passages are split
 * into parts, and words collected, in another way. */
static int
upgrade(struct store *st, struct err *e)
{
	char *mark = xasprintf("PRAGMA user_version=%d", schema.version);
	struct buf parts = BUF_INIT(TEXT_MAX);
	int r = store_begin(st, e), got = r;
	struct st *s = r < 0 ? NULL : db_query(st->db, e, "SELECT p.id, "
	    "p.text, p.parts, i.path FROM passage p JOIN item i ON "
	    "i.id = p.id >> 20", "");

	while (got >= 0 && (got = st_step(s, e)) > 0) {
		int64_t id = st_col_int(s, 0);
		struct slice now = split(st_col(s, 1), st_col(s, 3), &parts);

		if (slice_eq(now, st_col(s, 2)))
			continue;
		if (db_run(st->db, e, "INSERT INTO words(words, rowid, text, "
		    "parts, path, name) SELECT 'delete', id, text, parts, "
		    "path, name FROM source WHERE id = ?1", "i", id) < 0 ||
		    db_run(st->db, e, "UPDATE passage SET parts = ?2 WHERE "
		    "id = ?1", "is", id, now) < 0 ||
		    db_run(st->db, e, "INSERT INTO words(rowid, text, parts, "
		    "path, name) SELECT id, text, parts, path, name FROM "
		    "source WHERE id = ?1", "i", id) < 0)
			got = -1;
	}
	st_done(s);
	if (got == 0)
		got = words_collect(st, e);
	if (got == 0)
		got = db_exec(st->db, mark, e);
	if (r == 0)
		r = store_end(st, got, e);
	buf_release(&parts);
	free(mark);
	return r;
}

int
store_open(struct store *st, const char *path, const char *name,
    enum db_mode mode, struct err *e)
{
	int64_t version = schema.version;

	*st = (struct store){ .name = name, .mode = mode };
	if (mode != DB_SALVAGE && db_lost_log(path))
		err_say("%s-wal is missing; if the memory was copied, copy "
		    "that file, too: it holds what was saved last", path);
	st->db = db_open(path, mode, &schema, e);
	if (st->db == NULL)
		return -1;
	st->path = xstrdup(path);
	if (mode == DB_WRITE &&
	    (db_int(st->db, e, &version, "PRAGMA user_version", "") < 0 ||
	    (version < schema.version && upgrade(st, e) < 0))) {
		store_close(st);
		return -1;
	}
	return 0;
}

bool
store_is_ours(const char *path)
{
	return db_is_ours(path, &schema);
}

void
store_close(struct store *st)
{
	db_close(st->db);
	free(st->path);
	*st = (struct store){ .db = NULL };
}

int
store_begin(struct store *st, struct err *e)
{
	if (db_begin(st->db, e) < 0)
		return -1;
	st->last_fact = st->last_message = -1;
	st->gone = 0;
	st->late = false;
	st->marks = db_int(st->db, e, NULL, "SELECT 1 FROM forgotten LIMIT 1",
	    "");
	if (st->marks >= 0)
		return 0;
	db_end(st->db, false, NULL);
	return -1;
}

int
store_end(struct store *st, int r, struct err *e)
{
	if (r == 0 && st->late)
		r = facts_drop_gone(st, e);
	if (r == 0 && st->gone > 0)
		r = db_exec(st->db, "INSERT INTO words(words) "
		    "VALUES('optimize');"
		    "INSERT OR REPLACE INTO state VALUES('unclean', 1)", e) < 0
		    ? -1 : words_collect(st, e);
	bool good = r == 0 && words_settle(st, e) == 0;
	int ended = db_end(st->db, good, e);

	map_release(&st->words);
	texts_release(&st->lost);
	return good ? ended : -1;
}

/* ---- putting in ---- */

int
store_newest(struct store *st, enum kind kind, int64_t *id, struct err *e)
{
	*id = 0;
	return db_int(st->db, e, id, "SELECT max(id) FROM item WHERE id < ?1",
	    "i", kind == KIND_FACT ? INT64_MAX : FACT_FIRST) < 0 ? -1 : 0;
}

/* The hash by which equal texts are found. */
static void
hash_text(struct slice text, char hash[SHA_HEX])
{
	sha256_hex(text.p, text.n, hash);
	hash[16] = '\0';
}

/* Insert an item with its passages and words.  1: inserted, 0: the key is
 * taken. */
static int
insert(struct store *st, const struct item *it, const char *key,
    const char *hash, struct err *e)
{
	int64_t *last = it->kind == KIND_FACT ? &st->last_fact :
	    &st->last_message;
	struct slice text = { it->text, it->len }, p;
	struct slice path = slice_of(it->path != NULL ? it->path :
	    it->tags);
	struct slice name = slice_of(it->name != NULL ? it->name :
	    it->slot);
	struct buf parts = BUF_INIT(TEXT_MAX);
	size_t at = 0;
	int r = 1;

	if (*last < 0 && store_newest(st, it->kind, last, e) < 0)
		return -1;
	int64_t id = it->kind == KIND_FACT && *last < FACT_FIRST ? FACT_FIRST :
	    *last + 1;
	if (db_run(st->db, e, "INSERT OR IGNORE INTO item(key, kind, "
	    "session, line, role, name, path, time, tags, slot, hash, bytes, "
	    "id) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
	    "?13)", "tititttitttii", key, (int64_t)it->kind, it->session,
	    it->line > 0 ? it->line : DB_NULL, it->role, it->name, it->path,
	    it->time, it->tags, it->slot, hash, (int64_t)it->len, id) < 0)
		return -1;
	if (db_changes(st->db) == 0)
		return 0;
	*last = id;
	/* Its text, and its words in the index.  Each statement inserts one
	 * row: before one that inserts several, FTS5 writes out all it has
	 * collected. */
	id <<= PASSAGE_BITS;
	for (; r > 0 && text_passage(text, &at, &p); id++) {
		struct slice words = split(p, slice_of(it->path), &parts);

		words_add(st, p);
		if (db_run(st->db, e, "INSERT INTO passage(id, off, text, "
		    "parts) VALUES(?1, ?2, ?3, ?4)", "iiss", id,
		    (int64_t)(p.p - text.p), p, words) < 0 ||
		    db_run(st->db, e, "INSERT INTO words(rowid, text, parts, "
		    "path, name) VALUES(?1, ?2, ?3, ?4, ?5)", "issss", id, p,
		    words, path, name) < 0)
			r = -1;
	}
	buf_release(&parts);
	words_add(st, path);
	words_add(st, name);
	return r;
}

int
store_add(struct store *st, const struct item *it, struct err *e)
{
	char hash[SHA_HEX];

	hash_text((struct slice){ it->text, it->len }, hash);
	return insert(st, it, it->id + 2, hash, e) < 0 ? -1 : 0;
}

/* Insert an item unless it was forgotten: 1, or 0 when another text has the
 * key. */
static int
put(struct store *st, const struct item *it, const char *key,
    const char *hash, struct err *e)
{
	int got = st->marks == 0 ? 0 : db_int(st->db, e, NULL,
	    "SELECT 1 FROM forgotten WHERE key = ?1", "t", key);

	if (got == 0)
		got = insert(st, it, key, hash, e);
	if (got != 0)
		return got;
	got = db_int(st->db, e, NULL, "SELECT 1 FROM item "
	    "WHERE key = ?1 AND hash <> ?2", "tt", key, hash);
	return got < 0 ? -1 : got == 0;
}

int
store_put(struct store *st, const struct item *it, struct err *e)
{
	char hash[SHA_HEX], other[MEMID_SIZE];
	int64_t row;

	hash_text((struct slice){ it->text, it->len }, hash);
	int got = put(st, it, it->id + 2, hash, e);
	if (got == 0 && it->kind == KIND_MESSAGE) {
		memid_message(slice_of(it->session), slice_of(it->role),
		    (struct slice){ it->text, it->len }, other);
		/* only an imported result has the key of another's text */
		if (strcmp(other, it->id) == 0) {
			got = db_int(st->db, e, &row, "SELECT id FROM item "
			    "WHERE key = ?1", "t", it->id + 2);
			if (got > 0 && row < FACT_FIRST)
				got = store_drop(st, row, e);
		}
		if (got >= 0)
			got = put(st, it, other + 2, hash, e);
	}
	return got < 0 ? -1 : 0;
}

int
store_drop(struct store *st, int64_t row, struct err *e)
{
	int64_t from = row << PASSAGE_BITS, to = (row + 1) << PASSAGE_BITS;

	if (db_run(st->db, e, "INSERT INTO words(words, rowid, text, parts, "
	    "path, name) SELECT 'delete', id, text, parts, path, name "
	    "FROM source WHERE id >= ?1 AND id < ?2", "ii", from, to) < 0 ||
	    db_run(st->db, e, "DELETE FROM passage WHERE id >= ?1 AND "
	    "id < ?2", "ii", from, to) < 0)
		return -1;
	return db_run(st->db, e, "DELETE FROM item WHERE id = ?1", "i", row);
}

/* ---- forgetting for good: out of the tables, the index and the log ---- */

int
store_wipe_log(struct store *st, struct err *e)
{
	int unclean = db_int(st->db, e, NULL, "SELECT 1 FROM state WHERE "
	    "name = 'unclean'", "");

	if (unclean <= 0)
		return unclean;
	if (db_vacuum(st->db, e) < 0 || store_begin(st, e) < 0 ||
	    store_end(st, db_exec(st->db, "DELETE FROM state WHERE name = "
	    "'unclean'", e), e) < 0)
		return -1;
	db_truncate_log(st->db, NULL);	/* optional: it has no text now */
	return 0;
}

int
store_forget_one(struct store *st, int64_t row, const char *key, int64_t time,
    struct err *e)
{
	if (saves_mark_forgotten(st, key, time, e) < 0)
		return -1;
	st->gone += row != 0;
	return row == 0 ? 0 : store_drop(st, row, e);
}

int64_t
store_forget(struct store *st, const struct forget *f, struct err *e)
{
	bool writes = st->mode == DB_WRITE;
	struct texts keys = { .n = 0 };
	int64_t n = -1, now = utc_now();
	int r;

	if (writes && store_begin(st, e) < 0)
		return -1;
	struct st *s = db_query(st->db, e, "SELECT key FROM item WHERE "
	    "(key >= ?1 AND key < ?1 || 'g') OR session = ?2 OR time < ?3",
	    "tti", f->prefix, f->session, f->before);
	while ((r = st_step(s, e)) > 0)
		texts_add(&keys, st_col_dup(s, 0));
	if (r == 0 && !writes && keys.n > 0)
		r = err_set(e, ST_SYSTEM, "%s holds %zu of these items and "
		    "cannot be written; forget them where it can be",
		    st->path, keys.n);
	for (size_t i = 0; writes && i < keys.n && r >= 0; i++) {
		const char *key = keys.v[i];
		int64_t row = 0, time = now;

		r = db_int(st->db, e, &row, "SELECT id FROM item WHERE "
		    "key = ?1", "t", key);
		if (r > 0 && row < FACT_FIRST) {
			r = store_forget_one(st, row, key, now, e);
		} else if (r > 0) {	/* not before its last save */
			r = db_int(st->db, e, &time, "SELECT max(time, ?2) "
			    "FROM saved WHERE key = ?1 ORDER BY time DESC",
			    "ti", key, now);
			r = r < 0 ? -1 : facts_forget(st, key, time, e);
		}
	}
	if (writes)
		r = store_end(st, r, e) < 0 ? -1 : store_wipe_log(st, e);
	if (r == 0)
		n = (int64_t)keys.n;
	texts_release(&keys);
	return n;
}

/* ---- reading ---- */

int
store_find(struct store *st, const char *prefix, int64_t *row,
    char key[MEMID_SIZE], struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT id, key FROM item "
	    "WHERE key >= ?1 AND key < ?1 || 'g' LIMIT 2", "t", prefix);
	int n = 0, got;

	while ((got = st_step(s, e)) > 0)
		if (n++ == 0) {
			*row = st_col_int(s, 0);
			snprintf(key, MEMID_SIZE, "%.*s",
			    (int)st_col(s, 1).n, st_col(s, 1).p);
		}
	return got < 0 ? -1 : n;
}

int
store_text(struct store *st, int64_t row, struct buf *out, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT off, text FROM passage "
	    "WHERE id >= ?1 AND id < ?2 ORDER BY id", "ii",
	    row << PASSAGE_BITS, (row + 1) << PASSAGE_BITS);
	size_t from = out->len;
	int got;

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

/* ---- checking ---- */

/* Is each item's text the one that was stored? */
static int
check_texts(struct store *st, struct buf *out, struct err *e)
{
	struct st *s = db_query(st->db, e, "SELECT id, key, hash FROM item",
	    "");
	struct buf text = BUF_INIT(TEXT_MAX);
	char hash[SHA_HEX];
	struct err why;
	int got;

	while ((got = st_step(s, e)) > 0) {
		struct slice key = st_col(s, 1);

		buf_reset(&text);
		int r = store_text(st, st_col_int(s, 0), &text, &why);
		hash_text(buf_view(&text), hash);
		if (r < 0 || !slice_is(st_col(s, 2), hash))
			buf_fmt(out, "%s: m:%.*s: %s\n", st->path, (int)key.n,
			    key.p, r == 0 && text.len == 0 ? "no text" :
			    "its text is not what was stored");
	}
	buf_release(&text);
	return got;
}

int
store_check(struct store *st, struct buf *out, struct err *e)
{
	/* each row is a fault, or "ok" */
	static const char *const faults[] = { "PRAGMA integrity_check(20)",
		"SELECT 'passage ' || id || ': of no item' FROM passage WHERE "
		"id >> 20 NOT IN (SELECT id FROM item)",
		"SELECT 'm:' || key || ': forgotten, and here' FROM item i "
		"JOIN forgotten f USING (key) WHERE i.kind = 2 OR "
		"i.time <= f.time" };
	struct err why;

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct st *s = db_query(st->db, e, faults[i], "");
		int got;

		while ((got = st_step(s, e)) > 0) {
			struct slice v = st_col(s, 0);

			if (!slice_is(v, "ok"))
				buf_fmt(out, "%s: %.*s\n", st->path, (int)v.n,
				    v.p);
		}
		if (got < 0)
			return -1;
	}
	if (check_texts(st, out, e) < 0)
		return -1;
	if (st->mode != DB_WRITE)
		return 0;
	if (db_begin(st->db, e) < 0)
		return -1;
	int r = db_exec(st->db, "INSERT INTO words(words, rank) "
	    "VALUES('integrity-check', 1)", &why);
	db_end(st->db, false, NULL);
	if (r == 0)
		return 0;
	if (why.status != ST_DATA) {
		*e = why;
		return -1;
	}
	buf_fmt(out, "%s: the index does not match the text\n", st->path);
	return 0;
}
