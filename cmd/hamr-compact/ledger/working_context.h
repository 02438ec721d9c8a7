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

struct ledger_command {
	const char *what;
	size_t times, failed, last;	/* last: call number */
	bool ok;
};

struct ledger_git {
	const struct ledger_call *call;	/* NULL: never */
	char *said;		/* in short */
};

struct ledger {
	struct compact compact;
	struct view *plain;	/* for what it would be without us; pairs calls
				 * with results as that of compact does, and
				 * each call's note is its struct
				 * ledger_call */
	struct map by_path, by_command;	/* index + 1 */
	struct file_lines *files;
	size_t nfiles, capfiles;
	struct ledger_command *commands;
	size_t ncommands, capcommands;
	struct ledger_git status, diff;
	size_t messages, turns, steps, results;
	char *title;
};

/* strategy: from a flag, or NULL; window: -1 if there is no flag. */
void ledger_init(struct ledger *l, const struct conf *conf,
    const char *strategy, long window);
void ledger_release(struct ledger *l);
void ledger_reset(struct ledger *l);
void ledger_record(struct ledger *l, const struct rec *r);

/* At the end of a transcript: sorts files and commands, and prints. */
void ledger_print(struct ledger *l, const struct screen *t, struct buf *out);
