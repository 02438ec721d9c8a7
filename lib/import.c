/* import.c - other programs' transcripts, read as records of ours. */
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "import_guess.h"
#include "import_pair.h"
#include "json.h"
#include "mem.h"
#include "program.h"
#include "units.h"

#define BATCH ((size_t)256 << 10)	/* given at once, when it is there */

/* Lines of the file where something was lost. */
struct lost {
	size_t first, last;
};

struct import {
	const char *file;
	char *name;		/* for messages: "FILE: -F FORMAT" */
	bool own;		/* the user's program: errors tell its line */
	bool quiet;
	struct program *program;
	struct units units;
	struct import_pair pair;
	struct slice held;	/* made, but its header goes first */
	bool begun;		/* a conversation has its header */
	bool given;		/* the program had an input */
	bool said;		/* there was a record behind a header */
	bool empty;		/* there was none, at its end */
	bool needy;		/* the program waits for an input */
	bool over;
	size_t line;		/* of the last unit given */
	struct err bad;		/* a unit refused, not told yet */
	bool is_bad;
	size_t ncut, cut_told;
	struct lost *lost;
	size_t nlost, caplost;
	struct import_left left;	/* in the whole file */
	struct import_left left_here;	/* in the conversation in hand */
	struct scan scan;
	struct rec rec;
	struct buf out;
};

/* ---- opening ---- */

int
import_open(struct import **out, struct rec_in *in,
    const struct import_opts *o, struct err *e)
{
	struct import *im;
	const char *format;
	struct import_layout layout;

	*out = NULL;
	if (o->format != NULL && strcmp(o->format, "hamr") == 0)
		return 0;
	if (import_choose(in, o, &format, &layout, e) < 0)
		return -1;
	if (format == NULL)
		return 0;
	im = xcalloc(1, sizeof *im);
	im->file = in->name;
	im->quiet = o->quiet;
	im->own = import_is_path(format);
	im->name = xasprintf("%s: -F %s", in->name, format);
	im->out.max = BUF_RECORD_MAX;
	im->units.in = in;
	im->pair.names.own = conf_list(o->conf, "loop_guard.tools",
	    &im->pair.names.n);
	if (!im->own)
		im->pair.format = import_format_named(format) != NULL ?
		    import_format_named(format)->name : NULL;
	im->program = import_load(im->name, format, o, &im->units, e);
	if (im->program == NULL) {
		import_close(im);
		return -1;
	}
	im->units.lines |= layout.lines;
	if (layout.document && im->units.lines) {
		im->units.lines = false;
		im->units.elements = true;
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
	units_release(&im->units);
	import_pair_release(&im->pair);
	import_left_reset(&im->left);
	import_left_reset(&im->left_here);
	scan_release(&im->scan);
	buf_release(&im->out);
	free(im->lost);
	free(im->name);
	free(im);
}

/* ---- reading ---- */

static void
note_lost(struct import *im)
{
	im->lost = xgrow(im->lost, im->nlost, &im->caplost, sizeof *im->lost);
	im->lost[im->nlost++] = (struct lost){ im->units.line,
		im->units.now + 1 };
}

static bool
was_lost(const struct import *im, const struct rec *r, size_t line)
{
	size_t lo = 0, hi = im->nlost;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (im->lost[mid].last < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < im->nlost && im->lost[lo].first <= line &&
	    memmem(r->line.p, r->line.n, "\xef\xbf\xbd", 3) != NULL;
}

/* Give the program what there is; with something refused, what comes before
 * that. */
static void
feed(struct import *im)
{
	size_t given = 0;

	while (given < BATCH && !(im->own && given > 0)) {
		int got = units_next(&im->units, given == 0, &im->bad);

		if (got == 1) {
			if (im->units.lossy)
				note_lost(im);
			im->line = im->units.line;
			im->given = true;
			program_give(im->program, im->units.json, im->line);
			given += im->units.json.n + 64;
			continue;
		}
		if (got == 0 && given == 0) {
			program_last(im->program);
			given = 1;
		}
		if (got < 0 && im->units.cut && im->units.lines)
			im->ncut++;	/* told at the end: it is the end */
		else
			im->is_bad = got < 0;
		break;
	}
	im->needy = given == 0;
}

/* The record in im->out, to be handed out. */
static int
made(struct import *im, size_t line, const struct rec **r, struct err *e)
{
	if (rec_parse(&im->scan, im->out.p, im->out.len, &im->rec) < 0)
		return err_set(e, ST_DATA, "%s: %s", im->name, im->scan.why);
	im->rec.no = line;
	*r = &im->rec;
	return 1;
}

/* A line cut short at the end of a file that may still be written to. */
static int
tell_cut(struct import *im, const struct rec **r, struct err *e)
{
	struct json *o;

	im->cut_told++;
	if (!im->begun) {	/* there is nothing else */
		im->over = true;
		*e = im->bad;
		return -1;
	}
	im->said = true;
	o = json_object();
	json_str(o, "type", "error");
	json_str(o, "stage", "import");
	json_str(o, "code", "bad_record");
	json_str(o, "message", "the last line is cut short");
	json_bool(o, "retryable", false);
	buf_reset(&im->out);
	json_print(o, &im->out);
	json_free(o);
	return made(im, im->units.line, r, e);
}

static int
tell_bad(struct import *im, struct err *e)
{
	im->is_bad = false;
	*e = im->bad;
	im->over |= e->status != ST_DATA;
	return -1;
}

static void
count_left(struct import *im, struct slice what, size_t n)
{
	import_left_add(&im->left, what, n);
	import_left_add(&im->left_here, what, n);
}

/* What the program made instead of a record. */
static void
note_left(struct import *im, const struct rec *r)
{
	int64_t n = 1;

	if (rec_int(r, "_n", &n) && n < 1)
		return;
	count_left(im, rec_get(r, "_left"), (size_t)n);
}

/* Parts of a content that stand for what could not be taken. */
static void
note_parts(struct import *im, const struct rec *r)
{
	struct slice content = rec_get(r, "content"), el, what;
	struct walk w;

	if (scan_kind(content) != SCAN_ARRAY)
		return;
	walk_in(&w, content);
	while (walk_next(&w, NULL, &el))
		if ((what = scan_get(el, "_left")).p != NULL)
			count_left(im, what, 1);
}

/* What the program made, as a record; its header first if it has none.  0 when
 * it was none. */
static int
take(struct import *im, struct slice text, const struct rec **r,
    struct err *e)
{
	struct rec raw;
	int64_t line;
	bool lossy;

	im->held = (struct slice){ NULL, 0 };
	if (rec_parse(&im->scan, text.p, text.n, &raw) < 0)
		return err_set(e, ST_DATA, "%s:%zu: the importer made no "
		    "record but %.*s", im->file, im->line,
		    (int)(text.n < 60 ? text.n : 60), text.p);
	if (rec_get(&raw, "_left").p != NULL) {
		note_left(im, &raw);
		return 0;
	}
	if (!rec_int(&raw, "_line", &line) || line < 1)
		line = (int64_t)im->line;
	buf_reset(&im->out);
	if (raw.kind == R_HAMR)
		import_left_reset(&im->left_here);
	else if (im->begun) {
		note_parts(im, &raw);
		im->said = true;
	}
	if (raw.kind == R_HAMR || im->begun) {
		lossy = was_lost(im, &raw, (size_t)line);
		import_pair(&im->pair, &raw, lossy, &im->out);
	} else {
		im->held = text;
		import_pair(&im->pair, NULL, false, &im->out);
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

static void
tell_left(const struct import *im)
{
	struct buf b = BUF_INIT(4096);

	import_left_put(&im->left, &b);
	if (b.len > 0 && !im->quiet)
		err_say("%s: left out: %s", im->file, b.p);
	buf_release(&b);
}

static void
tell_pairs(const struct import *im)
{
	struct buf b = BUF_INIT(1024);

	count(&b, im->pair.unanswered, "call without a result",
	    "calls without a result");
	count(&b, im->pair.strays, "result without a call",
	    "results without a call");
	count(&b, im->ncut, "line cut short at the end",
	    "lines cut short at the end");
	if (b.len > 0 && !im->quiet)
		err_say("%s: %s", im->file, b.p);
	buf_release(&b);
}

/* Nothing made of something is no success. */
static int
finish(struct import *im, struct err *e)
{
	im->over = true;
	import_pair_end(&im->pair);
	tell_left(im);
	tell_pairs(im);
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
		if (im->needy && im->is_bad)
			return tell_bad(im, e);
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
			    im->file, im->line,
			    (int)(text.n < 300 ? text.n : 300), text.p);
		case PROGRAM_END:
			return im->cut_told < im->ncut ?
			    tell_cut(im, r, e) : finish(im, e);
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
