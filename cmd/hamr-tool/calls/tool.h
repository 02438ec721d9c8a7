/* tool.h - what hamr-tool knows about its transcript, and its setup. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/box.h"
#include "conf/conf.h"
#include "files/files.h"
#include "root/signals.h"
#include "stage/stage.h"
#include "tokens/budget.h"

/* where no cap is set: a byte takes up to six of a record's 64 MiB */
#define READ_CAP_MAX ((size_t)8 << 20)
#define OUTPUT_CAP_MAX ((size_t)4 << 20)
#define SHARE_MAX 400		/* a shared result is repeated up to here */

enum mode { MODE_READ_ONLY, MODE_PATCH, MODE_VERIFY, MODE_DOCS };

/* What is said about a call before it runs; the strictest comes last. */
enum action { ACT_NONE, ACT_WARN, ACT_SHARE, ACT_BLOCK, ACT_HALT };
extern const char *const action_names[];	/* NULL for none */

enum started {
	START_NONE,
	START_FOREIGN,		/* a start that we did not write */
	START_PROPOSED,		/* ours, not read back yet */
	START_MINE		/* ours, read back */
};

/* A call of the last assistant message. */
struct call_state {
	char *id, *name;	/* decoded, "" when there is none */
	char *args;		/* decoded, NULL when there is none */
	bool canonical;		/* args is a JSON object with the canonical
				 * names of one of our tools */
	bool done;		/* it has a result */
	enum started start;
	enum action action;
	char *words, *twin;	/* of the verdict */
	/* of the result, for a call that shares it */
	bool ran, is_error;
	char *text;		/* NULL when it is too long to repeat */
	char *code;		/* meta.error or NULL */
};

struct tool {
	const struct conf *conf;
	const char *root;	/* absolute */
	bool yes, person;
	bool quiet;		/* no warnings */
	bool no_ask;		/* resident, but nobody answers an ask; our
				 * parent tells the user */
	enum mode mode;
	struct stage *stage;
	struct serve *serve;	/* --mcp, mcp_serve.h */
	struct files *files;
	struct journal_calls *journal;	/* journal_calls.h */
	struct sandboxes *sandboxes;
	struct extras *extras;	/* extra.h */
	struct budget_keys budget;	/* the configured and the recorded */
	long limit;		/* the last `limit` record's; -1: none */
	size_t output_cap;	/* files' result_cap, or what memory allows */
	/* the last assistant message */
	struct call_state *calls;
	size_t ncalls, cap;
	size_t first_open;	/* the first of them without a result */
	bool closed;		/* its calls must not be run */
	size_t answers;		/* answer records read */
	/* lines that came while a call ran, to be processed after it */
	bool acting;
	struct texts later;
	char *told;		/* the `tools` record that was proposed last */
	char *verify;		/* command of a `verify` record, or NULL */
	bool verify_full;
	struct signals held;	/* until tool_close */
};

/* ---- calls/state.c ---- */

int tool_open(struct tool *t, struct err *e);
void tool_close(struct tool *t);
/* If a signal was held back, or stdout was found closed, close what we opened
 * (sandboxes, servers) and end by it.  Also what the stage does at its end. */
void tool_may_end(struct stage *s);
/* Report the failure that ends us; a signal or a closed stdout goes without
 * saying. */
int tool_fail(const struct tool *t, const struct err *e);

/* Callbacks of the stage (stage.h), whose self is the tool: a record was read;
 * the next transcript begins. */
void tool_record(struct stage *s, const struct rec *r);
void tool_reset(struct stage *s);
/* Set the arguments of c, whose name is set. */
void tool_set_args(struct call_state *c, struct slice text);
/* Note the result r of call c (NULL: of none), whoever made it: how it ended,
 * and what it proves to the file tools. */
void tool_note_result(struct tool *t, struct call_state *c,
    const struct rec *r);
/* Process the lines that came while a call ran. */
void tool_catch_up(struct tool *t);

/* ---- calls/memory.c ----
 *
 * search_memory and save_memory: run hamr-mem as a child.  It is found beside
 * hamr-tool or on PATH, and runs without a sandbox, in the root, since its
 * files are hamr's own.  args have passed the schema; r is always filled. */
void memory_search(struct tool *t, struct slice args, struct result *r);
void memory_save(struct tool *t, struct slice args, struct result *r);

/* ---- the `tools` record ---- */

/* Propose `tools` again if it has changed since: called after each go, and when
 * a `config` record has set the mode. */
void tool_put_changed(struct tool *t);
/* Put the first `tools`; asks the configured plug-ins and servers first. */
void tool_put(struct tool *t);

/* ---- calls/act.c, calls/once.c ---- */

/* go: judge and run every call that has no result. */
void tool_act(struct stage *s);
/* One call from the shell; prints and returns the status. */
int tool_once(struct tool *t, const char *name, const char *args, bool json);
/* One call of an MCP client: its tool message, one line, is appended.  False:
 * there is no such tool. */
bool tool_answer(struct tool *t, const char *name, struct slice args,
    struct buf *message);
