/* opts.h - the command line of hamr-loop. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "base/err.h"

struct opts {
	char *task;		/* or the session for inspect and export; NULL:
				 * none given; owned */
	char *piped;		/* stdin, when a task was given too; owned */
	bool piped_lossy;	/* invalid bytes in it were replaced */
	char *word;		/* the word after --resume: a session's id or
				 * the task; owned */
	const char *mode, *strategy, *model, *base_url, *provider, *replay;
	const char *profile, *repairs;
	const char *dir;	/* -C */
	const char *inspect;	/* budget, ledger, context */
	const char *export;	/* openai, atif, html */
	const char *fork;	/* the session to branch from */
	long at;		/* last line of it to copy; 0: all */
	bool sessions, doctor;
	bool chat;		/* no task, but a terminal */
	bool acp;		/* serve an editor */
	bool records;		/* serve a program: records on stdin */
	bool resume;
	const char *resume_id;	/* NULL: the newest */
	bool yes, json, quiet, no_config, print_config, trust;
	const char **set;	/* -o */
	size_t nset, capset;
};

/* Read argv, and the task from stdin when it is "-".  -h and -V print and end
 * the process. */
int opts_read(struct opts *o, int argc, char **argv, struct err *e);
/* Take o->word as the session to resume if it is a prefix of a session's id
 * (is_id), else as the task. */
int opts_settle(struct opts *o, bool is_id, struct err *e);

void opts_release(struct opts *o);
