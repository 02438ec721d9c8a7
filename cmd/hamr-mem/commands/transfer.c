/* transfer.c - import and rebuild a memory.
 *
 * rebuild makes a new file from transcripts and from the content of the old
 * one.  It writes it next to the old one, which stays in use, and replaces that
 * at the end.  On any error the old file stays.  From a damaged file it takes
 * what can be read, and keeps that file next to the new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "index/index.h"
#include "index/dump.h"
#include "options/memories.h"

#include "commands.h"

/* ---- import ---- */

static int
import_file(struct store *st, const struct redact *redact, const char *path,
    struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "stdin" : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	const struct rec *r;
	struct rec_in in;
	struct err why;
	int got;

	if (fd < 0)
		return err_open(e, path);
	rec_in_init(&in, fd, name, REC_MAX);
	while ((got = rec_next(&in, &r, e)) > 0) {
		size_t line = r->no;

		if (dump_import(st, redact, r, &why) == 0)
			continue;
		got = why.status == ST_DATA ? err_set(e, ST_DATA, "%s:%zu: %s",
		    name, line, why.text) : err_set(e, why.status, "%s",
		    why.text);
		break;
	}
	rec_in_release(&in);
	if (!is_stdin)
		close(fd);
	return got;
}

int
command_import(const struct opts *o, struct err *e)
{
	struct redact *redact = redact_load(e);
	struct store st;
	int r = -1;

	if (redact != NULL && memories_create_own(o, &st, e) == 0) {
		/* import all or nothing */
		if (db_durable(st.db, e) == 0 && store_begin(&st, e) == 0) {
			r = o->nargs == 0 ? import_file(&st, redact, "-",
			    e) : 0;
			for (size_t i = 0; i < o->nargs && r == 0; i++)
				r = import_file(&st, redact, o->args[i], e);
			r = store_end(&st, r, e);
		}
		if (r == 0)
			r = store_wipe_log(&st, e);
		store_close(&st);
	}
	redact_free(redact);
	return r < 0 ? -1 : ST_OK;
}

/* ---- rebuild ---- */

struct rebuild {
	const struct opts *o;
	struct redact *redact;
	char *path, *beside;	/* the file, and the new one */
	struct store old, new;
	struct scan scan;
	int64_t kept;		/* items of a damaged file */
	bool damaged;
	struct texts files;
};

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int
find_files(struct rebuild *b, char *dir, struct err *e)
{
	struct stat st;
	FTSENT *f;
	int r = 0;

	if (stat(dir, &st) < 0)
		return err_sys(e, ST_NOINPUT, "%s", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ST_NOINPUT, "%s: not a directory; name the "
		    "one with the transcripts", dir);
	FTS *fts = fts_open((char *[]){ dir, NULL }, FTS_PHYSICAL |
	    FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (fts == NULL)
		return err_sys(e, ST_SYSTEM, "%s", dir);
	while (r == 0 && (f = fts_read(fts)) != NULL) {
		const char *dot = strrchr(f->fts_name, '.');

		errno = f->fts_errno;
		if (f->fts_info == FTS_DNR || f->fts_info == FTS_ERR)
			r = err_sys(e, ST_SYSTEM, "%s", f->fts_path);
		if (f->fts_info != FTS_F || dot == NULL ||
		    (strcmp(dot, ".ndjson") != 0 && strcmp(dot, ".jsonl") != 0))
			continue;
		texts_add(&b->files, xstrdup(f->fts_path));
	}
	fts_close(fts);
	return r;
}

static int
take_line(void *ctx, struct slice line, struct err *e)
{
	struct rebuild *b = ctx;
	struct buf clean = BUF_INIT((size_t)1 << 40);
	struct rec r;

	if (b->damaged) {		/* its bytes may not be UTF-8 */
		utf8_clean(&clean, line.p, line.n);
		line = buf_view(&clean);
	}
	int got = rec_parse(&b->scan, line.p, line.n, &r) < 0 ?
	    err_set(e, ST_DATA, "%s: damaged", b->path) :
	    dump_import(&b->new, b->redact, &r, e);
	buf_release(&clean);
	return got;
}

/* Take over what the old file holds.  A fact that is marked as forgotten after
 * its last save shows that a page holds another table's rows. */
static int
take_old(struct rebuild *b, struct err *e)
{
	int got = db_int(b->old.db, e, NULL, "SELECT 1 FROM item i JOIN "
	    "forgotten f USING (key) WHERE i.kind = 1 AND i.time <= f.time",
	    "");

	if (got > 0)
		return err_set(e, ST_DATA, "%s: damaged", b->path);
	if (got < 0 || store_begin(&b->new, e) < 0)
		return -1;
	return store_end(&b->new, dump_export(&b->old, take_line, b, e), e);
}

/* Take over what can be read of a damaged one, which may be nothing. */
static int
take_damaged(struct rebuild *b, struct err *e)
{
	char *copy = xasprintf("%s-copy", b->beside);
	int r = 0;

	/* without its first page it is no longer a database */
	if (b->old.db == NULL && store_open(&b->old, b->path, "file",
	    DB_SALVAGE, NULL) < 0) {
		r = db_truncate_log(b->new.db, e);
		if (r == 0)
			r = db_graft_first_page(b->path, b->beside, copy, e);
		if (r == 0)
			store_open(&b->old, copy, "file", DB_SALVAGE, NULL);
	}
	if (r == 0 && b->old.db != NULL && (r = store_begin(&b->new, e)) == 0) {
		dump_salvage(&b->old, take_line, b);
		r = db_int(b->new.db, e, &b->kept, "SELECT count(*) FROM item",
		    "") < 0 ? -1 : 0;
		r = store_end(&b->new, r, e);
	}
	free(copy);
	return r;
}

/* With the old file locked: take it over once more, because others may have
 * written since, and close the new one. */
static int
finish(void *arg, struct err *e)
{
	struct rebuild *b = arg;

	if ((b->damaged ? take_damaged(b, e) : take_old(b, e)) < 0 ||
	    store_wipe_log(&b->new, e) < 0 ||
	    db_truncate_log(b->new.db, e) < 0 ||
	    /* lock and log do not move with it, see db_lost_log */
	    db_exec(b->new.db, "PRAGMA journal_mode=DELETE", e) < 0)
		return -1;
	store_close(&b->new);
	return 0;
}

/* Put the new file in the place of a damaged one, which stays beside it. */
static int
set_aside(struct rebuild *b, struct err *e)
{
	char *aside = NULL;

	for (int i = 1; aside == NULL || access(aside, F_OK) == 0; i++) {
		free(aside);
		aside = xasprintf("%s-damaged-%d", b->path, i);
	}
	int r = db_set_aside(b->path, b->beside, aside, finish, b, e);
	if (r == 0)
		err_say("%s was damaged: %lld items of it were kept; the "
		    "damaged file is now %s", b->path, (long long)b->kept,
		    aside);
	free(aside);
	return r;
}

static void
remove_beside(const char *beside)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal",
		"-lock", "-copy", "-copy-wal", "-copy-shm" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char *p = xasprintf("%s%s", beside, ends[i]);

		unlink(p);
		free(p);
	}
}

static int
run(struct rebuild *b, struct err *e)
{
	struct opts o = *b->o;
	struct stage s = { .files = (const char *const *)b->files.v,
		.nfiles = b->files.n, .mute = true, .open_end = true };
	int r = -1;

	remove_beside(b->beside);
	if (store_open(&b->new, b->beside, "file", DB_WRITE, e) < 0)
		goto out;
	/* Do its indexes have what its tables have?  A search by an index that
	 * lost rows is no error. */
	struct st *check = b->damaged ? NULL : db_query(b->old.db, e,
	    "PRAGMA integrity_check(1)", "");
	b->damaged = st_step(check, e) <= 0 || !slice_is(st_col(check, 0),
	    "ok");
	st_done(check);
	/* before the transcripts, so that forgotten items stay so */
	r = b->damaged ? 0 : take_old(b, e);
	if (r < 0 && e->status == ST_DATA)
		b->damaged = true;
	if (b->damaged)
		r = take_damaged(b, e);
	if (r == 0 && b->files.n > 0) {
		o.stage.mode = STAGE_NEW;
		o.stage.lenient = true;	/* a line cut short by a crash */
		o.stage.quiet = true;
		r = index_files(&s, &o, b->beside, e);
		/* it closed stdout; no file that we open may get that number */
		if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
			open("/dev/null", O_WRONLY);
		if (r > 0)
			r = err_set(e, (enum status)r, "rebuild: %s is as it "
			    "was", b->path);
	}
	if (r == 0)
		r = b->damaged ? set_aside(b, e) :
		    db_replace(b->old.db, b->beside, finish, b, e);
out:
	store_close(&b->new);
	remove_beside(b->beside);
	return r;
}

void
remove_unfinished(const char *path)
{
	char *name = xasprintf("%s-rebuild", path);
	char *beside = xasprintf("%s-new", path);
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && file_lock(fd, 0) == 0)
		remove_beside(beside);
	file_close(fd);
	FREE(beside, name);
}

int
command_rebuild(const struct opts *o, struct err *e)
{
	struct rebuild b = { .o = o };
	const char *name = NULL;
	bool ours = false;
	int r = -1;

	b.redact = redact_load(e);
	if (b.redact != NULL && find_files(&b, o->args[0], e) == 0)
		b.path = memories_path(o, true, &name, e);
	if (b.path != NULL)
		ours = store_is_ours(b.path);
	if (b.path != NULL && (store_open(&b.old, b.path, name, DB_WRITE,
	    e) == 0 || (ours && e->status == ST_DATA))) {
		b.damaged = b.old.db == NULL;
		b.beside = xasprintf("%s-new", b.path);
		/* one rebuild at a time: they would use the same new file */
		char *lock = xasprintf("%s-rebuild", b.path);
		int fd = file_create(AT_FDCWD, lock, O_RDWR, 0600);
		if (fd < 0)
			err_sys(e, ST_SYSTEM, "%s", lock);
		else if (file_lock(fd, 0) < 0)
			err_set(e, ST_TEMP, "%s: is being rebuilt by another "
			    "process; try again later", b.path);
		else
			r = run(&b, e);
		file_close(fd);
		free(lock);
		store_close(&b.old);
	}
	texts_release(&b.files);
	FREE(b.beside, b.path);
	redact_free(b.redact);
	scan_release(&b.scan);
	return r < 0 ? -1 : ST_OK;
}
