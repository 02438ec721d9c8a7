/* command_port.c - a memory taken elsewhere: export and import. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "port.h"
#include "where.h"

/* ---- export ---- */

static int
put_line(void *ctx, struct slice line, struct err *e)
{
	(void)e;
	rec_put(ctx, line);
	return 0;
}

int
command_export(const struct opts *o, struct err *e)
{
	struct rec_out out;
	struct store st;
	int r;

	if (where_open_own(o, DB_READ, &st, e) < 0)
		return e->status == ST_NOINPUT && o->db == NULL ? ST_OK : -1;
	rec_out_init(&out, STDOUT_FILENO, "stdout");
	r = port_export(&st, put_line, &out, e);
	store_close(&st);
	return r < 0 || rec_end(&out, e) < 0 ? -1 : ST_OK;
}

/* ---- import ---- */

struct import_run {
	struct store *st;
	struct redact *redact;
	size_t gone;
};

static int
import_fd(struct import_run *run, int fd, const char *name, struct err *e)
{
	const struct rec *r;
	struct rec_in in;
	struct err why;
	int got;

	rec_in_init(&in, fd, name, REC_MAX);
	while ((got = rec_next(&in, &r, e)) > 0) {
		size_t line = r->no;

		if (port_import(run->st, run->redact, r, &run->gone,
		    &why) == 0)
			continue;
		got = why.status == ST_DATA ? err_set(e, ST_DATA, "%s:%zu: %s",
		    name, line, why.text) : err_set(e, why.status, "%s",
		    why.text);
		break;
	}
	rec_in_release(&in);
	return got;
}

static int
import_file(struct import_run *run, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ?
		    ST_NOINPUT : ST_SYSTEM, "%s", path);
	r = import_fd(run, fd, path, e);
	close(fd);
	return r;
}

static int
import_all(struct import_run *run, const struct opts *o, struct err *e)
{
	int r = 0;

	if (o->nargs == 0)
		return import_fd(run, STDIN_FILENO, "stdin", e);
	for (size_t i = 0; i < o->nargs && r == 0; i++)
		r = strcmp(o->args[i], "-") == 0 ?
		    import_fd(run, STDIN_FILENO, "stdin", e) :
		    import_file(run, o->args[i], e);
	return r;
}

/* All of it or nothing. */
static int
import_into(struct import_run *run, const struct opts *o, struct err *e)
{
	bool good;

	if (db_durable(run->st->db, e) < 0 || store_begin(run->st, e) < 0)
		return -1;
	good = import_all(run, o, e) == 0 &&
	    (run->gone == 0 || store_wipe(run->st, e) == 0);
	if (store_end(run->st, good, good ? e : NULL) < 0 || !good)
		return -1;
	return store_wipe_log(run->st, e);
}

int
command_import(const struct opts *o, struct err *e)
{
	struct import_run run = { .redact = redact_load(e) };
	struct store st;
	const char *name;
	char *path = run.redact != NULL ? where_path(o, true, &name, e) : NULL;
	int r = -1;

	if (path != NULL && store_open(&st, path, name, DB_WRITE, e) == 0) {
		run.st = &st;
		r = import_into(&run, o, e);
		store_close(&st);
	}
	redact_free(run.redact);
	free(path);
	return r < 0 ? -1 : ST_OK;
}
