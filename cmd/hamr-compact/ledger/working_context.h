/* working_context.h - --ledger: the working context, derived from the
 * transcript alone.
 *
 * Which lines of which files were shown and still count; which of these are in
 * the next request; what was run, and how often; what git said; and what the
 * request consists of.
 */
#pragma once

#include "epoch/compact.h"
#include "report/layout.h"
#include "file_lines.h"

/* Beside the fact that compact's view has of it. */
struct ledger_call {
	size_t turn, step;
	long written;		/* lines of a write */
};

struct ledger_command {
	const char *what;
	size_t times, failed, last;	/* last: call number */
	bool ok;
};

struct ledger_git {
	size_t call;		/* its number; 0: none yet */
	char *said;		/* in short */
};

struct ledger {
	struct compact compact;
	struct view_hooks inner;	/* compact's own */
	struct view *plain;	/* for what it would be without us */
	struct ledger_call *calls;
	size_t ncalls, capcalls;
	struct file_lines *files;	/* numbered as compact's */
	size_t nfiles, capfiles;
	struct ledger_command *commands;	/* likewise */
	size_t ncommands, capcommands;
	struct ledger_git status, diff;
	size_t turns, steps;
	char *title;
};

/* strategy: from a flag, or NULL; window: -1 if there is no flag. */
void ledger_init(struct ledger *l, const struct conf *conf,
    const char *strategy, long window);
void ledger_release(struct ledger *l);
void ledger_record(struct ledger *l, const struct rec *r);

/* At the end of a transcript: sorts files and commands, and prints. */
void ledger_print(struct ledger *l, const struct term *t, struct buf *out);
