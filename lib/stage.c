/* stage.c - the stage contract (chapter 1.2), once, for all five stages. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "stage.h"

/* ---- reading ---- */

static void
act(struct stage *s)
{
	s->dirty = false;
	s->acting = true;
	if (s->ops->act != NULL)
		s->ops->act(s);
	s->acting = false;
	s->cancelled = false;
}

static void
sync_all(struct stage *s)
{
	s->acting = true;	/* it may have to wait for somebody */
	if (s->ops->sync != NULL)
		s->ops->sync(s);
	s->acting = false;
}

/* A transcript is over: act on it, forget it. */
static void
finish(struct stage *s)
{
	if (s->mode != STAGE_RESIDENT && s->dirty)
		act(s);
	s->dirty = false;
	if (s->begun && s->ops->reset != NULL)
		s->ops->reset(s);
	s->begun = false;
}

/* A record of the transcript. */
static void
take_in(struct stage *s, const struct rec *r)
{
	s->dirty = s->begun = true;
	if (s->mode == STAGE_FILTER &&
	    (s->ops->keep == NULL || s->ops->keep(s, r)))
		stage_put(s, r->kind, r->line);
	if (s->ops->record != NULL)
		s->ops->record(s, r);
}

/* go, sync, and the first record of the next transcript: something is done
 * before the line is used, and doing it may read on, which ends the life of
 * the record.  So they work on a copy. */
static void
handle_copy(struct stage *s, const struct rec *r)
{
	char *line = xmemdup0(r->line.p, r->line.n);
	struct slice copy = { line, r->line.n };
	enum rec_kind kind = r->kind;
	struct scan scan = { 0 };
	struct rec own;

	if (kind == R_HAMR) {
		size_t no = r->no;

		finish(s);
		if (!s->failed &&
		    rec_parse(&scan, copy.p, copy.n, &own) == 0) {
			own.no = no;
			take_in(s, &own);
		}
	} else {
		if (kind == R_GO)
			act(s);
		else
			sync_all(s);
		s->cancelled = false;
		if (s->mode != STAGE_FILTER)
			stage_put(s, kind, copy);
	}
	scan_release(&scan);
	free(line);
}

static void
handle(struct stage *s, const struct rec *r)
{
	if (r->kind == R_CANCEL)
		return;		/* nothing in hand */
	if (r->kind == R_GO || r->kind == R_SYNC ||
	    (r->kind == R_HAMR && s->begun && !s->acting))
		handle_copy(s, r);
	else
		take_in(s, r);
}

/* A refused line: the end, or with --lenient an error record in its place. */
static void
refuse(struct stage *s, const struct err *e)
{
	if (s->lenient && e->status == ST_DATA) {
		stage_error(s, "bad_record", false, e->text, NULL);
		return;
	}
	stage_fail(s, e);
}

static int
flush(struct stage *s)
{
	struct err e;

	if (rec_flush(&s->out, &e) == 0)
		return 0;
	stage_fail(s, &e);
	return -1;
}

/* Another program's transcript. */
static void
read_import(struct stage *s)
{
	const struct rec *r;
	struct err e;
	int got;

	while (!s->failed && (got = import_next(s->from, &r, &e)) != 0) {
		if (got > 0) {
			handle(s, r);
		} else if (import_is_empty(s->from) && !s->lenient) {
			/* no reason not to read the next file */
			stage_status(s, err_report(&e));
			s->dirty = false;
		} else {
			refuse(s, &e);
		}
		if (!s->out.regular)
			flush(s);
	}
	if (!s->failed)
		finish(s);
	import_close(s->from);
	s->from = NULL;
}

static void
fill(struct stage *s)
{
	struct err e;

	if (flush(s) < 0)
		return;
	if (s->ops->idle != NULL)
		s->ops->idle(s, s->in.fd);
	if (rec_fill(&s->in, &e) < 0)
		stage_fail(s, &e);
}

static void
read_input(struct stage *s)
{
	const struct rec *r;
	struct err e;

	while (!s->failed) {
		int got = rec_take(&s->in, &r, &e);

		if (got > 0)
			handle(s, r);
		else if (got < 0)
			refuse(s, &e);
		else if (s->in.eof)
			break;
		else
			fill(s);
	}
	if (!s->failed)
		finish(s);
}

const struct import_left *
stage_left_out(const struct stage *s)
{
	return s->from != NULL ? import_left_out(s->from) : NULL;
}

static int
open_input(struct stage *s, size_t i, struct err *e)
{
	const char *name = s->nfiles > 0 ? s->files[i] : "stdin";
	int fd = STDIN_FILENO;

	if (s->nfiles > 0 && strcmp(name, "-") == 0)
		name = "stdin";
	else if (s->nfiles > 0)
		fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ?
		    ST_NOINPUT : ST_SYSTEM, "%s", name);
	rec_in_init(&s->in, fd, name,
	    s->max_bytes != 0 ? s->max_bytes : REC_MAX);
	s->in.open_end = s->open_end;
	return 0;
}

int
stage_run(struct stage *s)
{
	size_t n = s->nfiles > 0 ? s->nfiles : 1;
	struct err e;

	rec_out_init(&s->out, STDOUT_FILENO, "stdout");
	for (size_t i = 0; i < n && !s->failed; i++) {
		if (open_input(s, i, &e) < 0) {
			stage_fail(s, &e);
			break;
		}
		if (s->import.conf != NULL && s->mode != STAGE_RESIDENT &&
		    import_open(&s->from, &s->in, &s->import, &e) < 0)
			stage_fail(s, &e);
		else if (s->from != NULL)
			read_import(s);
		else
			read_input(s);
		if (s->in.fd != STDIN_FILENO)
			close(s->in.fd);
		rec_in_release(&s->in);
	}
	if (s->ops->end != NULL)
		s->ops->end(s);
	if (rec_end(&s->out, &e) < 0)
		stage_fail(s, &e);
	program_free(s->jq);
	s->jq = NULL;
	if (s->failed)
		stage_status(s, err_report(&s->err));
	return s->status;
}

/* ---- waiting while acting ---- */

/* Put back the record just taken; its bytes are still in the buffer. */
static void
untake(struct stage *s, size_t start)
{
	s->in.start = s->in.looked = start;
	s->in.line--;
}

static void
take_meanwhile(struct stage *s)
{
	const struct rec *r;
	struct err e;

	while (!s->failed && s->ops->input == NULL && rec_waiting(&s->in)) {
		size_t start = s->in.start;
		int got = rec_take(&s->in, &r, &e);

		if (got > 0 && r->kind == R_CANCEL) {
			s->cancelled = true;
			continue;
		}
		if (s->mode != STAGE_RESIDENT || (got > 0 &&
		    (r->kind == R_GO || r->kind == R_SYNC))) {
			untake(s, start);
			return;
		}
		if (got > 0)
			handle(s, r);
		else if (got < 0)
			refuse(s, &e);
		else
			return;
	}
}

static bool
wants_input(struct stage *s)
{
	if (s->in.eof || s->failed)
		return false;
	return s->mode == STAGE_RESIDENT || s->ops->input != NULL ||
	    !rec_waiting(&s->in);
}

static int
flags_of(const struct stage *s, bool closed)
{
	int f = 0;

	if (s->cancelled)
		f |= STAGE_CANCEL;
	if ((s->mode == STAGE_RESIDENT && s->in.eof) || s->failed)
		f |= STAGE_EOF;
	if (closed || s->out.error != 0)
		f |= STAGE_CLOSED;
	return f;
}

int
stage_wait(struct stage *s, struct pollfd *fds, size_t n, int ms)
{
	struct pollfd *all = xcalloc(n + 2, sizeof *all);
	bool closed = false;
	struct err e;
	int flags, got;

	flush(s);
	take_meanwhile(s);
	if (n > 0)
		memcpy(all, fds, n * sizeof *all);
	all[n] = (struct pollfd){ wants_input(s) ? s->in.fd : -1, POLLIN, 0 };
	all[n + 1] = (struct pollfd){ s->out.fd, 0, 0 };
	flags = flags_of(s, false);
	if (flags != 0)
		ms = 0;
	got = poll(all, n + 2, ms);
	if (got > 0) {
		if (n > 0)
			memcpy(fds, all, n * sizeof *all);
		if (all[n].revents != 0) {
			if (s->ops->input != NULL)
				s->ops->input(s);
			else if (rec_fill(&s->in, &e) < 0)
				stage_fail(s, &e);
			take_meanwhile(s);
		}
		closed = (all[n + 1].revents & (POLLERR | POLLNVAL)) != 0;
		for (size_t i = 0; i < n; i++)
			if (all[i].revents != 0)
				flags |= STAGE_READY;
	} else {
		for (size_t i = 0; i < n; i++)
			fds[i].revents = 0;
	}
	flags = (flags & STAGE_READY) | flags_of(s, closed);
	free(all);
	return flags;
}

void
stage_cancel(struct stage *s, bool cancelled)
{
	s->cancelled = cancelled;
}
