/* forget.c - forgetting for good: out of the tables, the index and the log. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/utc.h"

#include "facts.h"
#include "words.h"

#define SCRUB_PAGES 4096

/* What was deleted is out of the tables; get it out of the log too. */
int
store_wipe_log(struct store *st, struct err *e)
{
	int unclean = db_int(st->db, e, NULL, "SELECT 1 FROM state WHERE "
	    "name = 'unclean'", "");

	if (unclean <= 0)
		return unclean;
	if (db_truncate_log(st->db, e) < 0 || store_begin(st, e) < 0)
		return -1;
	if (store_end(st, db_exec(st->db, "DELETE FROM state WHERE name = "
	    "'unclean'", e), e) < 0)
		return -1;
	db_truncate_log(st->db, NULL);	/* holds no text any more */
	return 0;
}

int
store_wipe(struct store *st, struct err *e)
{
	int64_t left = 0, size = 0;

	if (words_settle(st, e) < 0 || db_exec(st->db,
	    "INSERT INTO words(words) VALUES('optimize');"
	    "INSERT OR REPLACE INTO state VALUES('unclean', 1)", e) < 0)
		return -1;
	/* pages that became free before still hold what stood in them: use
	 * them all, and let them go */
	if (db_int(st->db, e, &size, "PRAGMA page_size", "") < 0 ||
	    db_int(st->db, e, &left, "PRAGMA freelist_count", "") < 0)
		return -1;
	for (; left > 0; left -= SCRUB_PAGES)
		if (db_run(st->db, e, "INSERT INTO state VALUES('scrub' || "
		    "?1, zeroblob(?2))", "ii", left, size * (left <
		    SCRUB_PAGES ? left : SCRUB_PAGES)) < 0)
			return -1;
	return db_exec(st->db, "DELETE FROM state WHERE name LIKE 'scrub%'",
	    e);
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
	struct st *s = f->prefix != NULL ?
	    db_query(st->db, e, "SELECT id, kind, key FROM item "
	    "WHERE key >= ?1 AND key < ?1 || 'g'", "t", f->prefix) :
	    f->session != NULL ?
	    db_query(st->db, e, "SELECT id, kind, key FROM item "
	    "WHERE session = ?1", "t", f->session) :
	    db_query(st->db, e, "SELECT id, kind, key FROM item "
	    "WHERE time < ?1", "i", f->before);
	int got;

	while ((got = st_step(s, e)) > 0) {
		GROW(rows->v, rows->n, rows->cap);
		rows->v[rows->n] = (struct row){ st_col_int(s, 0),
			(enum kind)st_col_int(s, 1), "" };
		key_copy(rows->v[rows->n++].key, st_col(s, 2));
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
forget_rows(struct store *st, const struct rows *rows, struct err *e)
{
	int64_t now = utc_now();

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->v[i];
		int64_t last;
		int r;

		if (row->kind == KIND_FACT)
			r = saves_last(st, row->key, &last, e) < 0 ? -1 :
			    facts_forget(st, row->key, last > now ? last : now,
			    NULL, e);
		else
			r = store_forget_one(st, row->id, row->key, now, e);
		if (r < 0)
			return -1;
	}
	return rows->n == 0 ? 0 : store_wipe(st, e);
}

int64_t
store_forget(struct store *st, const struct forget *f, struct err *e)
{
	struct rows rows = { .n = 0 };
	int64_t n = -1;
	int r;

	if (store_begin(st, e) < 0)
		return -1;
	r = find_rows(st, f, &rows, e);
	if (r == 0)
		r = forget_rows(st, &rows, e);
	if (store_end(st, r, e) == 0 && store_wipe_log(st, e) == 0)
		n = (int64_t)rows.n;
	free(rows.v);
	return n;
}
