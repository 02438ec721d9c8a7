/* forget.c - forgetting for good: out of the tables, the index and the log. */
#include <stdlib.h>

#include "mem.h"
#include "store.h"

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
	struct st *s = db_st(st->db, "SELECT 1 FROM state WHERE "
	    "name = 'unclean'", e);
	int got;

	if (s == NULL)
		return -1;
	got = st_step(s, e);
	st_done(s);
	return got;
}

/* What was deleted is out of the tables; get it out of the log too. */
static int
clean(struct store *st, struct err *e)
{
	if (db_truncate_log(st->db, e) < 0)
		return -1;
	if (db_begin(st->db, e) < 0)
		return -1;
	if (db_end(st->db, set_unclean(st, false, e) == 0, e) < 0)
		return -1;
	db_truncate_log(st->db, NULL);	/* holds no text any more */
	return 0;
}

struct rows {
	int64_t *id;
	size_t n, cap;
};

static int
find_rows(struct store *st, const struct forget *f, struct rows *rows,
    struct err *e)
{
	const char *sql = f->prefix != NULL ?
	    "SELECT id FROM item WHERE key >= ?1 AND key < ?1 || 'g'" :
	    f->session != NULL ? "SELECT id FROM item WHERE session = ?1" :
	    "SELECT id FROM item WHERE time < ?1";
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
		rows->id = xgrow(rows->id, rows->n, &rows->cap,
		    sizeof *rows->id);
		rows->id[rows->n++] = st_col_int(s, 0);
	}
	return got;
}

static int
forget_row(struct store *st, int64_t row, int64_t now, struct err *e)
{
	struct st *s = db_st(st->db, "INSERT OR REPLACE INTO forgotten "
	    "SELECT key, ?2 FROM item WHERE id = ?1", e);

	if (s == NULL)
		return -1;
	st_int(s, 1, row);
	st_int(s, 2, now);
	return st_run(s, e) < 0 ? -1 : store_drop(st, row, e);
}

static int
forget_rows(struct store *st, const struct rows *rows, struct err *e)
{
	int64_t now = when_now();

	for (size_t i = 0; i < rows->n; i++)
		if (forget_row(st, rows->id[i], now, e) < 0)
			return -1;
	if (rows->n == 0)
		return 0;
	if (db_exec(st->db, "INSERT INTO words(words) VALUES('optimize')",
	    e) < 0)
		return -1;
	return set_unclean(st, true, e);
}

int64_t
store_forget(struct store *st, const struct forget *f, struct err *e)
{
	struct rows rows = { .n = 0 };
	int64_t n = -1;
	int unclean = -1;
	bool good;

	if (db_begin(st->db, e) < 0)
		return -1;
	good = find_rows(st, f, &rows, e) == 0 &&
	    forget_rows(st, &rows, e) == 0;
	if (good)
		unclean = is_unclean(st, e);
	good = good && unclean >= 0;
	if (db_end(st->db, good, good ? e : NULL) == 0 && good)
		n = (int64_t)rows.n;
	if (n >= 0 && unclean > 0 && clean(st, e) < 0)
		n = -1;
	free(rows.id);
	return n;
}
