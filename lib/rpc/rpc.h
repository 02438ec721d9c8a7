/* rpc.h - JSON-RPC 2.0 over two descriptors, one message a line (as MCP does
 * over stdio).
 *
 * Reading never blocks; messages written are queued, and sent as far as the
 * descriptor takes them.  A line that is too long or not JSON is reported and
 * skipped, so that nothing a peer writes keeps the rest from being read.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "json/scan.h"
#include "record/rec.h"

#define RPC_QUEUE_MAX ((size_t)128 << 20)
#define RPC_CHATTER_MAX ((size_t)1 << 20)	/* answers nobody reads */

enum rpc_code {
	RPC_PARSE = -32700, RPC_INVALID = -32600, RPC_NO_METHOD = -32601,
	RPC_NO_PARAMS = -32602, RPC_INTERNAL = -32603,
	/* from the Agent Client Protocol */
	RPC_NOT_FOUND = -32002, RPC_CANCELLED = -32800,
	/* from hamr-provider --mcp: the server was not asked; ask again in a
	 * new process */
	RPC_ASK_AGAIN = -32001
};

struct rpc {
	int out;		/* borrowed, as is in's */
	bool repair;		/* bad UTF-8 and NUL become U+FFFD ... */
	bool lossy;		/* ... and did in the last line */
	/* private */
	struct rec_in in;
	struct buf wr, fixed;
	size_t sent;		/* of wr */
	struct scan scan;
};

enum rpc_got {
	RPC_NONE,		/* no complete line yet */
	RPC_TEXT,		/* *text is JSON, checked */
	RPC_BAD,		/* a line that is not JSON; *text is what it
				 * would be repaired, or empty */
	RPC_LONG		/* a line longer than max: skipped */
};

/* max: bytes of the longest line. */
void rpc_init(struct rpc *r, int in, int out, size_t max);
void rpc_release(struct rpc *r);

/* Read once.  1: got bytes, 0: nothing now, -1: the end (or a failure). */
int rpc_fill(struct rpc *r);
/* The next line, valid until the next call on r. */
enum rpc_got rpc_take(struct rpc *r, struct slice *text);

/* Queue a message, as one line.  False, with nothing queued, if the queue would
 * grow past limit bytes. */
bool rpc_put(struct rpc *r, struct slice message, size_t limit);
/* Send what can be sent now: 0, or -1 when the peer no longer reads. */
int rpc_send(struct rpc *r);
bool rpc_waiting(const struct rpc *r);	/* something is queued */

/* ---- messages ---- */

enum rpc_kind { RPC_REQUEST, RPC_NOTIFY, RPC_RESULT, RPC_ERROR, RPC_OTHER };

struct rpc_msg {
	enum rpc_kind kind;	/* RPC_OTHER: not a message */
	struct slice id, method, params;
	struct slice result, error;
};

/* An id is a string or a number. */
bool rpc_is_id(struct slice id);

/* Is this the id that was sent?  Some peers make a string of a number. */
bool rpc_same_id(struct slice got, struct slice sent);

/* Read a checked JSON value as a message; m's slices point into text. */
void rpc_read(struct slice text, struct rpc_msg *m);

/* Append a message: a call of method (a notification if id.p is NULL; params
 * are left out if params.p is), or the answer to id (null if id.p is NULL).
 * All slices are JSON. */
void rpc_call(struct buf *out, struct slice id, const char *method,
    struct slice params);
void rpc_result(struct buf *out, struct slice id, struct slice result);
void rpc_error(struct buf *out, struct slice id, enum rpc_code code,
    const char *words);
