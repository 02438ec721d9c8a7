/* opts.h - the options of hamr-compact. */
#pragma once

#include "stage/stage.h"
#include "tokens/token.h"

/* What is made of the transcript. */
enum mode {
	MODE_REQUEST, MODE_VIEW, MODE_CHECK, MODE_BUDGET, MODE_LEDGER,
	MODE_REPORT, MODE_SVG, MODE_JSON, MODE_COUNT
};

struct opts {
	struct stage_args args;
	long window;		/* -1: none was given */
	const char *strategy;	/* NULL: none was given */
	enum mode mode;
	bool has_family;
	enum token_family family;
	const char *const *files;
	size_t nfiles;
};

/* Read the options; exits if they are wrong.  The caller frees args.set. */
struct opts opts_read(int argc, char **argv);
