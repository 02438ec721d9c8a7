/* import.h - other programs' transcripts, read as records of ours.
 *
 * Each format is a jq program, share/hamr/import/FORMAT.jq or the user's own
 * (hamr-import(5)), run by program.c.  What it makes is finished by
 * import_convert.c.  A transcript of ours is never touched: import_open() says
 * so, and it is read as ever.
 */
#pragma once

#include "conf/conf.h"
#include "record/rec.h"

struct import_opts {
	const char *format;	/* -F; NULL: auto, without a word about hamr */
	bool quiet, lenient;
	const struct conf *conf;	/* import.*, loop_guard.tools */
};

/* -F is a format or a program that is there: 0, or -1 with e. */
int import_check(const char *format, struct err *e);

struct import;

/* Whose transcript is in?  Reads as much of it as that takes.  0: *out reads
 * on, or is NULL when it is ours; -1: e says why not. */
int import_open(struct import **out, struct rec_in *in,
    const struct import_opts *o, struct err *e);

/* As rec_next(): 1 a record (its number is the line it began on), 0 the end,
 * -1 refused, and what follows can be had.  An input of which nothing was made
 * is refused at its end. */
int import_next(struct import *im, const struct rec **r, struct err *e);

/* Its end was refused as nothing was made of it. */
bool import_is_empty(const struct import *im);

/* What an importer left out, counted by what it was.  An importer says so with
 * {"_left": WHAT} in place of a record, or with a member _left in a part of a
 * content that it could not take. */
struct import_left {
	struct import_left_kind {
		char *what;
		size_t n;
	} *kind;
	size_t n, cap;
};

void import_left_merge(struct import_left *l, const struct import_left *more);
/* Append "type x (2), part y (1)"; nothing when there is nothing. */
void import_left_put(const struct import_left *l, struct buf *out);
void import_left_reset(struct import_left *l);

/* Of the conversation in hand, so far. */
const struct import_left *import_left_out(const struct import *im);

void import_close(struct import *im);
