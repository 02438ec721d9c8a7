/* ledger.h - --ledger: the working context, made from the transcript alone.
 *
 * Which lines of which files were shown and still count; what of that stands
 * in the next request; what was run how often; what git said; and what the
 * request is made of.
 */
#ifndef COMPACT_LEDGER_H
#define COMPACT_LEDGER_H

#include "deed.h"
#include "map.h"
#include "lines.h"
#include "seam.h"
#include "screen.h"

/* How a call's result stands in the next request. */
enum shown { SHOWN_NOT, SHOWN_STUB, SHOWN_CUT, SHOWN_WHOLE };

struct ledger_call {
	char *id;		/* decoded; "" */
	enum tool_kind kind;
	char *what;		/* path or command */
	struct buf args;	/* canonical; until the result came */
	size_t given, text;	/* bytes of arguments and result */
	uint64_t given_hash, text_hash;
	size_t turn, step;
	bool done, failed;
	enum shown shown;
	bool given_shown;	/* its arguments stand there whole */
};

/* Lines of a file, as they are numbered now. */
struct span {
	struct lines lines;
	size_t call;		/* that showed them */
	bool written;		/* in its arguments, not its result */
	bool cut;		/* not all that it names was shown */
	bool stale;		/* the file has changed since */
};

struct ledger_file {
	char *path;
	char hash[65];		/* of the content last seen; "" */
	long lines;		/* 0: not known */
	size_t reads, edits, writes;
	size_t touched, changed;	/* by call, its number + 1 */
	bool gone;		/* deleted */
	struct span *spans;
	size_t n, cap;
};

struct ledger_command {
	char *what;
	size_t times, failed, last;	/* last: call number */
	bool ok;
};

struct ledger_git {
	size_t call;		/* number + 1; 0: never */
	char *said;		/* in short */
};

struct ledger {
	struct seam seam;
	struct view *plain;	/* for what it would be without us */
	struct pairing pairing;
	struct ledger_call *calls;
	size_t ncalls, capcalls;
	struct map by_path, by_command;	/* index + 1 */
	struct ledger_file *files;
	size_t nfiles, capfiles;
	struct ledger_command *commands;
	size_t ncommands, capcommands;
	struct ledger_git status, diff;
	size_t messages, turns, steps, results;
	char *title, *cwd;
};

void ledger_init(struct ledger *l, const struct conf *conf,
    const char *strategy, long window);
void ledger_release(struct ledger *l);
void ledger_reset(struct ledger *l);
void ledger_record(struct ledger *l, const struct rec *r);

uint64_t ledger_hash(const char *p, size_t n);

/* A result came: what it says of files.  (ledger_file.c) */
void ledger_learn(struct ledger *l, size_t call, const struct rec *r,
    struct slice text);
void ledger_file_release(struct ledger_file *f);

/* What git said, when the command asked it.  (ledger_git.c) */
void ledger_git(struct ledger *l, size_t call, struct slice text);

/* Which results stand in these messages, a JSON array.  (ledger_view.c) */
struct ledger_view {
	size_t messages;	/* in it */
	size_t whole, compacted;	/* results */
	size_t turns_kept, steps_kept;
};
void ledger_look(struct ledger *l, struct slice messages,
    struct ledger_view *v);


/* The end of a transcript: files and commands are put in order. */
void ledger_print(struct ledger *l, const struct screen *t, struct buf *out);

#endif
