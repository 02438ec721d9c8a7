/* internal.h - the inside of this room.
 *
 * acp.c answers the editor; worker.c keeps a session's process; update.c says
 * what its records mean, call_updates.c those of calls; prompt.c makes records
 * of a prompt, servers.c settings of mcpServers; listing.c looks at the
 * sessions on the disk.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "child/child.h"
#include "record/msg.h"
#include "rpc/rpc.h"

#define ACP_MESSAGE_MAX ((size_t)1 << 20)	/* of ours */
#define ACP_QUEUE_HIGH ((size_t)16 << 20)	/* sessions wait, then */

/* What the editor is asked; answered by its id. */
struct question {
	int64_t number;
	struct worker *worker;
	enum rec_kind kind;	/* R_ASK, or R_FILE */
	char *id;		/* of that record, as JSON */
};

struct acp {
	char **args;		/* of each session's process */
	size_t nargs;
	struct rpc rpc;
	struct worker **v;
	size_t n, cap;
	struct question *q;
	size_t nq, capq;
	int64_t number;		/* of the last question */
	/* what the editor can do */
	bool reads, writes;	/* files, by its buffers */
	bool terminal;		/* show a command's output by _meta */
	bool ended;		/* stdin has */
	bool over;		/* nobody reads what we say */
};

/* A call of the last assistant message. */
struct seen_call {
	char *id, *name, *args;
	char *path;		/* absolute, or NULL */
	char *old, *new;	/* the texts that its diff is between */
	struct buf output;	/* of a command: its end */
	size_t unsent;		/* bytes at its end that _meta has not told */
	long long told;		/* ms; when its output was last sent */
	bool due;		/* more came since */
};

enum work { IDLE, STARTING, LOADING, RESUMING, PROMPTED };

struct worker {
	struct acp *acp;
	char *id;		/* NULL: not known yet */
	char *cwd, *root, *mode, *model;
	struct texts models;
	struct texts servers;	/* settings, KEY=VALUE, for mcpServers */
	char *title;		/* NULL: nothing was said yet */
	char *commands;		/* as JSON, or NULL */

	struct child *child;	/* NULL: not running */
	struct rec_in in;
	char *last;		/* the last whole one, or NULL */
	struct buf out;		/* being written to it */
	size_t written;
	bool ready;		/* it has said where the session stands */

	enum work work;
	char *request;		/* the id it answers, as JSON */
	int64_t sync;		/* which comes back when it is done */
	bool cancelled;		/* by session/cancel ... */
	bool dropped;		/* ... or $/cancel_request */
	char *closing;		/* id of session/close, as JSON */

	/* what was sent of it */
	struct seen_call *calls;
	size_t ncalls, capcalls;
	size_t messages;	/* of the model */
	bool streamed, thought;	/* of the message that comes */
	bool said_text;		/* the last thing sent was a message's text */
	int64_t used, window;	/* tokens; 0: not known */
	char *status, *reason, *error;	/* of the end record; the last error */
};

/* ---- acp.c ---- */

/* Send a message (released), its LF is added; false when it would be too long,
 * and was not. */
bool acp_send(struct acp *a, struct buf *message);
void acp_error(struct acp *a, struct slice id, enum rpc_code code,
    const char *words);

/* Ask the editor; params are released.  False: too long, and not asked. */
bool acp_ask(struct worker *s, const char *method, struct buf *params,
    const struct rec *r);
/* What is asked for a session is not waited for any more. */
void acp_forget(struct worker *s);

/* The reply to a file record; content: a JSON string, or anything else. */
void acp_say_file(struct worker *s, struct slice id, struct slice content);

/* What the session worked on is done, as its process says (ended: by ending).
 */
void acp_done(struct worker *s, bool ended);

/* ---- worker.c ---- */

struct worker *worker_new(struct acp *a, const char *id,
    const char *cwd);
/* Start its process, to go on with s->id if that is known.  -1 with e. */
int worker_begin(struct worker *s, struct err *e);
/* Tell it a record, as scan_put makes it. */
#define worker_say(s, form, ...) \
	scan_put(&(s)->out, form "\n", ##__VA_ARGS__)
/* Work on the request: s->work; it is done when acp_done is called. */
void worker_work(struct worker *s, enum work work, struct slice request);
void worker_cancel(struct worker *s);
void worker_free(struct worker *s);

/* What its process has to say; once that has ended, the worker may be gone. */
void worker_read(struct worker *s);
void worker_write(struct worker *s);

/* ---- update.c ---- */

/* A record of the session, as it comes or (replay) as it stands in the file. */
void update_record(struct worker *s, const struct rec *r, bool replay);
/* Send an update (released); false: it would be too long. */
bool update_send(struct worker *s, struct buf *update);
void update_text(struct worker *s, const char *kind, struct slice text);
void update_modes(struct worker *s, bool mode);
void update_commands(struct worker *s);
/* The members of an answer that say which modes and models there are; those
 * that older clients know, behind them. */
void update_put_options(const struct worker *s, struct buf *out);
void update_put_modes(const struct worker *s, struct buf *out);

/* ---- call_updates.c ---- */

/* A call of the last message; its start, a piece of its output, its result;
 * whether it may run. */
void calls_see(struct worker *s, const struct call *call);
void calls_start(struct worker *s, const struct rec *r);
void calls_output(struct worker *s, const struct rec *r);
void calls_result(struct worker *s, const struct rec *r, bool replay);
void calls_ask(struct worker *s, const struct rec *r);
/* Send the output that is due; ms until more is, -1: none. */
int calls_send_due(struct worker *s);
void calls_forget(struct worker *s);

/* ---- servers.c ---- */

/* mcpServers of a request, which must be there or may be missing.  False, with
 * the error sent. */
bool servers_take(struct worker *s, const struct rpc_msg *m, bool must);

/* ---- prompt.c ---- */

/* Tell the process what a prompt says.  0; -1 with e: params are wrong. */
int prompt_say(struct worker *s, struct slice prompt, struct err *e);

/* ---- listing.c ---- */

/* The path of a session's file, yours; NULL: there is none of that id. */
char *listing_find(const char *cwd, const char *id);
/* Append the sessions of cwd from cursor on.  -1 with e: a bad cursor or
 * folder. */
int listing_page(const char *cwd, const char *cursor, struct buf *out,
    struct err *e);
/* Send all that the file says.  -1 with e when it cannot be read. */
int listing_replay(struct worker *s, struct err *e);
