/* provider.h - what answering needs: the transcript read, the one connection
 * to the server, and what is said of both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "answer/answer.h"
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
	int spool;		/* messages not in view yet: a file; -1: none,
				 * -2: nor tried */
	struct messages_past past;	/* of the last request */
	size_t answers;		/* for the replay: messages and errors read */
	struct buf tools, constrain;	/* what was said last, JSON or empty */
	struct buf request;	/* the last one lies there ... */
	struct ask ask;		/* ... in slices */
	bool requested;		/* it is not answered yet */
	long limit;		/* the window, by the last limit; -1: unknown */
	bool asked;		/* the last message waits for an answer */
	bool blocked;		/* hamr-compact gave up since */
	/* the server, for the whole process */
	struct http *http;	/* made at the first request */
	struct buf models;	/* --probe: its list of them */
	struct answer *answer;
	unsigned quirks;
	long long most_output;	/* tokens of an answer, said the server; 0 */
	bool limit_asked, model_asked, window_fits, warned, warned_record;
	int counted_whole;	/* requests since a cut, see ask/exchange.c */
	long long most_read;	/* tokens that the server ever read at once */
	int record;		/* the cassette being written; -1: none */
	int flags;		/* of stage_wait, while acting */
};

/* ---- what is said ---- */

/* Put how large the context window is, and who says so. */
void provider_limit(struct provider *p, long long tokens, const char *source);

/* Put one failure: a limit if it names one, then the error record; or one in
 * our own words that is never to be tried again.  partial is JSON, or
 * empty. */
void provider_fail(struct provider *p, struct failure *f,
    struct slice partial);
void provider_refuse(struct provider *p, const char *code,
    struct slice partial, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Put a record, and release it. */
void provider_put(struct provider *p, enum rec_kind kind, struct buf *line);

/* Put a delta; ctx is the struct provider. */
void provider_delta(void *ctx, const char *kind, struct slice text);

/* Something to know: to a person on stderr, or to the loop, who has one, as
 * progress. */
void provider_say(struct provider *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- waiting ---- */

/* Wait for descriptors or ms milliseconds; not 0: something ends the work in
 * hand (p->flags says what).  p is the struct provider. */
int provider_wait(void *p, struct pollfd *fds, size_t n, int ms);

/* Let time pass.  False: stop, something ended the work in hand. */
bool provider_pause(struct provider *p, long long ms);

/* ---- the connection ---- */

struct http *server_http(struct provider *p);

/* base_url with path behind its own path; yours to free. */
char *server_url(const char *base, const char *path);
