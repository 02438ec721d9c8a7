/* statement.c - SQLite's statements, and its errors as ours. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define LOOK_EVERY 1000		/* SQLite's instructions between checks */

/* ---- reasons ---- */

int
db_damaged(const char *path, const char *why, struct err *e)
{
	return err_set(e, ST_DATA, "%s: damaged (%s); hamr-mem --db %s "
	    "rebuild DIR keeps what can be read of it; DIR holds transcripts "
	    "or nothing", path, why, path);
}

int
db_fail(sqlite3 *h, struct err *e)
{
	const char *path = sqlite3_db_filename(h, "main");
	int rc = sqlite3_extended_errcode(h);
	int sys = sqlite3_system_errno(h), kind = rc & 0xff;

	if (sys == 0)		/* SQLite does not always record it */
		sys = errno;
	if (path == NULL)
		path = "memory";
	if (kind == SQLITE_FULL ||
	    ((kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) &&
	    (sys == ENOSPC || sys == EDQUOT || sys == EFBIG)))
		return err_set(e, ST_SYSTEM, "%s: no space left; free some, "
		    "what was stored before is intact", path);
	switch (kind) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ST_TEMP, "%s: in use by another program; "
		    "try again later", path);
	case SQLITE_NOTADB:
		return err_set(e, ST_DATA, "%s: not a memory file; move it "
		    "away or name another one with --db", path);
	case SQLITE_CORRUPT:
	case SQLITE_CONSTRAINT:	/* what we insert keeps them */
		return db_damaged(path, sqlite3_errmsg(h), e);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return err_set(e, ST_SYSTEM, "%s: %s%s%s; check the file and "
		    "its folder", path, sqlite3_errmsg(h),
		    sys != 0 ? ": " : "", sys != 0 ? strerror(sys) : "");
	case SQLITE_OK:		/* FTS5 sets no code when out of memory */
	case SQLITE_NOMEM:
		return err_set(e, ST_SYSTEM, "%s: out of memory", path);
	default:
		/* of a wrong number in the file, as if SQL had been wrong */
		if (strstr(sqlite3_errmsg(h), "file format") != NULL)
			return db_damaged(path, sqlite3_errmsg(h), e);
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

/* Prepare this SQL, or reset its kept statement, and bind the values. */
static struct st *
statement(struct db *db, const char *sql, const char *types, va_list ap,
    struct err *e)
{
	sqlite3_stmt *s = NULL;

	for (size_t i = 0; i < db->n && s == NULL; i++)
		if (db->kept[i].sql == sql)
			s = db->kept[i].stmt;
	if (s == NULL) {
		if (sqlite3_prepare_v3(db->h, sql, -1,
		    SQLITE_PREPARE_PERSISTENT, &s, NULL) != SQLITE_OK) {
			db_fail(db->h, e);
			return NULL;
		}
		GROW(db->kept, db->n, db->cap);
		db->kept[db->n++] = (struct kept){ sql, s };
	}
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	for (int i = 1; *types != '\0'; types++, i++) {
		struct slice v;
		int64_t n;

		switch (*types) {
		case 's':
			v = va_arg(ap, struct slice);
			break;
		case 't':
			v = slice_of(va_arg(ap, const char *));
			break;
		case 'r':
			sqlite3_bind_pointer(s, i, va_arg(ap,
			    struct db_relevance *), RELEVANCE, NULL);
			continue;
		default:
			n = va_arg(ap, int64_t);
			if (n != DB_NULL)
				sqlite3_bind_int64(s, i, n);
			continue;
		}
		if (v.p != NULL)
			sqlite3_bind_text64(s, i, v.p, v.n, SQLITE_STATIC,
			    SQLITE_UTF8);
	}
	return (struct st *)s;
}

struct st *
db_query(struct db *db, struct err *e, const char *sql, const char *types,
    ...)
{
	va_list ap;

	va_start(ap, types);
	struct st *s = statement(db, sql, types, ap, e);
	va_end(ap);
	return s;
}

int
db_run(struct db *db, struct err *e, const char *sql, const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	int r = st_step(statement(db, sql, types, ap, e), e);
	va_end(ap);
	return r < 0 ? -1 : 0;
}

int
db_int(struct db *db, struct err *e, int64_t *out, const char *sql,
    const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	struct st *s = statement(db, sql, types, ap, e);
	va_end(ap);
	int got = st_step(s, e);
	if (got > 0 && st_col_null(s, 0))
		got = 0;
	if (got > 0 && out != NULL)
		*out = st_col_int(s, 0);
	st_done(s);
	return got;
}

int
st_step(struct st *s, struct err *e)
{
	int r;

	if (s == NULL)
		return -1;
	errno = 0;
	switch (sqlite3_step(stmt(s))) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		sqlite3_reset(stmt(s));
		return 0;
	default:
		r = db_fail(sqlite3_db_handle(stmt(s)), e);
		sqlite3_reset(stmt(s));
		return r;
	}
}

struct slice
st_col(struct st *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(stmt(s), i);

	return (struct slice){ p, (size_t)sqlite3_column_bytes(stmt(s), i) };
}

char *
st_col_dup(struct st *s, int i)
{
	struct slice v = st_col(s, i);

	return v.p != NULL ? xmemdup0(v.p, v.n) : NULL;
}

int64_t
st_col_int(struct st *s, int i)
{
	return st_col_null(s, i) ? DB_NULL : sqlite3_column_int64(stmt(s), i);
}

bool
st_col_null(struct st *s, int i)
{
	return sqlite3_column_type(stmt(s), i) == SQLITE_NULL;
}

void
st_done(struct st *s)
{
	if (s != NULL)
		sqlite3_reset(stmt(s));
}

/* Stop a statement at the deadline.  This also reaches FTS5, which reads with
 * SQLite statements and collects a prefix's words before its first row. */
static int
look_at_clock(void *arg)
{
	struct db *db = arg;

	db->late = file_now_ms() > db->until;
	return db->late;
}

bool
db_deadline(struct db *db, long long until)
{
	bool late = db->late;

	db->until = until;
	db->late = false;
	sqlite3_progress_handler(db->h, until != 0 ? LOOK_EVERY : 0,
	    look_at_clock, db);
	return late;
}

int
db_exec(struct db *db, const char *sql, struct err *e)
{
	errno = 0;
	if (sqlite3_exec(db->h, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return db_fail(db->h, e);
}

int
db_changes(struct db *db)
{
	return sqlite3_changes(db->h);
}
