/* opts.h - the command line of hamr-mem. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stage/stage.h"

enum command { CMD_STAGE, CMD_SAVE, CMD_SEARCH, CMD_LIST, CMD_SHOW,
	CMD_FORGET, CMD_BRIEF, CMD_STATS, CMD_CHECK, CMD_REBUILD, CMD_EXPORT,
	CMD_IMPORT };

struct opts {
	struct stage_args stage;
	enum command command;
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

/* Append the remaining arguments, cleaned and separated by blanks. */
#define WORDS_BYTES ((size_t)8 << 20)
void opts_words(const struct opts *o, struct buf *out);
