/* import_load.h - which format a file has, and the program that reads it. */
#ifndef HAMR_IMPORT_LOAD_H
#define HAMR_IMPORT_LOAD_H

#include "conf.h"
#include "program.h"
#include "rec.h"
#include "units.h"

struct import_opts {
	const char *format;	/* -F; NULL: auto, without a word about hamr */
	bool quiet, lenient;
	const struct conf *conf;	/* import.*, loop_guard.tools */
};

/* -F is a format or a program that is there: 0, or -1 with e. */
int import_check(const char *format, struct err *e);

/* A program of the user's is named by its path. */
bool import_is_path(const char *format);

/* How the values of a file lie in it, as far as was seen. */
struct import_layout {
	bool lines;		/* one a line */
	bool document;		/* in an array, or over several lines */
};

/* Whose transcript is in?  Reads as much of it as that takes.  *format is
 * NULL when it is ours.  0, or -1 with e. */
int import_choose(struct rec_in *in, const struct import_opts *o,
    const char **format, struct import_layout *layout, struct err *e);

/* Start the program of a format; units are told what its inputs are.  name is
 * for messages, borrowed.  NULL with e. */
struct program *import_load(const char *name, const char *format,
    const struct import_opts *o, struct units *units, struct err *e);

#endif
