/* forget.c - forgetting for good: out of the tables, the index and the log. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "facts.h"
#include "saves.h"
#include "words.h"

static int
set_unclean(struct store *st, bool unclean, struct err *e)
{
	return db_exec(st->db, unclean ?
	    "INSERT OR REPLACE INTO state VALUES('unclean', 1)" :
	    "DELETE FROM state WHERE name = 'unclean'", e);
}

static int
is_unclean(struct store *st, struct err *e)
{
	return st_any(db_st(st->db, "SELECT 1 FROM state WHERE "
	    "name = 'unclean'", e), e);
}

/* What was deleted is out of the tables; get it out of the log too. */
int
store_wipe_log(struct store *st, struct err *e)
{
	int unclean = is_unclean(st, e);

	if (unclean <= 0)
		return unclean;
	if (db_truncate_log(st->db, e) < 0)
		return -1;
	if (store_begin(st, e) < 0)
		return -1;
	if (store_end(st, set_unclean(st, false, e) == 0, e) < 0)
		return -1;
	db_truncate_log(st->db, NULL);	/* holds no text any more */
	return 0;
}

int
store_wipe(struct store *st, struct err *e)
{
	if (words_settle(st, e) < 0 || db_exec(st->db,
	    "INSERT INTO words(words) VALUES('optimize');"
	    "INSERT INTO grams(grams) VALUES('optimize')", e) < 0)
		return -1;
	return set_unclean(st, true, e);
}

struct row {
	int64_t id;
	enum kind kind;
	char key[KEY_SIZE];
};

struct rows {
	struct row *v;
	size_t n, cap;
};

static int
find_rows(struct store *st, const struct forget *f, struct rows *rows,
    struct err *e)
{
	const char *sql = f->prefix != NULL ?
	    "SELECT id, kind, key FROM item WHERE key >= ?1 AND "
	    "key < ?1 || 'g'" : f->session != NULL ?
	    "SELECT id, kind, key FROM item WHERE session = ?1" :
	    "SELECT id, kind, key FROM item WHERE time < ?1";
	struct st *s = db_st(st->db, sql, e);
	int got;

	if (s == NULL)
		return -1;
	if (f->prefix != NULL)
		st_text(s, 1, f->prefix);
	else if (f->session != NULL)
		st_text(s, 1, f->session);
	else
		st_int(s, 1, f->before);
	while ((got = st_step(s, e)) > 0) {
		struct slice key = st_col(s, 2);
		struct row *row;

		rows->v = xgrow(rows->v, rows->n, &rows->cap,
		    sizeof *rows->v);
		row = &rows->v[rows->n++];
		*row = (struct row){ st_col_int(s, 0),
			(enum kind)st_col_int(s, 1), "" };
		memcpy(row->key, key.p, key.n < KEY_SIZE ? key.n :
		    KEY_SIZE - 1);
	}
	return got;
}

int
store_forget_one(struct store *st, int64_t row, const char *key, int64_t time,
    struct err *e)
{
	if (saves_mark(st, key, time, e) < 0)
		return -1;
	return row == 0 ? 0 : store_drop(st, row, e);
}

static int
forget_row(struct store *st, const struct row *row, int64_t now,
    struct err *e)
{
	int64_t last;

	if (row->kind != KIND_FACT)
		return store_forget_one(st, row->id, row->key, now, e);
	if (saves_last(st, row->key, false, &last, e) < 0)
		return -1;
	return facts_forget(st, row->key, last > now ? last : now, NULL, e);
}

static int
forget_rows(struct store *st, const struct rows *rows, struct err *e)
{
	int64_t now = when_now();

	for (size_t i = 0; i < rows->n; i++)
		if (forget_row(st, &rows->v[i], now, e) < 0)
			return -1;
	return rows->n == 0 ? 0 : store_wipe(st, e);
}

int64_t
store_forget(struct store *st, const struct forget *f, struct err *e)
{
	struct rows rows = { .n = 0 };
	int64_t n = -1;
	bool good;

	if (store_begin(st, e) < 0)
		return -1;
	good = find_rows(st, f, &rows, e) == 0 &&
	    forget_rows(st, &rows, e) == 0;
	if (store_end(st, good, good ? e : NULL) == 0 && good)
		n = (int64_t)rows.n;
	if (n >= 0 && store_wipe_log(st, e) < 0)
		n = -1;
	free(rows.v);
	return n;
}
