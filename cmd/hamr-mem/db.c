/* db.c - one SQLite file, spoken to safely; the only room that knows SQLite. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "db.h"
#include "file.h"
#include "mem.h"

#define LOCK_MS (10 * 60 * 1000)
#define BUSY_MS (60 * 1000)	/* programs that do not know our lock */
#define TRUNCATE_MS 5000

struct kept {
	const char *sql;
	sqlite3_stmt *stmt;
};

struct db {
	sqlite3 *h;
	char *path;
	int lock;		/* -1: for reading only */
	dev_t dev;
	ino_t ino;
	struct kept *kept;
	size_t n, cap;
};

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

static int
fail(sqlite3 *h, struct err *e)
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

/* ---- opening ---- */

/* WAL needs memory shared between processes; no network file system has it. */
static bool
is_remote(const char *path)
{
	struct statfs s;

	if (statfs(path, &s) < 0)
		return false;
	switch ((unsigned long)s.f_type) {
	case 0x6969:		/* NFS */
	case 0xff534d42:	/* CIFS */
	case 0xfe534d42:	/* SMB2 */
	case 0x517b:		/* SMB */
	case 0x01021997:	/* 9p */
	case 0x65735546:	/* FUSE: sshfs and its kin */
	case 0x5346414f:	/* AFS */
	case 0x00c36400:	/* Ceph */
		return true;
	default:
		return false;
	}
}

static int
pragma_int(struct db *db, const char *sql, int64_t *out, struct err *e)
{
	struct st *s = db_st(db, sql, e);
	int got;

	if (s == NULL)
		return -1;
	got = st_step(s, e);
	if (got > 0)
		*out = st_col_int(s, 0);
	st_done(s);
	return got < 0 ? -1 : 0;
}

static int
configure(struct db *db, struct err *e)
{
	sqlite3 *h = db->h;

	sqlite3_extended_result_codes(h, 1);
	sqlite3_busy_timeout(h, BUSY_MS);
	sqlite3_db_config(h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return db_exec(db, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0;"
	    "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=1;"
	    "PRAGMA synchronous=NORMAL;", e);
}

/* Whose file is it?  1: ours, 0: nobody's yet, -1: e. */
static int
whose(struct db *db, const struct db_schema *schema, struct err *e)
{
	int64_t app = 0, version = 0, tables = 0;

	if (pragma_int(db, "PRAGMA application_id", &app, e) < 0 ||
	    pragma_int(db, "PRAGMA user_version", &version, e) < 0 ||
	    pragma_int(db, "SELECT count(*) FROM sqlite_master", &tables,
	    e) < 0)
		return -1;
	if (app == 0 && version == 0 && tables == 0)
		return 0;
	if (app != schema->application_id)
		return err_set(e, ST_DATA, "%s: not a memory file; move it "
		    "away or name another one with --db", db->path);
	if (version != schema->version)
		return err_set(e, ST_DATA, "%s: made by another version of "
		    "hamr-mem; use that one", db->path);
	return 1;
}

static int
create(struct db *db, const struct db_schema *schema, struct err *e)
{
	char *mark = xasprintf("PRAGMA application_id=%d; "
	    "PRAGMA user_version=%d;", schema->application_id,
	    schema->version);
	int ours, r = -1;

	if (db_begin(db, e) < 0)
		goto out;
	ours = whose(db, schema, e);	/* somebody may have been faster */
	if (ours == 0 && db_exec(db, schema->sql, e) == 0 &&
	    db_exec(db, mark, e) == 0)
		ours = 1;
	r = db_end(db, ours == 1, ours == 1 ? e : NULL);
	if (ours != 1)
		r = -1;
out:
	free(mark);
	return r;
}

static int
take_lock(struct db *db, struct err *e)
{
	if (db->lock < 0)
		return err_set(e, ST_BUG, "%s: opened for reading", db->path);
	if (file_lock(db->lock, LOCK_MS) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_sys(e, ST_SYSTEM, "%s-lock", db->path);
	return err_set(e, ST_TEMP, "%s: another process has been writing for "
	    "ten minutes; try again later", db->path);
}

static void
drop_lock(struct db *db)
{
	if (db->lock >= 0)
		flock(db->lock, LOCK_UN);
}

static int
open_writer(struct db *db, const struct db_schema *schema, struct err *e)
{
	struct st *s;
	int r = -1;

	if (take_lock(db, e) < 0)
		return -1;
	s = db_st(db, is_remote(db->path) ? "PRAGMA journal_mode=TRUNCATE" :
	    "PRAGMA journal_mode=WAL", e);
	if (s != NULL && st_step(s, e) >= 0)
		r = 0;
	if (s != NULL)
		st_done(s);
	drop_lock(db);
	if (r == 0)
		r = whose(db, schema, e);
	return r == 0 ? create(db, schema, e) : r;
}

static int
open_lock(struct db *db, struct err *e)
{
	char *p = xasprintf("%s-lock", db->path);

	db->lock = open(p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (db->lock < 0)
		err_sys(e, ST_SYSTEM, "%s", p);
	free(p);
	return db->lock < 0 ? -1 : 0;
}

struct db *
db_open(const char *path, enum db_mode mode, const struct db_schema *schema,
    struct err *e)
{
	struct db *db = xcalloc(1, sizeof *db);
	int flags = SQLITE_OPEN_READWRITE;
	struct stat st;
	int r = -1;

	db->path = xstrdup(path);
	db->lock = -1;
	if (mode == DB_READ && stat(path, &st) < 0) {
		err_sys(e, errno == ENOENT || errno == ENOTDIR ? ST_NOINPUT :
		    ST_SYSTEM, "%s", path);
		goto out;
	}
	if (mode == DB_WRITE) {
		flags |= SQLITE_OPEN_CREATE;
		if (open_lock(db, e) < 0)
			goto out;
	}
	if (sqlite3_open_v2(path, &db->h, flags, NULL) != SQLITE_OK) {
		if (db->h == NULL)
			mem_none();
		fail(db->h, e);
		goto out;
	}
	if (configure(db, e) < 0)
		goto out;
	r = mode == DB_WRITE ? open_writer(db, schema, e) :
	    whose(db, schema, e);
	if (r == 0 && mode == DB_READ)
		r = err_set(e, ST_NOINPUT, "%s: empty", path);
	if (r >= 0 && stat(path, &st) == 0) {
		db->dev = st.st_dev;
		db->ino = st.st_ino;
	}
out:
	if (r >= 0)
		return db;
	db_close(db);
	return NULL;
}

void
db_close(struct db *db)
{
	if (db == NULL)
		return;
	for (size_t i = 0; i < db->n; i++)
		sqlite3_finalize(db->kept[i].stmt);
	sqlite3_close(db->h);
	if (db->lock >= 0)
		close(db->lock);
	free(db->kept);
	free(db->path);
	free(db);
}

bool
db_is_stale(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) < 0 || st.st_dev != db->dev ||
	    st.st_ino != db->ino;
}

/* ---- transactions ---- */

int
db_begin(struct db *db, struct err *e)
{
	if (take_lock(db, e) < 0)
		return -1;
	if (db_exec(db, "BEGIN IMMEDIATE", e) == 0)
		return 0;
	drop_lock(db);
	return -1;
}

int
db_end(struct db *db, bool commit, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < db->n; i++)
		sqlite3_reset(db->kept[i].stmt);
	if (commit)
		r = db_exec(db, "COMMIT", e);
	if ((!commit || r < 0) && !sqlite3_get_autocommit(db->h))
		db_exec(db, "ROLLBACK", NULL);
	drop_lock(db);
	return r;
}

int
db_truncate_log(struct db *db, struct err *e)
{
	long long end = file_now_ms() + TRUNCATE_MS;
	const struct timespec nap = { 0, 50 * 1000 * 1000 };
	int rc;

	if (take_lock(db, e) < 0)
		return -1;
	sqlite3_busy_timeout(db->h, 200);
	while ((rc = sqlite3_wal_checkpoint_v2(db->h, NULL,
	    SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL)) == SQLITE_BUSY &&
	    file_now_ms() < end)
		nanosleep(&nap, NULL);
	sqlite3_busy_timeout(db->h, BUSY_MS);
	drop_lock(db);
	if (rc == SQLITE_OK)
		return 0;
	if (rc != SQLITE_BUSY)
		return fail(db->h, e);
	return err_set(e, ST_TEMP, "%s: forgotten, but its bytes stay in the "
	    "log while another program reads; run this again later", db->path);
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
		fail(db->h, e);
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
		int r = fail(sqlite3_db_handle(stmt(s)), e);

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
	return fail(db->h, e);
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
