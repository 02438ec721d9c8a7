/* check.c - is a memory whole? */
#include "store.h"

/* Each row of a query that finds faults is a line. */
static int
faults(struct store *st, const char *sql, struct buf *out, struct err *e)
{
	struct st *s = db_st(st->db, sql, e);
	int got;

	if (s == NULL)
		return -1;
	while ((got = st_step(s, e)) > 0) {
		struct slice v = st_col(s, 0);

		if (v.n == 2 && slice_is(v, "ok"))
			continue;
		buf_fmt(out, "%s: ", st->path);
		buf_slice(out, v);
		buf_addc(out, '\n');
	}
	return got;
}

static int
check_index(struct store *st, struct buf *out, struct err *e)
{
	struct err why;
	int r;

	if (db_begin(st->db, e) < 0)
		return -1;
	r = db_exec(st->db, "INSERT INTO words(words, rank) "
	    "VALUES('integrity-check', 1)", &why);
	if (r < 0 && why.status == ST_DATA)
		buf_fmt(out, "%s: the index does not fit the text\n",
		    st->path);
	if (r < 0 && why.status != ST_DATA && e != NULL)
		*e = why;
	db_end(st->db, false, NULL);
	return r < 0 && why.status != ST_DATA ? -1 : 0;
}

int
store_check(struct store *st, struct buf *out, struct err *e)
{
	if (faults(st, "PRAGMA integrity_check(20)", out, e) < 0 ||
	    faults(st, "SELECT 'm:' || key || ': no text' FROM item i WHERE "
	    "NOT EXISTS (SELECT 1 FROM passage WHERE id = i.id << 20)",
	    out, e) < 0 ||
	    faults(st, "SELECT 'passage ' || id || ': of no item' FROM "
	    "passage WHERE id >> 20 NOT IN (SELECT id FROM item)",
	    out, e) < 0 ||
	    faults(st, "SELECT 'm:' || key || ': forgotten, and here' "
	    "FROM item i JOIN forgotten f USING (key) WHERE i.kind = 2 OR "
	    "i.time <= f.time", out, e) < 0)
		return -1;
	return check_index(st, out, e);
}
