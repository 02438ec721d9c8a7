/* opts.h - the command line of hamr-mem. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stage/stage.h"

struct opts {
	struct stage_args stage;
	/* a status, or -1 with e; NULL: the stage */
	int (*command)(const struct opts *o, struct err *e);
	bool global, raw;
	const char *db;			/* --db FILE */
	size_t max;			/* -n N; 0: not given */
	int kind;			/* --kind; 0: both */
	const char *session, *key, *replace;
	const char **tag;
	size_t ntag, captag;
	int64_t since, before;		/* WHEN_NONE: not given */
	char **args;			/* the remaining files or words */
	size_t nargs;
};

/* Read argv; --help and --version end the process.  -1 with e (ST_USAGE). */
int opts_read(struct opts *o, int argc, char **argv, struct err *e);
