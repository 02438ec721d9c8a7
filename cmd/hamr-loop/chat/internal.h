/* internal.h - the inside of the chat. */
#pragma once

#include "base/map.h"
#include "base/mem.h"
#include "child/child.h"
#include "screen/complete.h"
#include "turn/run.h"

/* Who is asked in the background. */
enum { ASKED_SERVER, ASKED_SANDBOX, ASKED };

/* Those of a large project are listed by a process of our own, so that a key is
 * shown at once meanwhile. */
struct file_list {		/* zeroed: nobody lists them */
	pid_t pid;
	int fd;			/* what it writes: names, a NUL after each */
	long long begun;
};

struct chat {
	struct run *run;
	struct child *asked[ASKED];	/* NULL: not, or it has answered */
	struct buf said[ASKED];
	struct texts models;	/* what the server offers, by name */
	bool offer;		/* they are waited for, to choose one */
	struct file_list files;	/* for what completes after an @ */
	bool spoken;		/* the person has said something */
	bool open;		/* there is a session, its stages run */
	bool quit;
	struct err err;		/* what ended it, when failed is set */
	bool failed;
};

/* There is a session from here on; task (NULL: none) is what it begins with.
 * -1 when there is none: c->err. */
int chat_open(struct chat *c, const char *task);

/* One message of the person, and the turn that follows. */
void chat_turn(struct chat *c, const char *text);

/* Was a signal for us there?  It is taken. */
bool chat_interrupted(struct chat *c);

/* y, typed by the person. */
bool chat_confirm(struct chat *c, const char *question);

/* ---- user_shell.c ---- */

/* Run a command of the person, show it, and tell the model. */
void chat_shell(struct chat *c, const char *cmd);

/* Run a program to its end with this on its stdin, the rows at the bottom alive
 * and saying what is done; what it prints is handed over, or with take NULL
 * appended to the struct buf arg.  *stopped: the person stopped it.  Returns
 * its wait status; -1: it did not start, and that is told. */
int chat_run(struct chat *c, const struct child_opts *o, const char *doing,
    struct slice input, void (*take)(void *arg, struct slice part), void *arg,
    bool *stopped);

/* ---- commands.c ---- */

/* A line that begins with a slash or with "!".  False: it is none of these, but
 * a message. */
bool chat_command(struct chat *c, const char *line);

/* The same of those that mean something to a program, too; and a record that
 * lists them, with where the session stands. */
bool chat_command_served(struct chat *c, const char *line);
void chat_tell_session(struct chat *c);

/* Begin with the session that --resume names, or in the copy of --fork. */
int chat_resume(struct chat *c);

/* What need not wait for the end of a turn is carried out: true.  For
 * ui.at_once. */
bool chat_at_once(void *chat, const char *line);

/* What completes: commands, and what a command takes.  For complete_source. */
void chat_candidates(void *chat, enum complete_kind kind,
    const char *command, struct candidates *out);

/* ---- pages.c: what a session holds ---- */

/* A change of a file that a call made. */
struct change {
	char *call;
	char *command, *diff;	/* of bash; of edit and write; or NULL */
	char *mutated;		/* JSON: its paths */
	bool undone;
};

/* All that was read in the session's file. */
struct seen {
	long turns;
	long at;		/* lines up to the end of the wanted one */
	long requests;
	struct usage usage;
	struct texts read;	/* paths */
	struct map ours;	/* ids of its checkpoints and calls */
	struct change *v;
	size_t n, cap;
	char *answer;		/* the last one that says something, or NULL */
	struct buf said;	/* it and those before it in its turn, NUL
				 * behind each */
	bool broken;		/* it broke off */
	bool silent;		/* the turns since have none */
	char *checkpoint;	/* the last one's id, or NULL */
	long compactions;
	int64_t before, after, shortened;	/* the last one's tokens and
						 * results */
	uint64_t context;	/* tokens of AGENTS.md and the like */
};

/* turn: its number, from 1; -1: none is wanted. */
void see_session(struct chat *c, struct seen *s, long turn);
void seen_release(struct seen *s);

void page_show(struct chat *c, struct buf *page);	/* releases it */

/* "s" or "". */
const char *plural(long n);

void page_status(struct chat *c);
void page_cost(struct chat *c);
void page_context(struct chat *c);
void page_budget(struct chat *c);
void page_diff(struct chat *c);

/* Show the last turn of the session as it was shown then, and where the session
 * stands in the row at the bottom. */
void chat_show_last_turn(struct chat *c);

/* ---- opening.c ---- */

/* Say what there is, ask for the rest; ask the server, if nobody does;
 * something came from asked[i]; no more of it. */
void opening_begin(struct chat *c);
void opening_ask_server(struct chat *c);
void opening_read(struct chat *c, int i);
void opening_end(struct chat *c);

/* "branch main", or that HEAD names none; yours, or NULL. */
char *chat_branch(const char *root);

/* ---- take_back.c ---- */

/* The newest change of this session, listed, undone when the person says
 * yes. */
void chat_undo(struct chat *c);

/* ---- remember.c ---- */

/* List the facts, keep one, show or change the one with that id; take it
 * out. */
void chat_remember(struct chat *c, const char *arg);
void chat_forget(struct chat *c, const char *arg);

/* ---- commit.c ---- */

/* A message that the model writes for what git has staged, or all that is
 * changed; committed when the person says yes. */
void chat_commit(struct chat *c);

/* ---- own.c: commands that are Markdown files ---- */

/* The text of command name with its arguments in place, yours; NULL: there is
 * none, or (*why is set) it may not be used. */
char *own_command(struct chat *c, const char *name, const char *args,
    const char **why);
void own_list(struct chat *c, struct candidates *out);

/* ---- candidate_files.c: the project's files, for what completes after an @ */

/* Add the files of the working directory that git tracks or does not ignore:
 * as many as are found in 2 s.  Quick: now, or out->later is set. */
void file_list_add(struct file_list *l, struct candidates *out);

/* They are not wanted any more. */
void file_list_release(struct file_list *l);
