/* internal.h - private to chat/. */
#pragma once

#include <poll.h>

#include "base/map.h"
#include "base/mem.h"
#include "child/child.h"
#include "screen/complete.h"
#include "turn/run.h"

/* Children that are asked in the background. */
enum { QUERY_SERVER, QUERY_SANDBOX, QUERIES };

struct chat {
	struct run *run;
	struct child *query[QUERIES];	/* NULL: not asked, or has answered */
	struct buf reply[QUERIES];
	struct texts models;	/* what the server offers, by name */
	bool offer;		/* offer a choice when they come */
	bool has_message;	/* the person has said something */
	bool stopped;		/* and stopped the last program */
	bool quit;
	struct err err;		/* why it ended, if failed is set */
	bool failed;
};

/* Begin a session unless there is one; task (NULL: none) is its first message.
 * -1 with c->err. */
int chat_open(struct chat *c, const char *task);

/* Send a message of the person and run its turn. */
void chat_turn(struct chat *c, const char *text);

/* Wait for keys, a signal and what is due to be drawn; and, at most ms (-1: no
 * limit), for what is in p from CHAT_FDS to n.  True: the person wants to stop
 * what runs or, with c->quit, to leave. */
#define CHAT_FDS 3
bool chat_wait(struct chat *c, struct pollfd *p, size_t n, int ms);

/* Ask; true if the person types y. */
bool chat_confirm(struct chat *c, const char *question);

/* ---- programs.c ---- */

/* Run a command that the person typed, show its output and tell the model. */
void chat_shell(struct chat *c, const char *cmd);

/* Let the model write a commit message for what git has staged, or for all
 * changes, and commit if the person confirms. */
void chat_commit(struct chat *c);

/* List the newest change of this session and undo it if the person confirms. */
void chat_undo(struct chat *c);

/* List the facts, keep one, show or change the one with that id; remove it. */
void chat_remember(struct chat *c, const char *arg);
void chat_forget(struct chat *c, const char *arg);

/* ---- commands.c ---- */

/* Carry out a line that begins with a slash or "!".  False: it is a message. */
bool chat_command(struct chat *c, const char *line);

/* Is there a command of ours with this name, without its slash? */
bool chat_has_command(struct slice name);

/* Send a program a record that lists the commands it may give and the session's
 * state. */
void chat_send_session(struct chat *c);

/* Begin with the session that --resume names, or with a copy for --fork. */
int chat_resume(struct chat *c);

/* The person stopped a call or a check: end it, and say so. */
void chat_end_call(struct chat *c);

/* For ui.at_once: carry out a command that need not wait for the end of the
 * turn.  False: not such a command. */
bool chat_at_once(void *chat, const char *line);

/* For complete_source: add commands, arguments of a command, or paths. */
void chat_candidates(void *chat, enum complete_kind kind,
    struct slice command, struct candidates *out);

/* ---- pages.c: what a session holds ---- */

/* A call's change to files. */
struct change {
	char *call;
	char *command, *diff;	/* of bash; of edit and write; or NULL */
	char *mutated;		/* JSON: its paths */
	bool undone;
};

/* What summarize_session found in the session's file. */
struct session_summary {
	long turns;
	long at;		/* lines up to the end of the wanted turn */
	long last, calls;	/* lines before the last one; its calls */
	struct texts read;	/* paths */
	struct map ours;	/* ids of its checkpoints and calls */
	struct change *v;
	size_t n, cap;
	char *answer;		/* the last one with text, or NULL */
	struct buf answers;	/* the answers of its turn up to it, a NUL
				 * after each */
	bool broken;		/* it broke off */
	bool silent;		/* the turns since have none */
	char *checkpoint;	/* the last one's id, or NULL */
	long compactions;
	int64_t before, after, shortened;	/* the last one's tokens and
						 * results */
	uint64_t context;	/* tokens of AGENTS.md and the like */
};

/* Read the session's file.  turn: the wanted turn, from 1; -1: none. */
void summarize_session(struct chat *c, struct session_summary *s, long turn);
void session_summary_release(struct session_summary *s);

void page_show(struct chat *c, struct buf *page);	/* releases it */

/* "s" or "". */
const char *plural(long n);

void page_status(struct chat *c);
void page_cost(struct chat *c);
void page_context(struct chat *c);
void page_budget(struct chat *c);
void page_diff(struct chat *c);

/* Show the session's last turn as it looked then, and the session's state in
 * the bottom row. */
void chat_show_last_turn(struct chat *c);

/* ---- opening.c ---- */

/* Show what is known and ask in the background for the rest; ask the server
 * unless that is under way; read the reply to query[i]; stop asking. */
void opening_begin(struct chat *c);
void opening_ask_server(struct chat *c);
void opening_read(struct chat *c, int i);
void opening_end(struct chat *c);

/* "branch main", or "no branch" for a detached HEAD; the caller frees it.
 * NULL: root is not in a git repository, or HEAD cannot be read. */
char *chat_branch(const char *root);

/* ---- user_commands.c: commands that are Markdown files ---- */

/* The text of command name with its arguments filled in; the caller frees it.
 * NULL: no such command, or (*why is set) it may not be used. */
char *user_command_text(struct chat *c, const char *name, const char *args,
    const char **why);
/* Add those that can be called, the project's after the person's. */
void user_commands_list(struct chat *c, struct candidates *out);

/* ---- candidate_files.c: the project's files, for completion after an @ */

/* Add the files below root that git tracks, and those it does not ignore, as
 * far as they are found in time (out->quick: within a key). */
void candidate_files(const char *root, struct candidates *out);
