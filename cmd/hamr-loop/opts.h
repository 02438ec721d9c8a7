/* opts.h - what the command line of hamr-loop says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "base/err.h"

struct opts {
	char *task;		/* NULL: none given; owned */
	char *piped;		/* what stdin held beside a task; owned */
	bool piped_lossy;	/* bytes of that had to be replaced */
	char *word;		/* after --resume and a blank: a session's id,
				 * or the task; owned */
	const char *mode, *strategy, *model, *base_url, *provider, *replay;
	const char *profile, *repairs;
	const char *dir;	/* -C */
	const char *inspect;	/* budget, ledger, context */
	const char *export;	/* openai, atif, html */
	const char *fork;	/* the session to branch from */
	long at;		/* its last line taken; 0: all */
	const char *id;		/* the session these are about */
	bool sessions, doctor;
	bool chat;		/* no task, but a terminal */
	bool acp;		/* an editor speaks to us */
	bool records;		/* or a program in its place, on stdin */
	bool resume;
	const char *resume_id;	/* NULL: the newest */
	bool yes, json, quiet, no_config, print_config, trust;
	const char **set;	/* -o */
	size_t nset, capset;
};

/* Read argv, and the task from stdin when it is "-".  -h and -V print and end
 * the process. */
int opts_read(struct opts *o, int argc, char **argv, struct err *e);
/* Now that it is known whether o->word begins the id of a session: it is that
 * session, or the task. */
int opts_settle(struct opts *o, bool is_id, struct err *e);

void opts_release(struct opts *o);
