/* import.c - reads other programs' transcripts as hamr records. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "import.h"
#include "import_guess.h"
#include "import_convert.h"
#include "jq/definitions.h"
#include "jq/program.h"
#include "record/line_set.h"
#include "value_reader.h"

#define PROGRAM_MAX ((size_t)1 << 20)
#define BATCH ((size_t)256 << 10)	/* bytes given at once, if available */
#define KINDS_LEFT 16		/* kinds of left-out things counted apart */
#define LEFT_LONGEST 60		/* bytes of the name of such a kind */

struct import {
	char *name;		/* for messages: "FILE: -F FORMAT" */
	bool own;		/* the user's program: errors name its line */
	bool quiet;
	struct program *program;
	struct value_reader values;
	struct import_convert convert;
	struct slice held;	/* a record that waits for its header */
	bool begun;		/* the conversation has its header */
	bool given;		/* the program was given an input */
	bool said;		/* a record followed a header */
	bool empty;		/* none did, up to the end */
	bool needy;		/* the program waits for an input */
	bool over;
	size_t line;		/* of the last unit given */
	struct err bad;		/* a refused unit, not reported yet */
	bool is_bad;
	bool is_cut, cut_told;	/* the last line is cut short */
	struct line_set lost;	/* where something was replaced */
	struct import_left left;	/* in the whole file */
	struct import_left left_here;	/* in the current conversation */
	struct scan scan;
	struct rec rec;
	struct buf out;
};

/* ---- what is left out ---- */

static void
left_add(struct import_left *l, const char *what, size_t n)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->kind[i].what, what) != 0)
		i++;
	if (i == l->n && i >= KINDS_LEFT && strcmp(what, "others") != 0) {
		left_add(l, "others", n);
		return;
	}
	if (i == l->n) {
		GROW(l->kind, l->n, l->cap);
		l->kind[l->n++] = (struct import_left_kind){ xstrdup(what),
			0 };
	}
	l->kind[i].n += n;
}

void
import_left_merge(struct import_left *l, const struct import_left *more)
{
	for (size_t i = 0; i < more->n; i++)
		left_add(l, more->kind[i].what, more->kind[i].n);
}

void
import_left_put(const struct import_left *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++)
		buf_fmt(out, "%s%s (%zu)", i > 0 ? ", " : "", l->kind[i].what,
		    l->kind[i].n);
}

void
import_left_reset(struct import_left *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->kind[i].what);
	free(l->kind);
	*l = (struct import_left){ NULL, 0, 0 };
}

/* ---- programs ---- */

static bool
is_auto(const char *format)
{
	return format == NULL || strcmp(format, "auto") == 0;
}

/* The user's own program is named by its path. */
static bool
is_path(const char *format)
{
	return strchr(format, '/') != NULL ||
	    (strlen(format) > 3 && slice_ends(slice_of(format), ".jq"));
}

static char *
program_path(const char *format)
{
	char *name = xasprintf("import/%s.jq", format);
	char *path = is_path(format) ? xstrdup(format) : conf_share(name);

	free(name);
	return path;
}

static int
missing(const char *path, struct err *e)
{
	return err_set(e, ST_NOINPUT, "%s is missing; reinstall hamr, or set "
	    "HAMR_SHARE to its share/hamr", path);
}

int
import_check(const char *format, struct err *e)
{
	struct buf names = BUF_INIT(PROGRAM_MAX);
	int r = 0;

	if (is_auto(format) || strcmp(format, "hamr") == 0)
		return 0;
	char *path = program_path(format);
	if (access(path, R_OK) < 0 && is_path(format)) {
		r = err_sys(e, errno == ENOENT ? ST_NOINPUT : ST_SYSTEM,
		    "-F %s", format);
	} else if (access(path, R_OK) < 0) {
		bool ours = false;

		for (const struct import_format *f = import_formats; f->name !=
		    NULL; f++) {
			buf_fmt(&names, ", %s", f->name);
			ours = ours || strcmp(f->name, format) == 0;
		}
		r = ours ? missing(path, e) : err_set(e, ST_USAGE, "-F %s: "
		    "unknown format; use auto, hamr%s, or a jq program "
		    "with a / in its name", format, names.p);
	}
	buf_release(&names);
	free(path);
	return r;
}

/* Start the format's program; its head says what its inputs are: "# units:
 * lines".  NULL with e. */
static struct program *
load_program(struct import *im, const char *format,
    const struct import_opts *o, struct err *e)
{
	struct program *program = NULL;
	struct buf shared = BUF_INIT(PROGRAM_MAX), own = shared, text = shared;
	char *used = NULL;
	char *common = conf_share("import.jq"), *path = program_path(format);
	const char *vars = conf_bool(o->conf, "import.sidechains") ?
	    "{\"sidechains\":true}" : "{\"sidechains\":false}";
	struct slice rest, line;

	if (file_read(common, &shared, e) < 0)
		missing(common, e);
	else if (file_read(path, &own, e) == 0) {
		/* the shared definitions it uses go before the program, on its
		 * first line, so that libjq's errors give the program's own
		 * line numbers */
		used = xmalloc(shared.len + 1);
		rest = (struct slice){ used, definitions_used(
		    buf_view(&shared), buf_view(&own), used) };
		while (slice_line(&rest, &line)) {
			if (slice_starts(line, "#"))
				continue;
			buf_slice(&text, line);
			buf_addc(&text, ' ');
		}
		rest = buf_view(&own);
		while (slice_line(&rest, &line) && slice_starts(line, "#")) {
			im->values.lines |= slice_starts(line,
			    "# units: lines");
			im->values.elements |= slice_starts(line,
			    "# units: elements");
		}
		buf_slice(&text, buf_view(&own));
		program = program_new(im->name, text.p, vars, true, e);
	}
	bufs_release(BUFS(&shared, &own, &text));
	FREE(used, common, path);
	return program;
}

/* ---- which format ---- */

static int
unrecognised(const struct rec_in *in, const struct guess *g, struct err *e)
{
	bool keys = g->document && *g->keys != '\0';

	return err_set(e, ST_DATA, "%s: %s%s%sthe format is not recognised; "
	    "name it with -F, or see hamr-import(5) for writing one", in->name,
	    keys ? "it is a JSON document with the keys " : g->document ?
	    "it is a JSON array without objects" : "", keys ? g->keys : "",
	    g->document ? "; " : "");
}

/* Guess the transcript's format, reading as much of it as that takes.  *format
 * is NULL for a hamr transcript.  0, or -1 with e. */
static int
choose(struct rec_in *in, const struct import_opts *o, const char **format,
    struct guess *g, struct err *e)
{
	struct stat st;
	bool is_file = fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode);

	*format = is_auto(o->format) ? NULL : o->format;
	for (;;) {
		struct slice raw = rec_unread(in);
		bool all = in->eof || raw.n >= GUESS_HEAD;

		raw.n = num_min(raw.n, GUESS_HEAD);
		import_guess(raw, all, o->lenient, g);
		/* with a named format, only find out whether each line is a
		 * value; a file is looked at further than its first line, as
		 * nobody waits for the answer */
		if ((g->kind != GUESS_MORE && (all || !is_file)) ||
		    (*format != NULL && g->lines))
			break;
		if (rec_fill(in, e) < 0)
			return -1;
	}
	if (*format != NULL) {
		const char *unpack = rec_unpack(rec_unread(in));

		return *unpack == '\0' ? 0 : err_set(e, ST_DATA,
		    "%s:1: not JSON%s", in->name, unpack);
	}
	if (g->kind == GUESS_TWO)
		return err_set(e, ST_DATA, "%s: may be %s or %s; say which "
		    "with -F", in->name, g->one->name, g->other->name);
	if (g->kind == GUESS_FORMAT)
		*format = g->one->name;
	if (g->kind == GUESS_NOBODY && (g->odd || o->format != NULL ||
	    (g->document && !o->lenient)))
		return unrecognised(in, g, e);
	if (g->kind == GUESS_BROKEN && g->bad_array) {
		/* read all of it, for e to say where it is not JSON */
		struct value_reader u = { .in = in, .elements = true };
		int got;

		while ((got = value_reader_next(&u, true, e)) > 0)
			;
		value_reader_release(&u);
		return got < 0 ? got : unrecognised(in, g, e);
	}
	if (!o->quiet && (*format != NULL || o->format != NULL))
		err_say("%s: read as %s", in->name, *format != NULL ? *format :
		    "hamr");
	return 0;
}

int
import_open(struct import **out, struct rec_in *in,
    const struct import_opts *o, struct err *e)
{
	struct import *im;
	const char *format;
	struct guess g;

	*out = NULL;
	if (o->format != NULL && strcmp(o->format, "hamr") == 0)
		return 0;
	if (choose(in, o, &format, &g, e) < 0)
		return -1;
	if (format == NULL)
		return 0;
	im = xcalloc(1, sizeof *im);
	im->quiet = o->quiet;
	im->own = is_path(format);
	im->name = xasprintf("%s: -F %s", in->name, format);
	im->out.max = BUF_RECORD_MAX;
	im->values.in = in;
	im->convert.names.own = conf_list(o->conf, "loop_guard.tools",
	    &im->convert.names.n);
	im->convert.format = im->own ? NULL : format;
	im->program = load_program(im, format, o, e);
	if (im->program == NULL) {
		import_close(im);
		return -1;
	}
	im->values.lines |= g.lines;
	if (g.document && im->values.lines) {
		im->values.lines = false;
		im->values.elements = true;
	}
	*out = im;
	return 0;
}

void
import_close(struct import *im)
{
	if (im == NULL)
		return;
	program_free(im->program);
	value_reader_release(&im->values);
	import_convert_release(&im->convert);
	import_left_reset(&im->left);
	import_left_reset(&im->left_here);
	scan_release(&im->scan);
	buf_release(&im->out);
	line_set_release(&im->lost);
	FREE(im->name, im);
}

/* ---- reading ---- */

/* Give the program what there is, or, if something is refused, what comes
 * before that. */
static void
feed(struct import *im)
{
	size_t given = 0;

	while (given < BATCH && !(im->own && given > 0)) {
		int got = value_reader_next(&im->values, given == 0, &im->bad);

		if (got == 1) {
			im->line = im->values.line;
			if (im->values.lossy)
				line_set_add(&im->lost, (long)im->line,
				    (long)im->values.now + 1);
			im->given = true;
			program_queue(im->program, im->values.json, im->line);
			given += im->values.json.n + 64;
			continue;
		}
		if (got == 0 && given == 0) {
			program_last(im->program);
			given = 1;
		}
		if (got < 0 && im->values.cut)
			im->is_cut = true;	/* reported at the end */
		else
			im->is_bad = got < 0;
		break;
	}
	im->needy = given == 0;
}

/* The record in im->out, to return. */
static int
made(struct import *im, size_t line, const struct rec **r, struct err *e)
{
	if (rec_parse(&im->scan, im->out.p, im->out.len, &im->rec) < 0)
		return err_set(e, ST_DATA, "%s: %s", im->name, im->scan.why);
	im->rec.no = line;
	*r = &im->rec;
	return 1;
}

/* what is a JSON string; many kinds are counted as one. */
static void
count_left(struct import *im, struct slice what, size_t n)
{
	char *text = scan_strdup(what);
	size_t len = text != NULL ? strlen(text) : 0;
	const char *kind = len > 0 ? text : "others";

	if (len > LEFT_LONGEST)
		text[utf8_cut(text, len, LEFT_LONGEST)] = '\0';
	left_add(&im->left, kind, n);
	left_add(&im->left_here, kind, n);
	free(text);
}

/* Turn the program's result into a record, with a header first if it has none.
 * 0: it is not a record. */
static int
take(struct import *im, struct slice text, const struct rec **r,
    struct err *e)
{
	struct slice el;
	struct rec raw;
	int64_t line, n = 1;

	im->held = (struct slice){ NULL, 0 };
	if (rec_parse(&im->scan, text.p, text.n, &raw) < 0)
		return err_set(e, ST_DATA, "%s:%zu: the importer's result "
		    "is not a record: %.*s", im->values.in->name, im->line,
		    (int)(text.n < 60 ? text.n : 60), text.p);
	if (rec_get(&raw, "_left").p != NULL) {
		if (!rec_int(&raw, "_n", &n) || n >= 1)
			count_left(im, rec_get(&raw, "_left"), (size_t)n);
		return 0;
	}
	if (!rec_int(&raw, "_line", &line) || line < 1)
		line = (int64_t)im->line;
	buf_reset(&im->out);
	if (raw.kind == R_HAMR)
		import_left_reset(&im->left_here);
	else if (im->begun) {
		/* parts that stand for what could not be converted */
		for (struct walk w = walk_elements(rec_get(&raw, "content"));
		    walk_next(&w, NULL, &el); )
			if (scan_get(el, "_left").p != NULL)
				count_left(im, scan_get(el, "_left"), 1);
		im->said = true;
	}
	if (raw.kind == R_HAMR || im->begun) {
		bool lossy = line_set_has(&im->lost, line, line) &&
		    slice_has(raw.line, "\xef\xbf\xbd");

		import_convert(&im->convert, &raw, lossy, &im->out);
	} else {
		im->held = text;
		import_convert(&im->convert, NULL, false, &im->out);
	}
	im->begun = true;
	return made(im, (size_t)line, r, e);
}

static void
count(struct buf *out, size_t n, const char *one, const char *many)
{
	if (n > 0)
		buf_fmt(out, "%s%zu %s", out->len > 0 ? ", " : "", n,
		    n == 1 ? one : many);
}

/* The end: report what was left out or unpaired.  An input that yielded nothing
 * is an error. */
static int
finish(struct import *im, struct err *e)
{
	struct buf left = BUF_INIT(4096), alone = BUF_INIT(1024);

	im->over = true;
	import_convert_end(&im->convert);
	import_left_put(&im->left, &left);
	if (left.len > 0 && !im->quiet)
		err_say("%s: left out: %s", im->values.in->name, left.p);
	count(&alone, im->convert.unanswered, "call without a result",
	    "calls without a result");
	count(&alone, im->convert.strays, "result without a call",
	    "results without a call");
	count(&alone, im->is_cut && im->values.lines,
	    "line cut short at the end", "");
	if (alone.len > 0 && !im->quiet)
		err_say("%s: %s", im->values.in->name, alone.p);
	bufs_release(BUFS(&left, &alone));
	im->empty = im->given && !im->said;
	if (!im->empty)
		return 0;
	return err_set(e, ST_DATA, "%s: no messages found in it", im->name);
}

int
import_next(struct import *im, const struct rec **r, struct err *e)
{
	struct slice text;
	int got;

	while (!im->over) {
		if (im->held.p != NULL)
			return take(im, im->held, r, e);
		if (im->needy && im->is_bad) {
			im->is_bad = false;
			*e = im->bad;
			im->over |= e->status != ST_DATA;
			return -1;
		}
		if (im->needy) {
			feed(im);
			continue;
		}
		switch (program_next(im->program, &text, e)) {
		case PROGRAM_NEED: im->needy = true; break;
		case PROGRAM_VALUE:
			got = take(im, text, r, e);
			if (got != 0)
				return got;
			break;
		case PROGRAM_ERROR:
			return err_set(e, ST_DATA, "%s:%zu: -F: %.*s",
			    im->values.in->name, im->line,
			    (int)(text.n < 300 ? text.n : 300), text.p);
		case PROGRAM_END:
			if (im->cut_told == im->is_cut)
				return finish(im, e);
			im->cut_told = true;
			/* a line cut short at the end of a file may still be
			 * growing, unless the file has nothing else */
			if (!im->begun || !im->values.lines) {
				im->over = !im->begun;
				im->said = true;
				*e = im->bad;
				return -1;
			}
			im->said = true;
			buf_reset(&im->out);
			scan_put(&im->out, "{'type':'error','stage':'import',"
			    "'code':'bad_record','message':'the last line is "
			    "cut short','retryable':false}");
			return made(im, im->values.line, r, e);
		case -1: im->over = true; return -1;
		default: break;
		}
	}
	return 0;
}

bool
import_is_empty(const struct import *im)
{
	return im->empty;
}

const struct import_left *
import_left_out(const struct import *im)
{
	return &im->left_here;
}
