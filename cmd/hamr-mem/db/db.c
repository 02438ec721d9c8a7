/* db.c - safe access to one SQLite file; the only room that knows SQLite. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "json/sha.h"

#include "internal.h"

#define BUSY_MS (60 * 1000)	/* programs that do not know our lock */
#define TRUNCATE_MS 5000
#define LOG_MAX (6 << 20)	/* SQLite's own limit, 1,000 pages, is less */
#define LOCK_MS (10 * 60 * 1000)
#define PAGE 4096		/* SQLite's page size for new files */

/* The size of the file whose name has this end, too; -1: there is none. */
static off_t
beside(const char *path, const char *end)
{
	char *p = xasprintf("%s%s", path, end);
	struct stat st;
	off_t size = stat(p, &st) < 0 ? -1 : st.st_size;

	free(p);
	return size;
}

/* ---- the lock beside the file, and which file it is ---- */

static int
take_lock(struct db *db, struct err *e)
{
	if (file_lock(db->lock, LOCK_MS) == 0)
		return 0;
	if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP)
		return err_set(e, ST_SYSTEM, "%s: this file system cannot "
		    "lock files; name a memory on another with --db",
		    db->path);
	if (errno != EWOULDBLOCK)
		return err_sys(e, ST_SYSTEM, "%s-lock", db->path);
	return err_set(e, ST_TEMP, "%s: another process has been writing for "
	    "ten minutes; try again later", db->path);
}

static int
open_lock(struct db *db, struct err *e)
{
	char *p = xasprintf("%s-lock", db->path);

	db->lock = file_create(AT_FDCWD, p, O_RDWR, 0600);
	int r = db->lock < 0 ? err_set(e, ST_SYSTEM, "%s: %s; make sure "
	    "that you can write in its folder, or name another memory with "
	    "--db", p, strerror(errno)) : take_lock(db, e);
	free(p);
	return r;
}

static void
drop_lock(struct db *db)
{
	if (db->lock >= 0)
		flock(db->lock, LOCK_UN);
}

bool
db_is_stale(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) < 0 || st.st_dev != db->dev ||
	    st.st_ino != db->ino;
}

/* Replace the file with the one at `by`, after giving that the old one's mode
 * and syncing it.  The old file's log, empty or set aside by now, is removed
 * first: no process that opens the new file may find it. */
static int
replace_file(const struct db *db, const char *by, struct err *e)
{
	static const char *const ends[] = { "-wal", "-shm" };
	int fd = open(by, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || stat(db->path, &st) < 0 || fchmod(fd, st.st_mode) < 0 ||
	    fsync(fd) < 0) {
		err_sys(e, ST_SYSTEM, "%s", by);
		file_close(fd);
		return -1;
	}
	/* only root can change the owner, and only root needs to */
	if (fchown(fd, st.st_uid, st.st_gid) < 0)
		errno = 0;
	close(fd);
	for (size_t i = 0; i < 2; i++) {
		char *p = xasprintf("%s%s", db->path, ends[i]);
		int r = unlink(p) < 0 && errno != ENOENT ? err_sys(e,
		    ST_SYSTEM, "%s", p) : 0;

		free(p);
		if (r < 0)
			return r;
	}
	if (rename(by, db->path) < 0 || file_sync_folder(db->path) < 0)
		return err_sys(e, ST_SYSTEM, "%s", db->path);
	return 0;
}

/* ---- opening ---- */

/* Was the file emptied, as a power failure may do, and not its log?  SQLite
 * would remove the log, but it may have all the pages. */
static bool
is_emptied(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size == 0 &&
	    beside(path, "-wal") > 0;
}

/* Whose file is it?  1: ours, 0: still empty, -1 with e. */
static int
whose(struct db *db, struct err *e)
{
	const struct db_schema *schema = db->schema;
	int64_t app = 0, version = 0, tables = 0;
	int got;

	if (db_int(db, e, &app, "PRAGMA application_id", "") < 0 ||
	    db_int(db, e, &version, "PRAGMA user_version", "") < 0 ||
	    db_int(db, e, &tables, "SELECT count(*) FROM sqlite_master",
	    "") < 0)
		return -1;
	if (app == 0 && version == 0 && tables == 0)
		return 0;
	if (app != schema->application_id)
		return err_set(e, ST_DATA, "%s: not a memory file; move it "
		    "away or name another one with --db", db->path);
	if (version < schema->oldest || version > schema->version)
		return err_set(e, ST_DATA, "%s: made by another version of "
		    "hamr-mem; export it with that one and import it into a "
		    "new file", db->path);
	/* Is there anything that we do not make?  A file may be planted, with
	 * triggers that drop what is saved, or views in place of tables. */
	struct st *s = db_query(db, e, "SELECT type, name, sql "
	    "FROM sqlite_master WHERE sql IS NOT NULL AND "
	    "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", "");
	while ((got = st_step(s, e)) > 0) {
		struct slice type = st_col(s, 0), name = st_col(s, 1);
		struct slice sql = st_col(s, 2);
		const char *all = schema->sql, *at = memmem(all, strlen(all),
		    sql.p, sql.n);
		/* is it one of our statements, which end with ';'? */
		bool known = at != NULL && (at == all || at[-1] == ';') &&
		    (at[sql.n] == ';' || at[sql.n] == '\0');

		for (size_t i = 0; slice_is(type, "table") &&
		    schema->shadow[i] != NULL; i++)
			known |= slice_starts(name, schema->shadow[i]);
		if (known)
			continue;
		got = err_set(e, ST_DATA, "%s: holds the %.*s %.*s, which "
		    "hamr-mem did not make; move it away or name another one "
		    "with --db", db->path, (int)type.n, type.p, (int)name.n,
		    name.p);
		break;
	}
	st_done(s);
	return got < 0 ? -1 : 1;
}

/* The end of a transaction; the lock stays. */
static int
db_finish(struct db *db, bool commit, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < db->n; i++)
		sqlite3_reset(db->kept[i].stmt);
	/* SQLite itself rolls back when memory or the disk runs out, even if
	 * the caller went on, as with the rows of a damaged file */
	if (commit && sqlite3_get_autocommit(db->h))
		r = err_set(e, ST_SYSTEM, "%s: out of memory or space; what "
		    "was stored before is intact", db->path);
	else if (commit)
		r = db_exec(db, "COMMIT", e);
	if ((!commit || r < 0) && !sqlite3_get_autocommit(db->h))
		db_exec(db, "ROLLBACK", NULL);
	return r;
}

/* short_hash(TEXT): the first 12 hex digits of its SHA-256. */
static void
short_hash(sqlite3_context *ctx, int n, sqlite3_value **v)
{
	const unsigned char *text = sqlite3_value_text(v[0]);
	char hex[SHA_HEX];

	(void)n;
	sha256_hex(text, (size_t)sqlite3_value_bytes(v[0]), hex);
	sqlite3_result_text(ctx, hex, 12, SQLITE_TRANSIENT);
}

static int
open_file(struct db *db, const char *name, int flags, struct err *e)
{
	const struct { int key, on; } settings[] = {
		/* pages beyond the end count as damage, not the whole file */
		{ SQLITE_DBCONFIG_WRITABLE_SCHEMA, db->salvage },
		{ SQLITE_DBCONFIG_DEFENSIVE, !db->salvage },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_DQS_DDL, 0 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
		{ SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 } };
	struct stat st;

	/* we use one thread and need no memory statistics: locking for both
	 * takes 5% of indexing; only the first call has an effect */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_open_v2(name, &db->h, flags, NULL) != SQLITE_OK) {
		if (db->h == NULL)
			mem_exhausted();
		if ((sqlite3_errcode(db->h) & 0xff) != SQLITE_CANTOPEN)
			return db_fail(db->h, e);
		return err_set(e, ST_SYSTEM, "%s: %s", db->path,
		    strerror(sqlite3_system_errno(db->h)));
	}
	if (stat(db->path, &st) == 0) {
		db->dev = st.st_dev;
		db->ino = st.st_ino;
	}
	sqlite3_extended_result_codes(db->h, 1);
	sqlite3_busy_timeout(db->h, BUSY_MS);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		sqlite3_db_config(db->h, settings[i].key, settings[i].on,
		    NULL);
	if (db_exec(db, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0;"
	    "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=FAST;"
	    "PRAGMA cache_size=-32768; PRAGMA synchronous=NORMAL;", e) < 0)
		return sqlite3_errcode(db->h) == SQLITE_NOTADB &&
		    db_is_ours(db->path, db->schema) ? db_damaged(db->path,
		    "its first page is lost", e) : -1;
	return sqlite3_create_function(db->h, "short_hash", 1, SQLITE_UTF8 |
	    SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, short_hash, NULL,
	    NULL) != SQLITE_OK ? db_fail(db->h, e) : db_add_fts5(db, e);
}

static void
close_file(struct db *db)
{
	for (size_t i = 0; i < db->n; i++)
		sqlite3_finalize(db->kept[i].stmt);
	db->n = 0;
	if (db->tokenizer != NULL)
		db->fts5.xDelete(db->tokenizer);
	db->tokenizer = NULL;
	sqlite3_close(db->h);
	db->h = NULL;
}

/* Open the file for writing, and make it if needed.  The lock is held. */
static int
open_to_write(struct db *db, struct err *e)
{
	/* WAL needs memory shared between processes; no network file system has
	 * it: NFS, CIFS, SMB2, SMB, 9p, FUSE (such as sshfs), AFS, Ceph */
	static const unsigned long remote[] = { 0x6969, 0xff534d42, 0xfe534d42,
		0x517b, 0x01021997, 0x65735546, 0x5346414f, 0x00c36400 };
	const struct db_schema *schema = db->schema;
	struct statfs at;
	bool wal = true;

	/* SQLite gives its logs to the file's owner, but not the file itself
	 * to the folder's.  If this fails, it says why. */
	bool emptied = is_emptied(db->path);
	int fd = file_create(AT_FDCWD, db->path, O_RDWR | O_NONBLOCK, 0600);
	if (emptied && ftruncate(fd, PAGE) < 0)
		errno = 0;
	file_close(fd);
	if (open_file(db, db->path, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_CREATE, e) < 0)
		return -1;
	int was = whose(db, e);	/* before we change anything in it */
	if (was < 0)
		return -1;
	if (statfs(db->path, &at) == 0)
		for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
			wal &= (unsigned long)at.f_type != remote[i];
	struct st *s = db_query(db, e, wal ? "PRAGMA journal_mode=WAL" :
	    "PRAGMA journal_mode=TRUNCATE", "");
	int r = st_step(s, e);
	st_done(s);
	if (r < 0 || was > 0)
		return r < 0 ? -1 : 0;
	char *make = xasprintf("BEGIN IMMEDIATE; %s PRAGMA application_id=%d;"
	    "PRAGMA user_version=%d;", schema->sql, schema->application_id,
	    schema->version);
	bool good = db_exec(db, make, e) == 0;
	free(make);
	r = db_finish(db, good, e);
	return good ? r : -1;
}

static int
open_reader(struct db *db, struct err *e)
{
	struct buf uri = BUF_INIT(1 << 16);
	char *folder = file_folder(db->path);
	int r;

	if (is_emptied(db->path))
		r = db_damaged(db->path, "it is empty, but not its log", e);
	/* in a read-only folder, a file without a log cannot change, so the
	 * log that a reader would make is not needed */
	else if (beside(db->path, "-wal") <= 0 && access(folder, W_OK) < 0) {
		buf_adds(&uri, "file:");
		for (const char *p = db->path; *p != '\0'; p++)
			if (strchr("%?#", *p) != NULL)
				buf_fmt(&uri, "%%%02x", (unsigned)*p);
			else
				buf_addc(&uri, *p);
		buf_adds(&uri, "?immutable=1");
		r = open_file(db, uri.p, SQLITE_OPEN_READONLY |
		    SQLITE_OPEN_URI, e);
	} else
		r = open_file(db, db->path, SQLITE_OPEN_READWRITE, e);
	buf_release(&uri);
	free(folder);
	if (r == 0)
		r = whose(db, e);
	return r == 0 ? err_set(e, ST_NOINPUT, "%s: empty", db->path) : r;
}

struct db *
db_open(const char *path, enum db_mode mode, const struct db_schema *schema,
    struct err *e)
{
	struct db *db = xcalloc(1, sizeof *db);
	int r = 0;

	db->path = xstrdup(path);
	db->schema = schema;
	db->lock = -1;
	db->salvage = mode == DB_SALVAGE;
	if (mode != DB_WRITE && access(path, F_OK) < 0)
		r = err_open(e, path);
	else if (mode != DB_WRITE)
		r = open_reader(db, e);
	else if (beside(path, "-lock") < 0 && access(path, F_OK) == 0 &&
	    !is_emptied(path)) {
		/* a file without our lock may belong to another program, so
		 * check it before making a lock next to it */
		r = open_reader(db, e);
		close_file(db);
		if (r < 0 && e->status == ST_NOINPUT)
			r = 0;
	}
	if (r >= 0 && mode == DB_WRITE && open_lock(db, e) == 0) {
		r = open_to_write(db, e);
		drop_lock(db);
	} else if (mode == DB_WRITE)
		r = -1;
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
	close_file(db);
	file_close(db->lock);
	FREE(db->kept, db->path, db);
}

/* The file was replaced: open the one that is there now.  The lock is held. */
static int
reopen(struct db *db, struct err *e)
{
	close_file(db);
	return open_to_write(db, e) < 0 ? -1 : db->durable ?
	    db_durable(db, e) : 0;
}

/* ---- transactions ---- */

int
db_durable(struct db *db, struct err *e)
{
	db->durable = true;
	return db_exec(db, "PRAGMA synchronous=FULL", e);
}

int
db_begin(struct db *db, struct err *e)
{
	if (take_lock(db, e) < 0)
		return -1;
	if ((!db_is_stale(db) || reopen(db, e) == 0) &&
	    db_exec(db, "BEGIN IMMEDIATE", e) == 0)
		return 0;
	drop_lock(db);
	return -1;
}

int
db_end(struct db *db, bool commit, struct err *e)
{
	int r = db_finish(db, commit, e);

	/* the next process to open the file alone reads the whole log, so
	 * empty a long one, unless a reader is in the way */
	if (r == 0 && commit && beside(db->path, "-wal") > LOG_MAX) {
		sqlite3_busy_timeout(db->h, 0);
		sqlite3_wal_checkpoint_v2(db->h, NULL,
		    SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
		sqlite3_busy_timeout(db->h, BUSY_MS);
	}
	drop_lock(db);
	return r;
}

/* db_truncate_log with the lock held. */
static int
truncate_log(struct db *db, struct err *e)
{
	long long end = file_now_ms() + TRUNCATE_MS;
	const struct timespec nap = { 0, 50 * 1000 * 1000 };
	int rc;

	sqlite3_busy_timeout(db->h, 200);
	while ((rc = sqlite3_wal_checkpoint_v2(db->h, NULL,
	    SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL)) == SQLITE_BUSY &&
	    file_now_ms() < end)
		nanosleep(&nap, NULL);
	sqlite3_busy_timeout(db->h, BUSY_MS);
	if (rc == SQLITE_OK)
		return 0;
	if (rc != SQLITE_BUSY)
		return db_fail(db->h, e);
	return err_set(e, ST_TEMP, "%s: forgotten, but its bytes stay in the "
	    "log while another program reads; run this again later", db->path);
}

int
db_truncate_log(struct db *db, struct err *e)
{
	int r = -1;

	if (take_lock(db, e) == 0) {
		r = truncate_log(db, e);
		drop_lock(db);
	}
	return r;
}

/* Make a copy of the database.  The lock is held: another process that makes
 * one uses the same name. */
static int
copy_whole(struct db *db, const char *by, struct err *e)
{
	unlink(by);		/* left by a process that was killed */
	/* SQLite would let others read it, use a file of theirs, and not say
	 * why it cannot */
	int fd = file_create(AT_FDCWD, by, O_RDWR | O_EXCL, 0600);
	file_close(fd);
	return fd < 0 ? err_set(e, ST_SYSTEM, "%s: %s; what was forgotten "
	    "stays in the file until you can write in its folder and forget "
	    "again", by, strerror(errno)) :
	    db_run(db, e, "VACUUM INTO ?1", "t", by);
}

int
db_replace(struct db *db, const char *by, int (*last)(void *, struct err *),
    void *arg, struct err *e)
{
	if (take_lock(db, e) < 0)
		return -1;
	int r = db_is_stale(db) ? reopen(db, e) : 0;
	if (r == 0)
		r = last != NULL ? last(arg, e) : copy_whole(db, by, e);
	if (r == 0)		/* or the new file would inherit the old log */
		r = truncate_log(db, e);
	if (r == 0)
		r = replace_file(db, by, e);
	if (r < 0 && last == NULL)
		unlink(by);
	drop_lock(db);
	return r;
}

int
db_vacuum(struct db *db, struct err *e)
{
	char *by = xasprintf("%s-vacuum", db->path);
	int r = db_replace(db, by, NULL, NULL, e);

	free(by);
	return r;
}

/* ---- damaged files ---- */

bool
db_lost_log(const char *path)
{
	unsigned char head[20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* In WAL mode the log stays when a file is closed.  Check in this
	 * order, as a file is made after its lock.  If our lock is there,
	 * another program such as sqlite3(1) emptied the log and removed it.
	 * rebuild's files are not in that mode */
	bool lost = fd >= 0 && read(fd, head, sizeof head) == sizeof head &&
	    head[18] == 2 && beside(path, "-lock") < 0 &&
	    beside(path, "-wal") < 0;

	file_close(fd);
	return lost;
}

bool
db_is_ours(const char *path, const struct db_schema *schema)
{
	static const char magic[] = "SQLite format 3";
	unsigned char head[16 * PAGE];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);

	file_close(fd);
	if (n < 100 || memcmp(head, magic, sizeof magic) != 0)
		/* its header is lost */
		return n >= 0 && (beside(path, "-lock") >= 0 ||
		    memmem(head, (size_t)n, schema->sign,
		    strlen(schema->sign)) != NULL);
	return num_be32(head + 68) == (uint32_t)schema->application_id &&
	    num_be32(head + 60) >= (uint32_t)schema->oldest &&
	    num_be32(head + 60) <= (uint32_t)schema->version;
}

/* Copy a file and its log; with `links` add the name by hard links, or copy
 * where there are none, so that path never disappears.  What is missing is
 * skipped. */
static int
copy_both(const char *path, const char *copy, bool links, struct err *e)
{
	static const char *const ends[] = { "", "-wal" };
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0; i++) {
		char *from = xasprintf("%s%s", path, ends[i]);
		char *to = xasprintf("%s%s", copy, ends[i]);
		bool linked = links && link(from, to) == 0;
		int in = linked ? -1 : open(from, O_RDONLY | O_CLOEXEC |
		    O_NOFOLLOW);

		if (!linked && (in >= 0 || errno != ENOENT)) {
			int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT |
			    O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
			ssize_t n = out < 0 ? -1 : 1;

			while (n > 0)
				n = sendfile(out, in, NULL, 1 << 30);
			r = n < 0 ? err_sys(e, ST_SYSTEM, "%s", to) : 0;
			file_close(out);
			file_close(in);
		}
		FREE(from, to);
	}
	return r;
}

int
db_graft_first_page(const char *path, const char *from, const char *copy,
    struct err *e)
{
	unsigned char head[PAGE];
	int r = copy_both(path, copy, false, e);

	if (r < 0)
		return r;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(copy, O_WRONLY | O_CLOEXEC);
	if (in < 0 || read(in, head, PAGE) != PAGE)
		r = err_sys(e, ST_SYSTEM, "%s", from);
	memset(head + 28, 0, 4);	/* 0: the file's size says how many */
	if (r == 0 && (out < 0 || pwrite(out, head, PAGE, 0) != PAGE))
		r = err_sys(e, ST_SYSTEM, "%s", copy);
	file_close(in);
	file_close(out);
	return r;
}

int
db_set_aside(const char *path, const char *by, const char *aside,
    int (*last)(void *, struct err *), void *arg, struct err *e)
{
	struct db db = { .path = xstrdup(path), .lock = -1 };
	int r = -1;

	if (open_lock(&db, e) == 0 && last(arg, e) == 0 &&
	    copy_both(path, aside, true, e) == 0)
		r = replace_file(&db, by, e);
	file_close(db.lock);
	free(db.path);
	return r;
}
