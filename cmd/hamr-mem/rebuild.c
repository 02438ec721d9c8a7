/* rebuild.c - a memory made anew: of transcripts, and of what it holds.
 *
 * The new file is written beside the old one, which is in use meanwhile, and
 * takes its place at the end.  Whatever goes wrong, the old one stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "file.h"
#include "index.h"
#include "mem.h"
#include "port.h"
#include "where.h"

struct rebuild {
	const struct opts *o;
	struct redact *redact;
	char *path, *beside;	/* the file, and the new one */
	struct store old, new;
	struct scan scan;
	size_t gone;
	char **files;
	size_t n, cap;
};

/* ---- the transcripts of a folder ---- */

static bool
is_transcript(const FTSENT *f)
{
	const char *dot = strrchr(f->fts_name, '.');

	return f->fts_info == FTS_F && dot != NULL &&
	    (strcmp(dot, ".ndjson") == 0 || strcmp(dot, ".jsonl") == 0);
}

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int
find_files(struct rebuild *b, char *dir, struct err *e)
{
	struct stat st;
	FTS *fts;
	FTSENT *f;
	int r = 0;

	if (stat(dir, &st) < 0)
		return err_sys(e, ST_NOINPUT, "%s", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ST_NOINPUT, "%s: no folder; name the one "
		    "with the transcripts", dir);
	fts = fts_open((char *[]){ dir, NULL }, FTS_PHYSICAL | FTS_NOCHDIR,
	    by_name);
	if (fts == NULL)
		return err_sys(e, ST_SYSTEM, "%s", dir);
	while (r == 0 && (f = fts_read(fts)) != NULL) {
		errno = f->fts_errno;
		if (f->fts_info == FTS_DNR || f->fts_info == FTS_ERR)
			r = err_sys(e, ST_SYSTEM, "%s", f->fts_path);
		if (!is_transcript(f))
			continue;
		b->files = xgrow(b->files, b->n, &b->cap, sizeof *b->files);
		b->files[b->n++] = xstrdup(f->fts_path);
	}
	fts_close(fts);
	return r;
}

static int
index_all(struct rebuild *b, struct err *e)
{
	struct opts o = *b->o;
	struct stage s = { .files = (const char *const *)b->files,
		.nfiles = b->n, .mute = true, .open_end = true };
	int status;

	if (b->n == 0)
		return 0;
	o.stage.mode = STAGE_NEW;
	o.stage.lenient = true;		/* a line cut short by a crash */
	o.stage.quiet = true;
	status = index_files(&s, &o, b->beside, e);
	/* it has closed stdout, whose place no file of ours may take */
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		open("/dev/null", O_WRONLY);
	return status <= 0 ? status : err_set(e, (enum status)status,
	    "rebuild: %s is as it was", b->path);
}

/* ---- what the old one holds ---- */

static int
take_line(void *ctx, struct slice line, struct err *e)
{
	struct rebuild *b = ctx;
	struct rec r;

	if (rec_parse(&b->scan, line.p, line.n, &r) < 0)
		return err_set(e, ST_BUG, "rebuild: a line of ours is no "
		    "record");
	return port_import(&b->new, b->redact, &r, &b->gone, e);
}

/* Twice: before the transcripts, because of what was forgotten, and at the
 * end, because others may have written meanwhile. */
static int
take_old(struct rebuild *b, struct err *e)
{
	bool good;

	if (store_begin(&b->new, e) < 0)
		return -1;
	good = port_export(&b->old, take_line, b, e) == 0 &&
	    (b->gone == 0 || store_wipe(&b->new, e) == 0);
	if (store_end(&b->new, good, good ? e : NULL) < 0)
		return -1;
	return good ? 0 : -1;
}

static int
finish(void *arg, struct err *e)
{
	struct rebuild *b = arg;

	if (take_old(b, e) < 0 || store_wipe_log(&b->new, e) < 0 ||
	    db_truncate_log(b->new.db, e) < 0)
		return -1;
	store_close(&b->new);
	return 0;
}

/* ---- files ---- */

static void
remove_beside(const struct rebuild *b)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal",
		"-lock" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char *p = xasprintf("%s%s", b->beside, ends[i]);

		unlink(p);
		free(p);
	}
}

static int
run(struct rebuild *b, struct err *e)
{
	int r = -1;

	remove_beside(b);
	if (store_open(&b->new, b->beside, "file", DB_WRITE, e) == 0 &&
	    take_old(b, e) == 0 && index_all(b, e) == 0)
		r = db_replace(b->old.db, b->beside, finish, b, e);
	store_close(&b->new);
	remove_beside(b);
	return r;
}

/* One at a time: the new file has one name. */
static int
run_alone(struct rebuild *b, struct err *e)
{
	char *name = xasprintf("%s-rebuild", b->path);
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = -1;

	if (fd < 0)
		err_sys(e, ST_SYSTEM, "%s", name);
	else if (file_lock(fd, 0) < 0)
		err_set(e, ST_TEMP, "%s: is being rebuilt by another process; "
		    "try again later", b->path);
	else
		r = run(b, e);
	if (fd >= 0)
		close(fd);
	free(name);
	return r;
}

int
command_rebuild(const struct opts *o, struct err *e)
{
	struct rebuild b = { .o = o };
	const char *name = NULL;
	int r = -1;

	b.redact = redact_load(e);
	if (b.redact != NULL && find_files(&b, o->args[0], e) == 0)
		b.path = where_path(o, true, &name, e);
	if (b.path != NULL && store_open(&b.old, b.path, name, DB_WRITE,
	    e) == 0) {
		b.beside = xasprintf("%s-new", b.path);
		r = run_alone(&b, e);
		store_close(&b.old);
	}
	for (size_t i = 0; i < b.n; i++)
		free(b.files[i]);
	free(b.files);
	free(b.beside);
	free(b.path);
	redact_free(b.redact);
	scan_release(&b.scan);
	return r < 0 ? -1 : ST_OK;
}
