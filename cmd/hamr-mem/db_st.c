/* db_st.c - statements of SQLite, and its failures in our words. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "mem.h"

#include "db_in.h"

/* ---- reasons ---- */

static bool
is_full(int rc, int sys)
{
	if ((rc & 0xff) == SQLITE_FULL)
		return true;
	if ((rc & 0xff) != SQLITE_IOERR && (rc & 0xff) != SQLITE_CANTOPEN)
		return false;
	return sys == ENOSPC || sys == EDQUOT || sys == EFBIG;
}

int
db_fail(sqlite3 *h, struct err *e)
{
	const char *path = sqlite3_db_filename(h, "main");
	int rc = sqlite3_extended_errcode(h);
	int sys = sqlite3_system_errno(h);

	if (sys == 0)		/* not kept on every way an error takes */
		sys = errno;
	if (path == NULL)
		path = "memory";
	if (is_full(rc, sys))
		return err_set(e, ST_SYSTEM, "%s: no space left; free some, "
		    "what was stored before is intact", path);
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ST_TEMP, "%s: in use by another program; "
		    "try again later", path);
	case SQLITE_NOTADB:
		return err_set(e, ST_DATA, "%s: not a memory file; move it "
		    "away or name another one with --db", path);
	case SQLITE_CORRUPT:
		return err_set(e, ST_DATA, "%s: damaged; move it away (%s)",
		    path, sqlite3_errmsg(h));
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return err_set(e, ST_SYSTEM, "%s: %s%s%s; check the file and "
		    "its folder", path, sqlite3_errmsg(h),
		    sys != 0 ? ": " : "", sys != 0 ? strerror(sys) : "");
	case SQLITE_NOMEM:
		return err_set(e, ST_SYSTEM, "%s: out of memory", path);
	default:
		return err_set(e, ST_BUG, "%s: %s", path, sqlite3_errmsg(h));
	}
}

/* ---- statements ---- */

/* A struct st is SQLite's own statement under another name. */
static sqlite3_stmt *
stmt(struct st *s)
{
	return (sqlite3_stmt *)s;
}

struct st *
db_st(struct db *db, const char *sql, struct err *e)
{
	sqlite3_stmt *s;

	for (size_t i = 0; i < db->n; i++)
		if (db->kept[i].sql == sql) {
			sqlite3_reset(db->kept[i].stmt);
			sqlite3_clear_bindings(db->kept[i].stmt);
			return (struct st *)db->kept[i].stmt;
		}
	if (sqlite3_prepare_v3(db->h, sql, -1, SQLITE_PREPARE_PERSISTENT, &s,
	    NULL) != SQLITE_OK) {
		db_fail(db->h, e);
		return NULL;
	}
	db->kept = xgrow(db->kept, db->n, &db->cap, sizeof *db->kept);
	db->kept[db->n++] = (struct kept){ sql, s };
	return (struct st *)s;
}

void
st_slice(struct st *s, int i, struct slice v)
{
	if (v.p == NULL)
		sqlite3_bind_null(stmt(s), i);
	else
		sqlite3_bind_text64(stmt(s), i, v.p, v.n, SQLITE_STATIC,
		    SQLITE_UTF8);
}

void
st_text(struct st *s, int i, const char *v)
{
	st_slice(s, i, v != NULL ? slice_of(v) : (struct slice){ NULL, 0 });
}

void
st_int(struct st *s, int i, int64_t v)
{
	sqlite3_bind_int64(stmt(s), i, v);
}

void
st_null(struct st *s, int i)
{
	sqlite3_bind_null(stmt(s), i);
}

int
st_step(struct st *s, struct err *e)
{
	errno = 0;
	switch (sqlite3_step(stmt(s))) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		sqlite3_reset(stmt(s));
		return 0;
	default: {
		int r = db_fail(sqlite3_db_handle(stmt(s)), e);

		sqlite3_reset(stmt(s));
		return r;
	}
	}
}

int
st_run(struct st *s, struct err *e)
{
	return s != NULL && st_step(s, e) >= 0 ? 0 : -1;
}

int
st_any(struct st *s, struct err *e)
{
	int got = s != NULL ? st_step(s, e) : -1;

	if (s != NULL)
		st_done(s);
	return got;
}

struct slice
st_col(struct st *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(stmt(s), i);

	return (struct slice){ p, (size_t)sqlite3_column_bytes(stmt(s), i) };
}

int64_t
st_col_int(struct st *s, int i)
{
	return sqlite3_column_int64(stmt(s), i);
}

double
st_col_num(struct st *s, int i)
{
	return sqlite3_column_double(stmt(s), i);
}

bool
st_col_null(struct st *s, int i)
{
	return sqlite3_column_type(stmt(s), i) == SQLITE_NULL;
}

void
st_done(struct st *s)
{
	sqlite3_reset(stmt(s));
}

int
db_exec(struct db *db, const char *sql, struct err *e)
{
	errno = 0;
	if (sqlite3_exec(db->h, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return db_fail(db->h, e);
}

int64_t
db_last_id(struct db *db)
{
	return sqlite3_last_insert_rowid(db->h);
}

int
db_changes(struct db *db)
{
	return sqlite3_changes(db->h);
}
