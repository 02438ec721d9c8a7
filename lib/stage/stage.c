/* stage.c - the stage contract (chapter 1.2), once, for all five stages. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stage.h"

#ifndef HAMR_VERSION
#define HAMR_VERSION "0.1.0"
#endif

/* ---- writing ---- */

static bool
is_written(const struct stage *s, enum rec_kind kind)
{
	if (s->mute)
		return false;
	if (s->mode != STAGE_FILTER || !rec_is_passing(kind))
		return true;
	return kind == R_REQUEST ||
	    (s->stream && (kind == R_DELTA || kind == R_OUTPUT));
}

/* Write the line as --jq turns it out.  A record that the program fails on is
 * reported and makes the status 65; once the program is gone, nothing more is
 * written. */
static void
put_line(struct stage *s, struct slice line)
{
	struct buf made = BUF_INIT(BUF_RECORD_MAX * 2);
	struct err e, at;

	if (s->jq == NULL) {
		rec_put(&s->out, line);
		return;
	}
	if (s->failed)
		return;
	int r = program_run(s->jq, line, &made, &e);
	if (made.len > 0)
		rec_put(&s->out, (struct slice){ made.p, made.len - 1 });
	if (r != 0)
		err_set(&at, e.status, "%s:%zu: %s", s->in.name, s->in.line,
		    e.text);
	if (r > 0)
		stage_status(s, err_report(&at));
	if (r < 0)
		stage_fail(s, &at);
	buf_release(&made);
}

void
stage_put(struct stage *s, enum rec_kind kind, struct slice line)
{
	if (is_written(s, kind))
		put_line(s, line);
	else if (s->mute && s->ops->unwritten != NULL)
		s->ops->unwritten(s, kind, line);
}

void
stage_put_parts(struct stage *s, enum rec_kind kind, const struct slice *part,
    size_t n)
{
	struct buf line = BUF_INIT((size_t)1 << 40);

	if (!is_written(s, kind))
		return;
	if (s->jq == NULL) {
		rec_put_parts(&s->out, part, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_slice(&line, part[i]);
	put_line(s, buf_view(&line));
	buf_release(&line);
}

void
stage_error(struct stage *s, const char *code, bool retryable,
    const char *message, struct slice extra)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&b, "{'type':'error','stage':@,'code':@,'message':@,"
	    "'retryable':$$}", slice_of(s->ops->name), slice_of(code),
	    slice_of(message), scan_truth(retryable), extra);
	stage_put(s, R_ERROR, buf_view(&b));
	buf_release(&b);
}

void
stage_status(struct stage *s, int status)
{
	if (s->status == 0 || (s->status < 65 && status >= 65))
		s->status = status;
}

void
stage_fail(struct stage *s, const struct err *e)
{
	if (s->failed)
		return;
	s->failed = true;
	s->err = *e;
}

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

/* A transcript has ended: act on it, then forget it. */
static void
finish(struct stage *s)
{
	s->last = true;
	if (s->mode != STAGE_RESIDENT && s->dirty)
		act(s);
	s->last = s->dirty = false;
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
	if (s->asked != NULL && r->kind == s->reply &&
	    rec_str_is(r, "id", s->asked)) {
		struct slice line = slice_trim(r->line);

		free(s->answer);
		s->answer = xmemdup0(line.p, line.n);
	}
	if (s->ops->record != NULL)
		s->ops->record(s, r);
}

static void
handle(struct stage *s, const struct rec *r)
{
	if (r->kind == R_CANCEL)
		return;		/* there is nothing to cancel */
	if (r->kind != R_GO && r->kind != R_SYNC &&
	    (r->kind != R_HAMR || !s->begun || s->acting)) {
		take_in(s, r);
		return;
	}
	/* Before a go, a sync or the first record of the next transcript is
	 * used, the stage acts, which may read on and invalidate the record:
	 * hence a copy. */
	struct scan scan = { 0 };
	struct rec own = *r;
	char *line = xmemdup0(r->line.p, r->line.n);
	struct slice copy = { line, r->line.n };
	if (own.kind == R_HAMR) {
		size_t no = own.no;

		finish(s);
		if (!s->failed &&
		    rec_parse(&scan, copy.p, copy.n, &own) == 0) {
			own.no = no;
			take_in(s, &own);
		}
	} else {
		if (own.kind == R_GO)
			act(s);
		else if (s->ops->sync != NULL) {
			s->acting = true;	/* it may have to wait */
			s->ops->sync(s);
			s->acting = false;
		}
		s->cancelled = false;
		if (s->mode != STAGE_FILTER && !s->failed)
			stage_put(s, own.kind, copy);
	}
	scan_release(&scan);
	free(line);
}

/* A refused line ends the run, or with --lenient becomes an error record. */
static void
refuse(struct stage *s, const struct err *e)
{
	if (s->lenient && e->status == ST_DATA) {
		stage_error(s, "bad_record", false, e->text, SLICE(""));
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

/* The next record, of another program's transcript or of our own.  1, -1 with
 * e, or 0: the end, or the run has failed. */
static int
next_record(struct stage *s, const struct rec **r, struct err *e)
{
	int got;

	if (s->from != NULL) {
		if (!s->out.regular)
			flush(s);
		return import_next(s->from, r, e);
	}
	while ((got = rec_take(&s->in, r, e)) == 0 && !s->in.eof &&
	    !s->failed && flush(s) == 0) {
		if (s->ops->idle != NULL)
			s->ops->idle(s, s->in.fd);
		if (rec_fill(&s->in, e) < 0) {
			/* nobody reads stdout, and SIGPIPE is ignored */
			if (errno == EPIPE)
				s->out.error = EPIPE;
			stage_fail(s, e);
		}
	}
	return got;
}

static void
read_records(struct stage *s)
{
	const struct rec *r;
	struct err e;
	int got;

	while (!s->failed && (got = next_record(s, &r, &e)) != 0)
		if (got > 0) {
			handle(s, r);
		} else if (s->from != NULL && import_is_empty(s->from) &&
		    !s->lenient) {
			/* the next file is read all the same */
			stage_status(s, err_report(&e));
			s->dirty = false;
		} else {
			refuse(s, &e);
		}
	if (!s->failed)
		finish(s);
	import_close(s->from);
	s->from = NULL;
}

const struct import_left *
stage_left_out(const struct stage *s)
{
	return s->from != NULL ? import_left_out(s->from) : NULL;
}

int
stage_run(struct stage *s)
{
	size_t n = s->nfiles > 0 ? s->nfiles : 1;
	struct err e;

	if (s->mode == STAGE_RESIDENT)
		mem_return_freed();
	rec_out_init(&s->out);
	s->out.signals = s->signals;
	for (size_t i = 0; i < n && !s->failed; i++) {
		bool is_stdin = s->nfiles == 0 || strcmp(s->files[i], "-") == 0;
		const char *name = is_stdin ? "stdin" : s->files[i];
		int fd = is_stdin ? STDIN_FILENO :
		    open(name, O_RDONLY | O_CLOEXEC);
		struct stat in, out;

		if (fd < 0) {
			err_open(&e, name);
			stage_fail(s, &e);
			break;
		}
		/* a filter that reads its own output never ends */
		if (s->mode == STAGE_FILTER && s->out.regular &&
		    fstat(fd, &in) == 0 && fstat(s->out.fd, &out) == 0 &&
		    in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
			err_set(&e, ST_USAGE, "%s is both input and output; "
			    "write to another file, and rename it", name);
			stage_fail(s, &e);
			break;
		}
		rec_in_init(&s->in, fd, name,
		    s->max_bytes != 0 ? s->max_bytes : REC_MAX);
		s->in.open_end = s->open_end;
		s->in.out = s->out.fd;
		if (s->import.conf != NULL && s->mode != STAGE_RESIDENT &&
		    import_open(&s->from, &s->in, &s->import, &e) < 0) {
			if (s->lenient && e.status == ST_DATA)
				err_report(&e);	/* the whole file is lost */
			refuse(s, &e);
		} else {
			read_records(s);
		}
		if (s->in.fd != STDIN_FILENO)
			close(s->in.fd);
		flush(s);	/* some of it is still in s->in */
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

static void
take_meanwhile(struct stage *s)
{
	const struct rec *r;
	struct err e;

	while (!s->failed && s->ops->input == NULL && rec_waiting(&s->in)) {
		size_t left = rec_unread(&s->in).n;
		int got = rec_take(&s->in, &r, &e);

		if (got > 0 && r->kind == R_CANCEL) {
			s->cancelled = true;
			continue;
		}
		if (s->mode != STAGE_RESIDENT || (got > 0 &&
		    (r->kind == R_GO || r->kind == R_SYNC))) {
			/* put it back: its bytes are still in the buffer */
			s->in.start = s->in.looked = s->in.end - left;
			s->in.line--;
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

static int
flags_of(const struct stage *s, bool closed)
{
	struct pollfd end = { s->signals > 0 ? s->signals : -1, POLLIN, 0 };
	int f = 0;

	if (s->cancelled || poll(&end, 1, 0) > 0)
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
	struct pollfd *all = xcalloc(n + 3, sizeof *all);
	bool closed = false;
	struct err e;

	flush(s);
	take_meanwhile(s);
	if (n > 0)
		memcpy(all, fds, n * sizeof *all);
	bool reads = !s->in.eof && !s->failed && (s->mode == STAGE_RESIDENT ||
	    s->ops->input != NULL || !rec_waiting(&s->in));
	all[n] = (struct pollfd){ reads ? s->in.fd : -1, POLLIN, 0 };
	all[n + 1] = (struct pollfd){ s->out.fd, 0, 0 };
	all[n + 2] = (struct pollfd){ s->signals > 0 ? s->signals : -1,
		POLLIN, 0 };
	int flags = flags_of(s, false);
	if (flags != 0)
		ms = 0;
	bool any = poll(all, n + 3, ms) > 0;
	for (size_t i = 0; i < n; i++) {
		fds[i].revents = any ? all[i].revents : 0;
		if (fds[i].revents != 0)
			flags |= STAGE_READY;
	}
	if (any) {
		if (all[n].revents != 0) {
			if (s->ops->input != NULL)
				s->ops->input(s);
			else if (rec_fill(&s->in, &e) < 0)
				stage_fail(s, &e);
			take_meanwhile(s);
		}
		closed = (all[n + 1].revents & (POLLERR | POLLNVAL)) != 0;
	}
	flags = (flags & STAGE_READY) | flags_of(s, closed);
	free(all);
	return flags;
}

char *
stage_ask(struct stage *s, enum rec_kind kind, struct slice line,
    enum rec_kind reply, const char *id)
{
	stage_put(s, kind, line);
	s->reply = reply;
	s->asked = id;
	/* a cancel may have come along with the answer */
	while (s->answer == NULL && stage_wait(s, NULL, 0, -1) == 0)
		;
	char *answer = s->answer;
	s->answer = NULL;
	s->asked = NULL;
	return answer;
}

/* ---- command line ---- */

bool
stage_option(struct stage_args *a, int c, char *const *argv, const char *help)
{
	struct err e;

	switch (c) {
	case 'n':		/* -r implies it, in any order */
		if (a->mode == STAGE_FILTER)
			a->mode = STAGE_NEW;
		return true;
	case 'r': a->mode = STAGE_RESIDENT; return true;
	case 'q': a->quiet = true; return true;
	case 'F': a->format = optarg; return true;
	case 'o':
		GROW(a->set, a->nset, a->capset);
		a->set[a->nset++] = optarg;
		return true;
	case OPT_LENIENT: a->lenient = true; return true;
	case OPT_STREAM: a->stream = true; return true;
	case OPT_NO_CONFIG: a->no_config = true; return true;
	case OPT_JQ: a->jq = optarg; return true;
	case 'h': err_print(help); return true;
	case 'V': err_print("hamr " HAMR_VERSION "\n"); return true;
	case '?':
	case ':':
		err_option(&e, c, argv);
		exit(err_report(&e));
	default: return false;
	}
}

int
stage_format(const struct stage_args *a, struct err *e)
{
	if (a->format == NULL || strcmp(a->format, "auto") == 0 ||
	    strcmp(a->format, "hamr") == 0)
		return 0;
	return err_set(e, ST_USAGE, "-F %s: this stage reads only hamr's "
	    "records; convert the input with hamr-guard --import-only -F %s",
	    a->format, a->format);
}

void
stage_apply(struct stage *s, const struct stage_args *a,
    const struct conf *conf)
{
	s->max_bytes = (size_t)conf_int(conf, "record.max_bytes");
	s->mode = a->mode;
	s->stream = a->stream;
	s->lenient = a->lenient;
}

int
stage_reads(struct stage *s, const struct stage_args *a,
    const struct conf *conf, struct err *e)
{
	s->import = (struct import_opts){ .format = a->format,
		.quiet = a->quiet, .lenient = a->lenient, .conf = conf };
	if (import_check(a->format, e) < 0)
		return -1;
	if (a->jq == NULL)
		return 0;
	if (a->mode == STAGE_RESIDENT)
		return err_set(e, ST_USAGE, "--jq and -r cannot be used "
		    "together");
	s->jq = program_new("--jq", a->jq, "{}", false, e);
	return s->jq != NULL ? 0 : -1;
}

struct conf *
stage_conf(const struct stage_args *a, const char *root, struct err *e)
{
	struct conf_opts o = { .none = a->no_config, .root = root,
		.set = a->set, .nset = a->nset, .quiet = a->quiet };

	return conf_load(&o, e);
}
