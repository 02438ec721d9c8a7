/* import.h - reads other programs' transcripts as hamr records.
 *
 * Each format is a jq program, share/hamr/import/FORMAT.jq or the user's own
 * (hamr-import(5)), run by program.c; import_convert.c finishes its records.
 * A hamr transcript is never changed: import_open() reports it, and the caller
 * reads it as usual.
 */
#pragma once

#include "conf/conf.h"
#include "record/rec.h"

struct import_opts {
	const char *format;	/* -F; NULL: auto, silent about hamr */
	bool quiet, lenient;
	const struct conf *conf;	/* import.*, loop_guard.tools */
};

/* Is -F a format, or a program that exists?  0, or -1 with e. */
int import_check(const char *format, struct err *e);

struct import;

/* Guess the transcript's format, reading as much of in as that takes.  0: *out
 * reads on, and the caller closes it, or is NULL for a hamr transcript; -1: e
 * says why not. */
int import_open(struct import **out, struct rec_in *in,
    const struct import_opts *o, struct err *e);

/* As rec_next(): 1 a record (its number is the line it began on), 0 the end,
 * -1 refused; the next call continues after it.  An input that yields no
 * records is refused at its end. */
int import_next(struct import *im, const struct rec **r, struct err *e);

/* Was the input refused at its end because it yielded no records? */
bool import_is_empty(const struct import *im);

/* What an importer left out, counted by kind.  An importer reports it with
 * {"_left": WHAT} in place of a record, or with a member _left in a content
 * part that it could not convert. */
struct import_left {
	struct import_left_kind {
		char *what;
		size_t n;
	} *kind;
	size_t n, cap;
};

void import_left_merge(struct import_left *l, const struct import_left *more);
/* Append "type x (2), part y (1)"; nothing if nothing was left out. */
void import_left_put(const struct import_left *l, struct buf *out);
void import_left_reset(struct import_left *l);

/* What was left out of the current conversation so far. */
const struct import_left *import_left_out(const struct import *im);

void import_close(struct import *im);
