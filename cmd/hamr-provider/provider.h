/* provider.h - the stage: what was read, and what answering needs. */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

#include "answer.h"
#include "errors.h"
#include "http.h"
#include "ids.h"
#include "messages.h"
#include "replay.h"
#include "settings.h"
#include "stage.h"
#include "view.h"

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
	struct ids ids;
	struct messages_past past;	/* of the last request */
	size_t answers;		/* for the replay: messages and errors read */
	char *tools, *request, *constrain;	/* lines, owned, or NULL */
	struct ask ask;		/* slices of request */
	long limit;		/* the window, by the last limit; -1: unknown */
	bool asked;		/* the last message waits for an answer */
	bool blocked;		/* hamr-compact gave up since */
	/* the server, for the whole process */
	struct http *http;	/* made at the first request */
	struct answer *answer;
	unsigned quirks;
	bool limit_asked, model_asked, warned, warned_record;
	int record;		/* the cassette being written; -1: none */
	int flags;		/* of stage_wait, while acting */
};

extern const struct stage_ops provider_ops;

void provider_init(struct provider *p, struct settings *set);
void provider_release(struct provider *p);

/* ---- tell.c ---- */

/* Put how large the context window is, and who says so. */
void provider_limit(struct provider *p, long long tokens, const char *source);

/* Put one failure: a limit if it names one, then the error record. */
void provider_fail(struct provider *p, struct failure *f,
    struct json *partial);

/* Put a delta; ctx is the struct provider. */
void provider_delta(void *ctx, const char *kind, struct slice text);

/* Something to know: to a person on stderr, or to the loop, who has one, as
 * progress. */
void provider_say(struct provider *p, const char *words);

/* exchange.c: ask the server and put what comes of it. */
void exchange(struct provider *p, const struct ask *ask);

/* The same out of a line of a cassette. */
void exchange_play(struct provider *p, const struct ask *ask,
    struct slice line);

/* play.c: put answer number p->answers of the replay. */
void play(struct provider *p, const struct ask *ask);

#endif
