/* internal.h - private to acp/.
 *
 * acp.c answers the editor; worker.c runs a session's process; update.c turns
 * its records into updates, call_updates.c those about calls; prompt.c turns a
 * prompt into records, servers.c mcpServers into settings; listing.c reads the
 * sessions on disk.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "child/child.h"
#include "record/msg.h"
#include "rpc/rpc.h"

#define ACP_MESSAGE_MAX ((size_t)1 << 20)	/* bytes we send in one */
#define ACP_QUEUE_HIGH ((size_t)16 << 20)	/* above it sessions wait */

/* A request to the editor that it has not answered. */
struct question {
	int64_t number;
	struct worker *worker;
	enum rec_kind kind;	/* R_ASK, or R_FILE */
	char *id;		/* the record's id, as JSON */
};

struct acp {
	struct argv args;	/* for each session's process */
	bool images;		/* may be in prompts */
	struct rpc rpc;
	struct worker **v;
	size_t n, cap;
	struct question *q;
	size_t nq, capq;
	int64_t number;		/* the last question's */
	/* what the editor can do */
	bool reads, writes;	/* files, through its buffers */
	bool terminal;		/* show a command's output from _meta */
	bool ended;		/* stdin is at its end */
	int out_errno;		/* why our output cannot be written; or 0 */
};

/* A call of the last assistant message. */
struct seen_call {
	char *id, *name;
	char *args;		/* under their canonical names */
	char *path;		/* absolute, or NULL */
	struct buf output;	/* the end of a command's output */
	size_t unsent;		/* bytes at its end not yet sent in _meta */
	long long sent_at;	/* ms; when its output was last sent */
	bool due;		/* more came since */
};

enum work { IDLE, STARTING, LOADING, RESUMING, PROMPTED };

struct worker {
	struct acp *acp;
	char *id;		/* NULL: not known yet */
	char *cwd;
	char *root, *mode, *model;	/* as its process reports; NULL: not
					 * yet */
	struct texts models;
	struct texts servers;	/* settings, KEY=VALUE, for mcpServers */
	char *title;		/* NULL: no message yet */
	char *commands;		/* as JSON, or NULL */

	struct child *child;	/* NULL: not running */
	struct rec_in in;
	char *last;		/* the last whole line, or NULL */
	struct buf out;		/* being written to the child */
	size_t written;

	bool opened;		/* the editor was told that it is */
	enum work work;
	char *request;		/* id of the request it answers, as JSON */
	int64_t sync;		/* comes back when the work is done */
	bool cancelled;		/* by session/cancel ... */
	bool dropped;		/* ... or $/cancel_request */
	char *closing;		/* id of session/close, as JSON */

	/* what the editor was sent */
	struct seen_call *calls;
	size_t ncalls, capcalls;
	size_t last_call;	/* the one that was found last */
	size_t messages;	/* begun so far, for their ids */
	bool streamed, thought;	/* parts of the current message were sent */
	bool said_text;		/* the last thing sent was a message's text */
	int64_t used, window;	/* tokens; 0: not known */
	char *status, *reason, *error;	/* of the end record; the last error */
};

/* ---- acp.c ---- */

/* Send a message (released) and an LF.  False: it is over ACP_MESSAGE_MAX and
 * was not sent. */
bool acp_send(struct acp *a, struct buf *message);
void acp_error(struct acp *a, struct slice id, enum rpc_code code,
    const char *words);

/* Ask the editor; params is released.  False: too long or cancelled, and not
 * sent. */
bool acp_ask(struct worker *s, const char *method, struct buf *params,
    const struct rec *r);
/* Stop waiting for the answers to a session's questions. */
void acp_drop_questions(struct worker *s);

/* Reply to a file record; content is a JSON string, or anything else when the
 * file could not be read. */
void acp_send_file(struct worker *s, struct slice id, struct slice content);

/* The session's work is done: its process said so, or (ended) it exited. */
void acp_finish_work(struct worker *s, bool ended);

/* ---- worker.c ---- */

struct worker *worker_new(struct acp *a, const char *id,
    const char *cwd);
/* Start its process, which resumes s->id if that is known.  -1 with e. */
int worker_begin(struct worker *s, struct err *e);
/* Queue a record for the process; form as for scan_put. */
#define worker_send(s, form, ...) \
	scan_put(&(s)->out, form "\n", ##__VA_ARGS__)
/* Begin this work for the request; acp_finish_work ends it. */
void worker_work(struct worker *s, enum work work, struct slice request);
void worker_cancel(struct worker *s);
/* Its process has ended, or must within ms. */
#define WORKER_END_MS 1000
void worker_end(struct worker *s, int ms);
void worker_free(struct worker *s);

/* Read what its process says.  When that has ended, this may free the worker.
 */
void worker_read(struct worker *s);
void worker_write(struct worker *s);

/* ---- update.c ---- */

/* Send the updates for a record, live or (replay) from the session's file. */
void update_record(struct worker *s, const struct rec *r, bool replay);
/* Begin an update, up to the value of 'sessionUpdate'; close and send it
 * (released).  False: too long, not sent. */
void update_begin(const struct worker *s, struct buf *out);
bool update_send(struct worker *s, struct buf *update);
/* Send one made from a form (json/scan.h). */
#define update_put(s, form, ...) \
	update_put_slices(s, form, \
	    (const struct slice[]){ { NULL, 0 }, ##__VA_ARGS__ })
void update_put_slices(struct worker *s, const char *form,
    const struct slice *from1);
void update_text(struct worker *s, const char *kind, struct slice text);
void update_modes(struct worker *s, bool mode);
void update_commands(struct worker *s);
/* Append the members of an answer that list the modes and models; those for
 * older clients. */
void update_put_options(const struct worker *s, struct buf *out);
void update_put_modes(const struct worker *s, struct buf *out);

/* ---- call_updates.c ---- */

/* Report a call of the last message; its start, a piece of its output, its
 * result; the question whether it may run. */
void calls_add(struct worker *s, const struct call *call);
void calls_start(struct worker *s, const struct rec *r);
void calls_output(struct worker *s, const struct rec *r);
void calls_result(struct worker *s, const struct rec *r, bool replay);
void calls_ask(struct worker *s, const struct rec *r);
/* Send the output that is due.  Returns the ms until more is, -1: never. */
int calls_send_due(struct worker *s);
void calls_clear(struct worker *s);

/* ---- servers.c ---- */

/* Read mcpServers of a request, which may be missing unless must is set.
 * False: it is wrong, and the error was sent. */
bool servers_read(struct worker *s, const struct rpc_msg *m, bool must);

/* ---- prompt.c ---- */

/* Send a prompt to the process.  -1 with e: its params are wrong. */
int prompt_send(struct worker *s, struct slice prompt, struct err *e);

/* ---- listing.c ---- */

/* The path of a session's file; the caller frees it.  NULL: no such session. */
char *listing_find(const char *cwd, const char *id);
/* Append the sessions of cwd from cursor on.  -1 with e: a bad cursor or
 * folder. */
int listing_page(const char *cwd, const char *cursor, struct buf *out,
    struct err *e);
/* Send everything in the session's file.  -1 with e: it cannot be read. */
int listing_replay(struct worker *s, struct err *e);
