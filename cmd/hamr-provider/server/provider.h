/* provider.h - the state of the provider: the transcript, the one connection
 * to the server, and the records it emits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "net/failure.h"
#include "net/http.h"
#include "request/messages.h"
#include "settings.h"
#include "stage/stage.h"
#include "view/view.h"

struct replay;

/* What to send: JSON values, borrowed. */
struct ask {
	struct slice messages, tools, tool_choice, params;
	long long estimate;	/* tokens, 0: unknown */
};

struct provider {
	struct settings *set;
	struct stage *stage;	/* NULL: --models, --probe */
	struct replay *replay;	/* NULL: a server answers */
	/* the transcript so far */
	struct view *view;
	struct map ids;		/* of all calls read (calls.h) */
	int spool;		/* file of messages not in view yet; -1: none;
				 * -2: not tried yet */
	struct messages_cache cache;	/* of the last request */
	size_t answers;		/* for the replay: messages and errors read */
	struct buf tools, constrain;	/* the latest, JSON or empty */
	struct buf request;	/* the bytes of the last request ... */
	struct ask ask;		/* ... and slices of them */
	bool requested;		/* that request is not answered yet */
	long limit;		/* the window of the last limit; -1: unknown */
	bool asked;		/* the last message waits for an answer */
	bool blocked;		/* hamr-compact gave up since */
	struct buf held;	/* the end of the last delta, which may begin
				 * a secret */
	const char *held_kind;
	/* the server, for the whole process */
	struct http *http;	/* made at the first request */
	struct buf models;	/* --probe: the server's list of models */
	unsigned quirks;
	long long most_output;	/* tokens the server allows; 0: unknown */
	bool limit_asked, model_asked, window_fits, warned, warned_record;
	bool window_later;	/* the server may tell it once it has answered,
				 * as it loads the model then */
	int counted_whole;	/* requests since a cut, see ask/exchange.c */
	long long most_read;	/* most tokens the server read in one request */
	int record;		/* the cassette being written; -1: none */
	int flags;		/* of stage_wait, while acting */
};

/* ---- records and notices ---- */

/* Put a limit record: the context window in tokens, and who reported it. */
void provider_limit(struct provider *p, long long tokens, const char *source);

/* Put a failure: a limit record if it names a limit, then the error record.
 * provider_fail_final puts one with this text that must not be retried.
 * partial is JSON, or empty. */
void provider_fail(struct provider *p, struct failure *f,
    struct slice partial);
void provider_fail_final(struct provider *p, const char *code,
    struct slice partial, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Redact and put a record, and release line. */
void provider_put(struct provider *p, enum rec_kind kind, struct buf *line);

/* Put a delta; ctx is the struct provider. */
void provider_delta(void *ctx, const char *kind, struct slice text);

/* Print a notice on stderr or, if quiet under the loop, put it as progress. */
void provider_notice(struct provider *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- waiting ---- */

/* Wait for descriptors or ms milliseconds.  Returns nonzero when the current
 * work must end (p->flags says why).  p is the struct provider. */
int provider_wait(void *p, struct pollfd *fds, size_t n, int ms);

/* Sleep for ms milliseconds; false when the current work must end. */
bool provider_pause(struct provider *p, long long ms);

/* ---- the connection ---- */

/* The connection, opened on first use; owned by p. */
struct http *server_http(struct provider *p);

/* base with path appended to its own path; a query stays at the end.  The
 * caller frees it. */
char *server_url(const char *base, const char *path);
